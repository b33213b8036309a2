package replay

import (
	"encoding/binary"
	"errors"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Frame is one thing that happened in a tick.
type Frame struct {
	Tick tick.Tick
	Kind FrameKind

	// Key, of a Snapshot: the packets of this tick, of which this is the first, hold everything. A
	// reader can begin here.
	Key bool
	// Complete, of a Snapshot: no change of the tick is missing when this packet has been read. So
	// an entity without a record has not moved.
	Complete bool
	// Gap is set by a [Cursor]: frames before this one are lost. The frame is a Key.
	Gap bool

	Number packet.Number // of a Snapshot: its packet
	Data   []byte
}

// FrameKind is the kind of a frame. Readers skip kinds that they do not know.
type FrameKind uint8

// The kinds of frames. Their data belong to package netcode.
const (
	Snapshot FrameKind = iota // a packet of a snapshot
	Message                   // a message to all players
	Marker                    // see [Mark]
	Players                   // the entities of all players, where they have changed
	Inputs                    // the inputs of all players, and how old their pictures were
	States                    // the states of all players
	Events                    // what a client took from outside, in a recording of kind Exact
)

// MaxFrame is the largest size of a frame's data in bytes.
const MaxFrame = 1 << 20

const (
	flagKey = 1 << iota
	flagComplete
)

var errShort = errors.New("replay: a frame is cut off")

// appendFrame appends a frame that follows one of tick last.
func appendFrame(b []byte, f Frame, last tick.Tick) []byte {
	flags := byte(0)
	if f.Key {
		flags |= flagKey
	}
	if f.Complete {
		flags |= flagComplete
	}
	b = binary.AppendUvarint(b, uint64(uint32(f.Tick.Sub(last))))
	b = append(b, byte(f.Kind), flags)
	b = binary.AppendUvarint(b, uint64(len(f.Data)))
	return append(b, f.Data...)
}

// nextFrame reads the frame at the begin of b. Its data stay in b.
func nextFrame(b []byte, last tick.Tick) (f Frame, rest []byte, err error) {
	ticks, n := binary.Uvarint(b)
	if n <= 0 || ticks > 1<<31-1 || len(b) < n+2 {
		return f, nil, errShort
	}
	f.Tick, f.Kind = last.Add(int(ticks)), FrameKind(b[n])
	f.Key, f.Complete = b[n+1]&flagKey != 0, b[n+1]&flagComplete != 0
	b = b[n+2:]
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return f, nil, errShort
	}
	end := n + int(size)
	f.Data = b[n:end:end]
	return f, b[end:], nil
}

// Mark is a moment of a match that a viewer may look for: a goal, a hit, the end of a round.
type Mark struct {
	Tick   tick.Tick
	Player uint16 // its number; 0: no player's
	Name   string
}

// MaxMarkName is the longest name of a mark in bytes. Longer ones are cut.
const MaxMarkName = 64

// Frame returns the mark as a frame.
func (m Mark) Frame() Frame {
	return Frame{Tick: m.Tick, Kind: Marker, Data: m.append(nil)}
}

func (m Mark) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(m.Player))
	return append(b, m.Name[:min(len(m.Name), MaxMarkName)]...)
}

// readMark reads the data of a frame of kind Marker.
func readMark(t tick.Tick, b []byte) (Mark, bool) {
	player, n := binary.Uvarint(b)
	if n <= 0 || player > 1<<16-1 || len(b)-n > MaxMarkName {
		return Mark{}, false
	}
	return Mark{t, uint16(player), string(b[n:])}, true
}
