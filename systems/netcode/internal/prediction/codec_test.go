package prediction_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// wide is an input that changes every tick, takes nine bytes, and is written as a difference.
type wide struct{ A, B uint32 }

type wides struct{}

func (wides) Write(w *packet.Writer, in, newer wide) {
	w.Bits(uint64(in.A-newer.A), 32)
	w.Bits(uint64(in.B), 40)
}

func (wides) Read(r *packet.Reader, newer wide) wide {
	return wide{newer.A + uint32(r.Bits(32)), uint32(r.Bits(40))}
}

func TestPacketOfInputsKeepsItsBounds(t *testing.T) {
	p := prediction.NewPending[wide](0)
	for i := range 60 {
		p.Push(tick.Tick(i), wide{uint32(i), 7})
	}
	for _, test := range []struct {
		name   string
		limit  prediction.Redundancy
		buffer int
		want   int // inputs: 32 bits, then 78 for each
		err    error
	}{
		// 32 + 12*78 = 968 bits are 8 too many.
		{"120 bytes", prediction.Redundancy{}, 1000, 11, nil},
		{"121 bytes", prediction.Redundancy{Bytes: 121}, 1000, 12, nil},
		{"many bytes", prediction.Redundancy{Bytes: 1000}, 1000, 32, nil},
		{"4 inputs", prediction.Redundancy{Inputs: 4}, 1000, 4, nil},
		{"too many inputs", prediction.Redundancy{Inputs: 50, Bytes: 1000}, 1000, 32, nil},
		{"always the newest", prediction.Redundancy{Bytes: 3}, 1000, 1, nil},
		{"little room", prediction.Redundancy{}, 30, 2, nil}, // 32 + 2*78 = 188 of 240
		{"exactly room", prediction.Redundancy{}, 121, 11, nil},
		{"no room", prediction.Redundancy{}, 8, 1, packet.ErrFull},
	} {
		w := packet.NewWriter(make([]byte, test.buffer))
		n := p.Write(&w, wides{}, test.limit)
		if n != test.want || !errors.Is(w.Err(), test.err) {
			t.Errorf("%s: %d inputs in %d bytes, error %v, want %d, %v", test.name, n, len(w.Bytes()), w.Err(), test.want, test.err)
		}
		if test.err != nil {
			continue
		}
		var inputs prediction.Inputs[wide]
		r := packet.NewReader(w.Bytes())
		if err := inputs.Read(&r, wides{}); err != nil || r.Close() != nil || inputs.Count != n || inputs.Newest != 59 {
			t.Errorf("%s: read %d inputs up to %d, error %v, want %d up to 59", test.name, inputs.Count, inputs.Newest, err, n)
		}
		for i := range inputs.Count {
			if got := inputs.At(i); got != (wide{uint32(59 - i), 7}) {
				t.Errorf("%s: input %d is %v", test.name, i, got)
			}
		}
	}
}

func TestEqualInputsAreWrittenOnce(t *testing.T) {
	p := prediction.NewPending[wide](0)
	for i := range 32 {
		p.Push(tick.Tick(i), wide{1, 2})
	}
	w := packet.NewWriter(make([]byte, 100))
	if n := p.Write(&w, wides{}, prediction.Redundancy{}); n != 32 || w.Len() != 32+5+72+1 {
		t.Errorf("%d equal inputs took %d bits, want 32 in 110", n, w.Len())
	}
}

func TestNothingToSend(t *testing.T) {
	p := prediction.NewPending[control](0)
	if got := encode(p); len(got) != 0 {
		t.Errorf("without inputs %d bytes were written", len(got))
	}
	p.Push(3, control{})
	p.Acknowledge(3)
	if got := encode(p); len(got) != 0 {
		t.Errorf("with all acknowledged %d bytes were written", len(got))
	}
}

func TestMalformedInputsAreRefused(t *testing.T) {
	build := func(f func(w *packet.Writer)) []byte {
		w := packet.NewWriter(make([]byte, 300))
		w.Bits(9, 32)
		f(&w)
		return w.Bytes()
	}
	run := func(w *packet.Writer, length uint64, in control, more bool) {
		w.Bits(length-1, 5)
		controls{}.Write(w, in, control{})
		w.Bool(more)
	}
	for _, test := range []struct {
		name     string
		datagram []byte
	}{
		{"empty", nil},
		{"only a tick", build(func(*packet.Writer) {})[:4]},
		{"the same input twice", build(func(w *packet.Writer) { run(w, 1, control{Move: 1}, true); run(w, 1, control{Move: 1}, false) })},
		{"33 inputs", build(func(w *packet.Writer) { run(w, 32, control{Move: 1}, true); run(w, 1, control{}, false) })},
		{"an input that cannot be", build(func(w *packet.Writer) { w.Bits(0, 5); w.Int(-2, 2); w.Bool(false); w.Bool(false) })},
		{"cut off after a run", build(func(w *packet.Writer) { run(w, 1, control{Move: 1, Press: 1}, true) })},
	} {
		inputs := prediction.Inputs[control]{Count: 5}
		r := packet.NewReader(test.datagram)
		if err := inputs.Read(&r, controls{}); err == nil || inputs.Count != 0 {
			t.Errorf("%s: error %v and %d inputs, want an error and none", test.name, err, inputs.Count)
		}
	}
}

