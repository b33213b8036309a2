package netcode

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"reflect"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/column"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// The events of a capture. Each is a byte, a number (uvarint) for those that have one, and for
// datagrams and inputs a length (uvarint) and bytes.
const (
	eventNone          = iota // none is left
	eventUpdate               // an Update of the engine begins: its duration in ns
	eventDrawn                // it ends: the checksum of what is drawn
	eventDialed               // Dial has returned a connection: its MTU
	eventUndialed             // Dial has returned none
	eventReceived             // a datagram: the ns from its arrival to the Poll (zigzag)
	eventNothing              // there is no datagram
	eventState                // of a connection: the MTU, and the state in two bits
	eventSameState            // both are those of the last event of this connection
	eventSent                 // Send has taken a datagram
	eventUnsent               // Send has returned an error
	eventClosed               // CloseReason has returned a code
	eventInput                // of the player: 0
	eventSameInput            // as the last one
	eventReliable             // a message was queued: its size
	eventUnreliable           // likewise
	eventInterpolation        // SetInterpolation: the kind
	eventPrediction           // SetPrediction: predict 1, reconcile 2
	eventLeave                // Leave
	eventKinds
)

// event is an event that was read.
type event struct {
	kind byte
	n    uint64
	data []byte
}

// readEvent reads the event at the begin of b.
func readEvent(b []byte) (e event, rest []byte, ok bool) {
	e.kind, b = b[0], b[1:]
	switch e.kind {
	case eventNone:
		return e, b, false
	case eventUndialed, eventNothing, eventSameState, eventSent, eventUnsent, eventSameInput, eventLeave:
		return e, b, true
	}
	n := 0
	if e.n, n = binary.Uvarint(b); n <= 0 || e.kind >= eventKinds {
		return e, b, false
	}
	b = b[n:]
	if e.kind != eventReceived && e.kind != eventInput {
		return e, b, true
	}
	size, n := binary.Uvarint(b)
	if n <= 0 || size > transport.MaxMTU || size > uint64(len(b)-n) {
		return e, b, false
	}
	e.data = b[n : n+int(size)]
	return e, b[n+int(size):], true
}

// zigzag makes a number that is small for small durations of both signs.
func zigzag(d time.Duration) uint64 { return uint64(d<<1) ^ uint64(d>>63) }

func unzigzag(n uint64) time.Duration { return time.Duration(n>>1) ^ -time.Duration(n&1) }

// blankSecret clears the secret in the datagram of a welcome, or in a part of one.
func blankSecret(welcome []byte) {
	const from = 1 + 2 // behind the kind and the player's number
	if len(welcome) > from {
		clear(welcome[from:min(from+secretSize, len(welcome))])
	}
}

// maxCapturedInput is the most bytes of an input in a capture.
const maxCapturedInput = transport.MaxMTU

// inputForm writes inputs exactly: number by number where that is possible, regardless of the
// ranges on the wire, and otherwise by the game's codec.
type inputForm[I comparable] struct {
	layout layout
	codec  InputCodec[I]
	buffer [maxCapturedInput]byte
	writer Writer // into buffer; a local one would escape to the heap
	in     I      // likewise
}

func newInputForm[I comparable](codec InputCodec[I]) *inputForm[I] {
	f := &inputForm[I]{codec: codec}
	if l, ok := exactLayout[I](); ok {
		f.layout, f.codec = l, nil
	}
	return f
}

// exactLayout returns the layout of a type with all bits of its numbers. It reports false for types
// that have none.
func exactLayout[T any]() (l layout, ok bool) {
	m := layoutMaker{most: maxStruct, in: "a capture"}
	if m.add(reflect.TypeFor[T](), 0, "", "") != nil {
		return nil, false
	}
	size := uint(0)
	for i := range m.layout {
		n := &m.layout[i]
		if n.ranged {
			n.ranged, n.bits = false, 8*uint(n.size)
		}
		size += n.bits
	}
	return m.layout, size <= 8*maxCapturedInput
}

// write returns an input in its form. It is valid until the next call. An input that is not
// comparable counts as the neutral one, as for the client.
func (f *inputForm[I]) write(in, neutral I) []byte {
	if !prediction.Comparable(in) {
		in = neutral
	}
	f.in = in
	f.writer = NewWriter(f.buffer[:])
	if f.codec != nil {
		var zero I
		f.codec.Write(&f.writer, in, zero)
	} else {
		f.layout.write(&f.writer, column.Numbers[byte](&f.in), nil)
	}
	return f.writer.Bytes()
}

// read is the inverse of write. The bytes may come from anywhere.
func (f *inputForm[I]) read(b []byte) (in I, ok bool) {
	r := NewReader(b)
	if f.codec != nil {
		var zero I
		in = f.codec.Read(&r, zero)
	} else {
		f.layout.read(&r, column.Numbers[byte](&in), nil)
	}
	return in, r.Close() == nil && prediction.Comparable(in)
}

// checksum is the memory that a checksum takes.
type checksum struct {
	state  [maxStruct]byte
	writer Writer
}

// checksum sums up what the client has drawn in this Update, all poses to their last bits, the own
// player's predicted state, and the clocks.
func (c *Client[S, I]) checksum(m *checksum) uint32 {
	t := c.engine.Time()
	h := poseSum(t.Tick)*mix ^ poseSum(t.Steps)
	h = h*mix ^ poseSum(t.Normal)
	h = h*mix ^ poseSum(c.viewTime)
	h = h*mix ^ poseSum(c.status)
	for r := range c.present {
		c.addReplica(&h, r)
	}
	for i := range c.delayedDespawns {
		c.addReplica(&h, &c.delayedDespawns[i])
	}
	if c.predictor != nil && c.predictor.Started() {
		m.writer = NewWriter(m.state[:])
		c.protocol.game.States.Write(&m.writer, c.predictor.State())
		h = h*mix ^ poseSum(crc32.ChecksumIEEE(m.writer.Bytes()))
	}
	return uint32(h) ^ uint32(h>>32)
}

// poseSum is a sum over poses. Its multiplier is that of FNV-1a, which this follows with words in
// the place of bytes (http://www.isthe.com/chongo/tech/comp/fnv).
type poseSum uint64

const mix = 1099511628211

func (c *Client[S, I]) addReplica(h *poseSum, r *replica) {
	if !c.has(r.entity) {
		return
	}
	h.add(uint32(r.id), uint32(r.attachedTo))
	h.pose(c.transforms.Get(r.entity).Get())
	if c.visuals.Has(r.entity) {
		h.pose(c.visuals.Get(r.entity).Get())
	}
}

func (h *poseSum) add(a, b uint32) { *h = *h*mix ^ (poseSum(a)<<32 | poseSum(b)) }

func (h *poseSum) pose(p components.Pose3D) {
	b := math.Float32bits
	h.add(b(p.Position[0]), b(p.Position[1]))
	h.add(b(p.Position[2]), b(p.Rotation.W))
	h.add(b(p.Rotation.V[0]), b(p.Rotation.V[1]))
	h.add(b(p.Rotation.V[2]), b(p.Scale[0]))
	h.add(b(p.Scale[1]), b(p.Scale[2]))
}
