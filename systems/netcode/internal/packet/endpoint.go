package packet

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/congestion"
)

// Config configures an [Endpoint].
type Config struct {
	// MTU is the largest datagram in bytes, as the transport reports it; at least MinMTU.
	MTU int

	// Handler receives the endpoint's events. Nil means that they are discarded.
	Handler Handler

	// Control finds the rate at which this end may send, from the acknowledgements of its packets.
	// The caller keeps to the rate. Nil means one of the endpoint's own, with a ceiling of 64 KiB.
	Control *congestion.Controller

	// Overhead is the number of bytes that the transport adds to each datagram. Control counts
	// them.
	Overhead int
}

// Limits of the protocol, the same for all endpoints.
const (
	MinMTU      = 64 // smallest Config.MTU in bytes
	MaxOverhead = 19 // most bytes of header and framing around a packet's first piece of a message
	// pieces of reliable messages that may be in flight or waiting; as many of unreliable ones may
	// wait
	Window     = 256
	MaxEntries = 64 // pieces and messages in one packet

	// Outstanding is the number of packets that may wait for an acknowledgement. With one more, the
	// oldest counts as lost.
	Outstanding = 256

	maxChunksSent  = 32 // reliable pieces in one packet, which the sender must record
	maxChunkSize   = 256
	maxMessageSize = 32 << 10
)

// Handler receives the events of an [Endpoint], during Accept and Begin. It may queue messages, and
// must not call Begin, Open or Accept.
type Handler interface {
	// Delivered reports that the other end has accepted the packet n of this end, which was sent an
	// age ago. For every packet either Delivered or Lost is called, once. Packets resolved by one
	// Accept are reported in ascending order.
	Delivered(n Number, age time.Duration)

	// Lost reports that the packet n of this end will not be acknowledged any more. It may still
	// have arrived, if acknowledgements were lost.
	Lost(n Number)

	// Message passes on a message from the other end. The bytes are valid during the call only.
	Message(data []byte, reliable bool)
}

type silent struct{}

func (silent) Delivered(Number, time.Duration) {}
func (silent) Lost(Number)                     {}
func (silent) Message([]byte, bool)            {}

// Endpoint is one end of a connection. Create it with [NewEndpoint]. It is not safe for concurrent
// use. In steady state nothing allocates.
//
// Packets carry the acknowledgements, and each covers 33 packets. An end must send at least one
// packet for every 32 that it receives. Otherwise the other end counts packets that arrived as
// lost.
type Endpoint struct {
	config  Config
	handler Handler
	// Larger messages are cut into pieces of chunkSize bytes. A piece waits until a packet has room
	// for it: the buffers passed to Begin should be at least chunkSize and MaxOverhead larger than
	// the reserve for the payload.
	chunkSize  int
	maxMessage int // bytes of the largest message, in either direction

	received received
	sent     sentPackets
	out      sendWindow
	in       receiveWindow
	queue    sendQueue
	parts    reassembler
	rtt      rttEstimator
	stats    Stats

	opened struct {
		valid   bool
		packet  Packet
		ack     Number // 0: none
		ackTime uint16
		mask    uint32
		entries [MaxEntries]entry
		n       int
	}
	build struct {
		active  bool
		now     time.Duration
		buf     []byte
		head    int // bytes before the payload
		payload Writer
		chunks  [maxChunksSent]uint16
		nChunks int
		popped  int
	}
}

// NewEndpoint returns an Endpoint, or an error for an invalid Config.
func NewEndpoint(c Config) (*Endpoint, error) {
	if c.MTU < MinMTU || c.MTU > 1<<16-1 {
		return nil, fmt.Errorf("packet: Config.MTU is %d: give the transport's MTU, %d to 65535 bytes", c.MTU, MinMTU)
	}
	e := &Endpoint{config: c, handler: c.Handler, chunkSize: min(maxChunkSize, (c.MTU-MaxOverhead)/2)}
	e.maxMessage = min(maxMessageSize, Window/2*e.chunkSize)
	if e.handler == nil {
		e.handler = silent{}
	}
	if c.Control == nil {
		e.config.Control = congestion.New(64 << 10)
	}
	e.sent.next = 1
	e.sent.open = 1
	return e, nil
}

// SetHandler makes another handler receive the endpoint's events from now on. Nil means that they
// are discarded.
func (e *Endpoint) SetHandler(h Handler) {
	if e.handler = h; h == nil {
		e.handler = silent{}
	}
}

// Next returns the number that the next packet will carry. Between Begin and End it is that of the
// packet being written.
func (e *Endpoint) Next() Number { return e.sent.next }

