package prediction_test

import (
	"math"
	"math/bits"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// The game that the tests play: a body on a line at 6 m/s, and eight buttons whose presses are
// counted.

const (
	rate  = 60
	speed = 6.0 // m/s
)

// control is an input: the direction of movement, and the buttons pressed in this tick.
type control struct {
	Move  int8 // -1, 0 or 1
	Press uint8
}

var rules = prediction.Rules[control]{
	Repeat: func(last control) control { return control{Move: last.Move} },
	Merge:  func(into, presses control) control { into.Press |= presses.Press; return into },
}

// body is the player's state.
type body struct {
	X       float64
	Pressed [8]uint16
}

func (b body) presses() (n int) {
	for _, p := range b.Pressed {
		n += int(p)
	}
	return n
}

func step(b body, in control, _ tick.Tick) body {
	b.X += float64(in.Move) * speed / rate
	for p := in.Press; p != 0; p &= p - 1 {
		b.Pressed[bits.TrailingZeros8(p)]++
	}
	return b
}

func distance(a, b body) float64 {
	if a.Pressed != b.Pressed {
		return math.Inf(1)
	}
	return math.Abs(a.X - b.X)
}

// controls is the codec.
type controls struct{}

func (controls) Write(w *packet.Writer, in, _ control) {
	w.Int(int64(in.Move), 2)
	w.Bool(in.Press != 0)
	if in.Press != 0 {
		w.Bits(uint64(in.Press), 8)
	}
}

func (controls) Read(r *packet.Reader, _ control) control {
	in := control{Move: int8(r.Int(2))}
	if in.Move == -2 {
		r.Fail(packet.ErrMalformed)
	}
	if r.Bool() {
		if in.Press = uint8(r.Bits(8)); in.Press == 0 {
			r.Fail(packet.ErrMalformed)
		}
	}
	return in
}

// strafe is the input of most cases: the player turns about each half second, and presses a button
// each third of a second, another one each time.
func strafe(t tick.Tick) control {
	in := control{Move: 1}
	if t/30%2 == 1 {
		in.Move = -1
	}
	if t%20 == 7 {
		in.Press = 1 << (t / 20 % 8)
	}
	return in
}

// forward is the input of a player that runs one way.
func forward(tick.Tick) control { return control{Move: 1} }
