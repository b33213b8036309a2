package report

import (
	"math"
	"math/bits"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// The game of the prediction cases is a runner on a line with eight buttons, whose presses are
// counted. It is smaller than testgame, since these cases use the parts of package prediction
// without a server and without worlds.

const runSpeed = 6.0 // m/s

// control is an input.
type control struct {
	Move  int8  `range:"-1,1"`
	Press uint8 // a bit for each button that went down in this tick
}

var controlRules = prediction.Rules[control]{
	Repeat: func(last control) control { return control{Move: last.Move} },
	Merge:  func(into, presses control) control { into.Press |= presses.Press; return into },
}

// runner is the player's state.
type runner struct {
	X       float64
	Pressed [8]uint16
}

func (b runner) step(in control, _ tick.Tick) runner {
	b.X += float64(in.Move) * runSpeed / tickRate
	for p := in.Press; p != 0; p &= p - 1 {
		b.Pressed[bits.TrailingZeros8(p)]++
	}
	return b
}

func (b runner) distance(o runner) float64 {
	if b.Pressed != o.Pressed {
		return math.Inf(1)
	}
	return math.Abs(b.X - o.X)
}

var (
	controls = netcode.StructInput[control]()
	runners  = netcode.StructState[runner]()
)

// strafing turns round every half second and presses a button every third of a second.
func strafing(t tick.Tick) control {
	in := control{Move: 1}
	if t/30%2 == 1 {
		in.Move = -1
	}
	if t%20 == 7 {
		in.Press = 1 << (t / 20 % 8)
	}
	return in
}

// playerMatch is a server and one player over a simulated path, with ticks and frames at 60 Hz and
// states at 30 Hz.
type playerMatch struct {
	lead     int
	play     func(tick.Tick) control
	up, down *linksim.Link
	buffer   *prediction.Buffer[control]
	server   runner
	client   *prediction.Predictor[runner, control]
	inputs   prediction.Inputs[control]
	out      [256]byte

	sent      runner // the state after all inputs, each applied once
	slow      int    // ticks whose input did not show in the state of the same tick
	lastWrong int64  // tick of the last correction
	repeated  int    // in a row
	longest   int    // run of repeats

	corrections int
}

// framePhase is the time of the client's frame within its tick.
const framePhase = 5 * ms

func newPlayerMatch(n network, seed uint64, slack int, play func(tick.Tick) control) *playerMatch {
	n.Down.Seed, n.Up.Seed = 2*seed, 2*seed+1
	way := framePhase + n.Up.Delay + n.Up.Jitter
	m := &playerMatch{
		lead: int((way+tickLength-1)/tickLength) + slack, play: play,
		up: must(linksim.NewLink(n.Up)), down: must(linksim.NewLink(n.Down)),
		buffer: prediction.NewBuffer(0, prediction.BufferConfig[control]{Rules: controlRules}),
	}
	m.client = prediction.NewPredictor(prediction.Config[runner, control]{
		Step: runner.step, Distance: runner.distance, Tolerance: 1e-9, Rules: controlRules,
	})
	m.client.Start(tick.Tick(m.lead), runner{})
	return m
}

// run plays a match from its start.
func (m *playerMatch) run(seconds int64) {
	for k := range seconds * tickRate {
		m.serve(k)
		m.predict(k)
	}
}

// serve runs one tick of the server.
func (m *playerMatch) serve(k int64) {
	now := time.Duration(k) * time.Second / tickRate
	for {
		datagram, at, ok := m.up.Pop(now)
		if !ok {
			break
		}
		r := packet.NewReader(datagram)
		if m.buffer.Admit() && m.inputs.Read(&r, controls) == nil && r.Close() == nil {
			m.buffer.Receive(&m.inputs, at)
		}
	}
	in, source := m.buffer.Next()
	if m.repeated++; source != prediction.Repeated {
		m.repeated = 0
	}
	m.longest = max(m.longest, m.repeated)
	m.server = m.server.step(in, tick.Tick(k))
	if k%2 == 0 {
		return
	}
	w := packet.NewWriter(m.out[:])
	w.Bits(uint64(m.buffer.Tick()), 32)
	runners.Write(&w, m.server)
	m.buffer.Feedback().Write(&w)
	m.down.Push(now, w.Bytes())
}

// predict runs one tick of the client.
func (m *playerMatch) predict(k int64) {
	now := time.Duration(k)*time.Second/tickRate + framePhase
	for {
		datagram, _, ok := m.down.Pop(now)
		if !ok {
			break
		}
		m.receive(datagram, k)
	}
	t := tick.Tick(k + int64(m.lead))
	in := m.play(t)
	m.sent = m.sent.step(in, t)
	before := m.client.State().X
	m.client.Advance(t, in)
	if moved := m.client.State().X - before; math.Abs(moved-float64(in.Move)*runSpeed/tickRate) > 1e-9 {
		m.slow++
	}
	w := packet.NewWriter(m.out[:])
	if m.client.Pending().Write(&w, controls, prediction.Redundancy{}) > 0 {
		m.up.Push(now, w.Bytes())
	}
}

// receive handles a state from the server on the client.
func (m *playerMatch) receive(datagram []byte, k int64) {
	r := packet.NewReader(datagram)
	t := tick.Tick(r.Bits(32))
	b := runners.Read(&r)
	feedback := prediction.ReadFeedback(&r)
	if err := r.Close(); err != nil {
		panic(err) // the link changes no bits
	}
	if feedback.Heard {
		m.client.Pending().Acknowledge(feedback.Ack)
	}
	switch m.client.Reconcile(t, b).Outcome {
	case prediction.Corrected:
		m.corrections++
		m.lastWrong = k
	case prediction.Jumped:
		m.lastWrong = k
	}
}

// presses returns how many of the presses sent never ran, and how many ran more than once.
func (m *playerMatch) presses() (lost, doubled int) {
	for i, n := range m.sent.Pressed {
		d := int(n) - int(m.server.Pressed[i])
		lost += max(d, 0)
		doubled += max(-d, 0)
	}
	return lost, doubled
}

// quietly returns the play without presses from a time on, so that all presses have arrived at the
// end of the match.
func quietly(play func(tick.Tick) control, from float64) func(tick.Tick) control {
	return func(t tick.Tick) control {
		in := play(t)
		if float64(t) >= from*tickRate {
			in.Press = 0
		}
		return in
	}
}
