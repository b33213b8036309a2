package netcode

import (
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// playerTrack reads from a recording what it has of each player at a tick: the entity, the input,
// the age of the picture, the state. It reads for itself, apart from the scene, which is at another
// tick. The bytes may come from anywhere.
type playerTrack[S any, I comparable] struct {
	protocol *Protocol[S, I]
	frames   frameReader
	at       Tick // read up to here
	read     Tick // of the newest frame
	begun    bool
	missing  bool // the recording has nothing of the tick at, such as in a gap

	players []byte
	inputs  playerRows[seenInput[I]]
	states  playerRows[S]
}

// playerRows are the rows of a kind of frames.
type playerRows[V any] struct {
	numbers []uint16
	values  []V
	known   []bool // a value was read
	reader  Reader // a local one would escape to the heap
}

// of returns the value of a player.
func (p *playerRows[V]) of(number uint16) (v V, ok bool) {
	i := slices.Index(p.numbers, number)
	if i < 0 || !p.known[i] {
		return v, false
	}
	return p.values[i], true
}

func (p *playerRows[V]) clear() { p.resize(0) }

// resize makes n rows without a value.
func (p *playerRows[V]) resize(n int) {
	p.numbers = slices.Grow(p.numbers[:0], n)[:n]
	p.values = slices.Grow(p.values[:0], n)[:n]
	p.known = slices.Grow(p.known[:0], n)[:n]
	clear(p.values)
	clear(p.known)
}

// read reads a frame. value reads what differs from a row, if anything does, and whether there is a
// value. After an error there are no rows, up to the next frame that is whole.
func (p *playerRows[V]) read(data []byte, value func(r *Reader, last V) (v V, ok bool)) {
	p.reader = packet.NewReader(data)
	r := &p.reader
	if r.Bool() {
		n := r.Uvarint()
		if n > maxRows || n > uint64(r.Remaining()/17) {
			p.clear()
			return
		}
		p.resize(int(n))
		for i := range p.numbers {
			p.numbers[i] = uint16(r.Bits(16))
		}
	}
	for i := range p.values {
		if v, ok := value(r, p.values[i]); ok {
			p.values[i], p.known[i] = v, true
		}
	}
	if r.Close() != nil {
		p.clear()
	}
}

// to reads up to and with a tick. Back, and far ahead, it seeks.
func (t *playerTrack[S, I]) to(k Tick) {
	if ahead := k.Sub(t.at); !t.begun || ahead < 0 || int(ahead) > 2*keyframeSeconds*t.protocol.TickRate() {
		t.frames.seek(k)
		t.begun = true
		t.clear()
	}
	for t.at = k; ; {
		f, ok := t.frames.upTo(k)
		if !ok {
			break
		}
		t.read = f.Tick
		t.take(f)
	}
	next := t.frames.peek()
	t.missing = k.IsNewer(t.read) && (next == nil || next.Gap)
}

// input returns the input of a player at the tick.
func (t *playerTrack[S, I]) input(number uint16) (in I, ok bool) {
	seen, ok := t.inputs.of(number)
	if !ok || t.missing {
		return in, false
	}
	return seen.input, true
}

// state returns the state of a player at the tick.
func (t *playerTrack[S, I]) state(number uint16) (s S, ok bool) {
	if t.missing {
		return s, false
	}
	return t.states.of(number)
}

func (t *playerTrack[S, I]) clear() {
	t.players = t.players[:0]
	t.inputs.clear()
	t.states.clear()
}

func (t *playerTrack[S, I]) take(f replay.Frame) {
	if f.Gap {
		t.clear()
	}
	switch game := &t.protocol.game; f.Kind {
	case replay.Players:
		t.players = append(t.players[:0], f.Data...)
	case replay.Inputs:
		t.inputs.read(f.Data, func(r *Reader, last seenInput[I]) (seenInput[I], bool) {
			last.read(r, game.Inputs, maxSeenAge*int64(t.protocol.TickRate())<<viewBits)
			return last, true
		})
	case replay.States:
		t.states.read(f.Data, func(r *Reader, _ S) (s S, ok bool) {
			if ok = r.Bool(); ok {
				s = game.States.Read(r)
			}
			return s, ok
		})
	}
}

// read reads the form that write writes, with an age up to a most.
func (v *seenInput[I]) read(r *Reader, codec InputCodec[I], most int64) {
	if !r.Bool() {
		return
	}
	if r.Bool() {
		v.age += r.SignedGolomb(0)
	}
	if r.Bool() {
		v.input = codec.Read(r, v.input)
	}
	if v.age < 0 || v.age > most || !prediction.Comparable(v.input) {
		r.Fail(packet.ErrMalformed)
	}
}
