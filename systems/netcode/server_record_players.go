package netcode

import (
	"bytes"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// A recording has a row of each player: the newest input that has run, how old the picture was that
// the player looked at, and, where the server is so configured, the state. The frames of a keyframe
// have all rows, against the zero value. Others have what differs from the rows recorded last:
//
//	whole (1 bit); with it the number of rows (Uvarint) and the players' numbers (16 bits each)
//	for each row: whether it differs (1 bit), and then
//	  of an input: whether the age differs (1 bit), and by how much (Golomb code, in 1/16 ticks),
//	               whether the input differs (1 bit), and the input, written against the last one
//	  of a state:  the state
//
// The rows of a frame that is not whole are those of the last whole one, in its order.

const (
	// maxSeenAge is the oldest picture that is recorded, in seconds: the most of
	// [ServerConfig].Rewind.
	maxSeenAge = 2
	// maxRows is the most rows of a frame: the most players of a server.
	maxRows = 4096
)

// recordedRows records the rows of players.
type recordedRows interface {
	// record adds the rows after a step, and reports whether the recording goes on. key: they are
	// part of a keyframe.
	record(to replay.Recorder, after Tick, key bool) bool
}

// seenInput is what a player did in a step.
type seenInput[I comparable] struct {
	input I
	age   int64 // of the picture, in 1/16 ticks
}

// write writes what differs from a row.
func (v seenInput[I]) write(w *Writer, last seenInput[I], codec InputCodec[I]) {
	w.Bool(v != last)
	if v == last {
		return
	}
	w.Bool(v.age != last.age)
	if v.age != last.age {
		w.SignedGolomb(v.age-last.age, 0)
	}
	w.Bool(v.input != last.input)
	if v.input != last.input {
		codec.Write(w, v.input, last.input)
	}
}

// serverRows records the rows of a server's players.
type serverRows[S any, I comparable] struct {
	server  *Server[S, I]
	numbers []uint16 // of the rows
	present []uint16 // scratch
	inputs  []seenInput[I]
	states  []recordedState
	scratch [1 << 10]byte // one state
	writer  Writer        // into frame; a local one would escape to the heap
	state   Writer        // into scratch
	frame   []byte
}

// recordedState is a state as it was recorded last.
type recordedState struct {
	bits []byte
	size int
}

func newServerRows[S any, I comparable](s *Server[S, I]) *serverRows[S, I] {
	return &serverRows[S, I]{server: s, frame: make([]byte, 1<<10)}
}

func (v *serverRows[S, I]) record(to replay.Recorder, after Tick, key bool) bool {
	s := v.server
	v.present = v.present[:0]
	for p := range s.all {
		v.present = append(v.present, p.number)
	}
	whole := key || !slices.Equal(v.present, v.numbers)
	if whole {
		v.numbers = append(v.numbers[:0], v.present...)
		v.inputs = slices.Grow(v.inputs[:0], len(v.numbers))[:len(v.numbers)]
		clear(v.inputs)
		for i := range v.states {
			v.states[i].size = -1
		}
		for len(v.states) < len(v.numbers) && s.config.RecordStates > 0 {
			v.states = append(v.states, recordedState{size: -1})
		}
	}
	if differs := v.writeInputs(whole); (whole || differs) && !v.add(to, after, replay.Inputs) {
		return false
	}
	if s.config.RecordStates == 0 || !whole && !rateDue(uint64(after), s.config.RecordStates, s.protocol.TickRate()) {
		return true
	}
	if differs := v.writeStates(whole); whole || differs {
		return v.add(to, after, replay.States)
	}
	return true
}

// add adds the frame that was written. One that is too large for a recording is left out.
func (v *serverRows[S, I]) add(to replay.Recorder, after Tick, kind replay.FrameKind) bool {
	return v.writer.Err() != nil || to.Add(replay.Frame{Tick: after, Kind: kind, Data: v.writer.Bytes()})
}

// begin begins a frame.
func (v *serverRows[S, I]) begin(whole bool) *Writer {
	v.writer = NewWriter(v.frame)
	w := &v.writer
	w.Bool(whole)
	if whole {
		w.Uvarint(uint64(len(v.numbers)))
		for _, n := range v.numbers {
			w.Bits(uint64(n), 16)
		}
	}
	return w
}

// grow makes the frame larger if it had no room for what was written, and reports whether it is to
// be written again.
func (v *serverRows[S, I]) grow() bool {
	if v.writer.Err() == nil || len(v.frame) == replay.MaxFrame {
		return false
	}
	v.frame = make([]byte, min(2*len(v.frame), replay.MaxFrame))
	return true
}

// writeInputs writes a frame of inputs, and reports whether any differs.
func (v *serverRows[S, I]) writeInputs(whole bool) (differs bool) {
	s := v.server
	for {
		w := v.begin(whole)
		i := 0
		for p := range s.all {
			v.inputOf(p).write(w, v.inputs[i], s.protocol.game.Inputs)
			i++
		}
		if !v.grow() {
			break
		}
	}
	i := 0
	for p := range s.all {
		now := v.inputOf(p)
		differs = differs || now != v.inputs[i]
		v.inputs[i] = now
		i++
	}
	return differs
}

// inputOf returns the row of a player.
func (v *serverRows[S, I]) inputOf(p *Player[S, I]) seenInput[I] {
	in := p.Input
	if !prediction.Comparable(in) { // one of the game's own that holds a NaN
		in = v.server.protocol.game.Rules.Neutral
	}
	return seenInput[I]{in, min(p.viewAge(), maxSeenAge*int64(v.server.protocol.TickRate())<<viewBits)}
}

// writeStates writes a frame of states, and reports whether any differs.
func (v *serverRows[S, I]) writeStates(whole bool) (differs bool) {
	for {
		w := v.begin(whole)
		i := 0
		for p := range v.server.all {
			bits, size := v.stateOf(p)
			last := &v.states[i]
			differ := size >= 0 && (size != last.size || !bytes.Equal(bits, last.bits))
			w.Bool(differ)
			if differ {
				differs = true
				w.Append(bits, size)
			}
			i++
		}
		if !v.grow() {
			break
		}
	}
	i := 0
	for p := range v.server.all {
		bits, size := v.stateOf(p)
		if size >= 0 {
			last := &v.states[i]
			last.bits, last.size = append(last.bits[:0], bits...), size
		}
		i++
	}
	return differs
}

// stateOf returns the bits of a player's state, which are valid until the next call. The size is -1
// for a state that is too large for a packet, too.
func (v *serverRows[S, I]) stateOf(p *Player[S, I]) (bits []byte, size int) {
	v.state = NewWriter(v.scratch[:])
	v.server.protocol.game.States.Write(&v.state, p.State)
	if v.state.Err() != nil {
		return nil, -1
	}
	return v.state.Bytes(), v.state.Len()
}