// Begin starts a packet in buf, of which it uses at most the MTU. It writes the header, then as
// many waiting messages as leave reserve bytes for the payload. It returns a [Writer] for the
// payload with the rest of buf. The caller must not touch buf until [Endpoint.End]. A buf of less
// than MaxHeader bytes, and a second Begin without an End, panic.
func (e *Endpoint) Begin(buf []byte, now time.Duration, reserve int) *Writer {
	b := &e.build
	if b.active {
		panic("packet: Begin called twice: finish a packet with End first")
	}
	if len(buf) < MaxHeader {
		panic("packet: Begin needs a buffer of at least MaxHeader bytes; make it as large as the MTU")
	}
	buf = buf[:min(len(buf), e.config.MTU)]
	if e.sent.next > Outstanding {
		e.loseBefore(e.sent.next - Outstanding + 1)
	}
	b.active, b.now, b.buf = true, now, buf
	h := Header{Sequence: e.sent.next.Sequence(), HasAck: e.received.newest != 0, Ack: e.received.newest.Sequence(), AckMask: e.received.mask}
	if h.HasAck {
		h.AckTime = uint16(e.received.at / time.Millisecond)
	}
	b.head = len(h.Append(buf[:0]))
	b.head += e.packEntries(buf[b.head:], now, reserve)
	b.payload = NewWriter(buf[b.head:])
	return &b.payload
}

// End finishes the packet and returns the datagram, a part of Begin's buffer. If the payload did
// not fit, the error is ErrFull, nothing counts as sent, and messages wait for the next packet.
func (e *Endpoint) End() ([]byte, error) {
	b := &e.build
	if !b.active {
		panic("packet: End without Begin")
	}
	b.active = false
	if err := b.payload.Err(); err != nil {
		return nil, err
	}
	datagram := b.buf[:b.head+len(b.payload.Bytes())]
	b.buf, b.payload = nil, Writer{}
	n := e.sent.next
	p := e.sent.add(n, b.now, b.chunks[:b.nChunks])
	p.path = e.config.Control.Sent(b.now, len(datagram)+e.config.Overhead)
	e.out.carried(b.chunks[:b.nChunks], n, b.now)
	e.queue.pop(b.popped)
	e.stats.Sent++
	e.stats.SentBytes += uint64(len(datagram))
	return datagram, nil
}

// Cancel abandons the packet that Begin began. Nothing counts as sent, and its messages wait for
// the next packet, which has the same number.
func (e *Endpoint) Cancel() {
	b := &e.build
	if !b.active {
		panic("packet: Cancel without Begin")
	}
	b.active, b.buf, b.payload = false, nil, Writer{}
}

// Due returns the bytes of a packet that the first waiting message, or piece of one, needs beside
// the payload at now, with the header and its own framing. It returns 0 if none would be part of
// the next packet. A caller that reserves more than the buffer without these bytes delays messages.
func (e *Endpoint) Due(now time.Duration) int {
	due := -1
	if e.queue.n > 0 {
		due = len(e.queue.at(0).data)
	}
	for id := e.out.base; id != e.out.next; id++ {
		if s := &e.out.slots[id%Window]; s.due(now, e.rtt.resendAfter(), e.sent.newestAcked) {
			due = max(due, len(s.data))
			break
		}
	}
	if due < 0 {
		return 0
	}
	return due + MaxOverhead
}

// packEntries writes waiting messages to buf and returns how many bytes they took. Each kind is
// first in every other packet, so that neither waits for a long queue of the other.
func (e *Endpoint) packEntries(buf []byte, now time.Duration, reserve int) int {
	b := &e.build
	b.nChunks, b.popped = 0, 0
	room := len(buf) - max(0, reserve)
	if room < 2 {
		return 0
	}
	w, count := NewWriter(buf[:room]), 0
	w.Bits(0, 8) // the place of the count
	if e.sent.next%2 == 0 {
		count = e.packQueue(&w, count)
	}
	previous, hasPrevious := uint16(0), false
	for id := e.out.base; id != e.out.next && b.nChunks < maxChunksSent; id++ {
		s := &e.out.slots[id%Window]
		if !s.due(now, e.rtt.resendAfter(), e.sent.newestAcked) {
			continue
		}
		entry := entry{kind: kindReliable, last: s.last, follows: hasPrevious && id == previous+1, id: id, data: s.data}
		if count == MaxEntries || !entry.write(&w) {
			break
		}
		count++
		b.chunks[b.nChunks] = id
		b.nChunks++
		previous, hasPrevious = id, true
	}
	count = e.packQueue(&w, count)
	if count == 0 {
		return 0
	}
	n := len(w.Bytes())
	buf[0] = byte(count)
	b.buf[0] |= flagMessages
	return n
}

// packQueue writes unreliable messages behind count others while they fit, and returns how many
// there are then.
func (e *Endpoint) packQueue(w *Writer, count int) int {
	b := &e.build
	for b.popped < e.queue.n && count < MaxEntries && e.queue.at(b.popped).write(w) {
		count++
		b.popped++
	}
	return count
}