func TestInputsTruncatedAnywhereAreRefused(t *testing.T) {
	p := prediction.NewPending[control](0)
	for i := range 40 {
		p.Push(tick.Tick(i), strafe(tick.Tick(i)))
	}
	datagram := encode(p)
	for n := range datagram {
		var inputs prediction.Inputs[control]
		r := packet.NewReader(datagram[:n])
		if err := inputs.Read(&r, controls{}); err == nil && r.Close() == nil {
			t.Errorf("the first %d of %d bytes were taken", n, len(datagram))
		}
	}
}

func TestFeedbackRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := prediction.Feedback{Heard: rapid.Bool().Draw(t, "heard")}
		if want.Heard {
			want.Newest = tick.Tick(rapid.Uint32().Draw(t, "newest"))
			want.Ack = want.Newest.Add(rapid.IntRange(-1023, 1024).Draw(t, "ack"))
			want.Age = clocksyncAge(t)
			if want.Held = rapid.IntRange(0, clocksync.MaxHeld).Draw(t, "held"); want.Held > 0 {
				want.HeldAge = clocksyncAge(t)
			}
			want.Starved = rapid.IntRange(0, prediction.MaxStarved).Draw(t, "starved")
		}
		w := packet.NewWriter(make([]byte, 16))
		want.Write(&w)
		r := packet.NewReader(w.Bytes())
		if got := prediction.ReadFeedback(&r); got != want || r.Close() != nil || w.Err() != nil {
			t.Fatalf("%+v came back as %+v, errors %v, %v", want, got, w.Err(), r.Err())
		}
	})
}

// For any bytes Read must not panic and must return at most 32 inputs. Each result has one encoding
// only. Neither side of the server may fail on it.
func FuzzInputs(f *testing.F) {
	p := prediction.NewPending[control](0)
	for i := range 40 {
		p.Push(tick.Tick(1<<32-20).Add(i), strafe(tick.Tick(i)))
		if i%13 == 0 {
			f.Add(append([]byte(nil), encode(p)...))
		}
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, datagram []byte) {
		var inputs prediction.Inputs[control]
		r := packet.NewReader(datagram)
		if inputs.Read(&r, controls{}) != nil || r.Close() != nil {
			return
		}
		if inputs.Count < 1 || inputs.Count > prediction.MaxRedundancy {
			t.Fatalf("%d inputs", inputs.Count)
		}
		again := prediction.NewPending[control](0)
		for i := inputs.Count - 1; i >= 0; i-- {
			again.Push(inputs.Newest.Add(-i), inputs.At(i))
		}
		w := packet.NewWriter(make([]byte, 256))
		again.Write(&w, controls{}, prediction.Redundancy{Bytes: 256})
		if !bytes.Equal(w.Bytes(), datagram) {
			t.Errorf("%x reads as %x", datagram, w.Bytes())
		}
		b := prediction.NewBuffer(inputs.Newest.Add(-10), prediction.BufferConfig[control]{Rules: rules})
		a := prediction.NewArrivals(prediction.ArrivalConfig[control]{Rules: rules})
		for range 3 {
			b.Receive(&inputs, 0)
			a.Receive(&inputs)
			b.Next()
			a.Advance(0, 50*ms)
			a.Next()
		}
		if s := b.Stats(); s.Accepted+s.Late > uint64(inputs.Count) || s.Duplicate < uint64(inputs.Count) {
			t.Errorf("three times %d inputs gave %+v", inputs.Count, s)
		}
	})
}

// analog is an input that may hold a NaN. Its codec accepts everything.
type analog struct{ X float32 }

type analogs struct{}

func (analogs) Write(w *packet.Writer, in, _ analog)   { w.Float32(in.X) }
func (analogs) Read(r *packet.Reader, _ analog) analog { return analog{r.Float32()} }

// An input that is not equal to itself must be refused: as the newest, among others, or alone.
func TestInputsThatAreNoNumbers(t *testing.T) {
	nan := float32(math.NaN())
	for _, test := range []struct {
		inputs []float32
		ok     bool
	}{
		{[]float32{1, 2, 2}, true},
		{[]float32{float32(math.Inf(1))}, true}, // the codec must refuse infinity itself
		{[]float32{nan}, false},
		{[]float32{1, nan, 2}, false},
		{[]float32{1, 2, nan}, false},
		{[]float32{nan, nan}, false},
	} {
		p := prediction.NewPending[analog](0)
		for i, x := range test.inputs {
			p.Push(tick.Tick(i), analog{x})
		}
		w := packet.NewWriter(make([]byte, 200))
		p.Write(&w, analogs{}, prediction.Redundancy{})
		r := packet.NewReader(w.Bytes())
		var inputs prediction.Inputs[analog]
		err := inputs.Read(&r, analogs{})
		if (err == nil) != test.ok || err != nil && inputs.Count != 0 || err == nil && inputs.Count != len(test.inputs) {
			t.Errorf("%v: %d inputs, error %v, want them taken: %v", test.inputs, inputs.Count, err, test.ok)
		}
	}
}
