package rates

import (
	"errors"
	"math"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// The game: a player runs and aims. Aiming changes his input in every tick, as a mouse does, so
// that no input equals its neighbour.

const (
	runSpeed = 6.0 // m/s

	kindPlayer = 1
	kindBody   = 2
)

type state struct {
	X, Z float32
	Yaw  uint16 // 4096 to a turn
}

type input struct {
	X, Z int8 // -1, 0, 1
	Fire bool
	Yaw  uint16
}

// step returns the player's step function at a tick rate.
func step(rate int) func(s state, in input, t tick.Tick) state {
	dt := float32(1) / float32(rate)
	return func(s state, in input, _ tick.Tick) state {
		s.X += float32(in.X) * runSpeed * dt
		s.Z += float32(in.Z) * runSpeed * dt
		s.Yaw = in.Yaw
		return s
	}
}

func pose(s state) components.Pose3D { return components.At3D(s.X, 0, s.Z) }

// play runs to and fro, each way for about half a second, and turns the head.
func play(rate int) func(t tick.Tick) input {
	return func(t tick.Tick) input {
		now := float64(t) / float64(rate)
		in := input{X: 1, Yaw: uint16(2048 + 600*math.Sin(1.7*now) + 150*math.Sin(7.1*now)), Fire: math.Mod(now, 1.3) < 0.1}
		if math.Mod(now, 1.014) > 0.507 {
			in.X = -1
		}
		return in
	}
}

type states struct{}

func (states) Write(w *packet.Writer, s state) {
	w.Float32(s.X)
	w.Float32(s.Z)
	w.Bits(uint64(s.Yaw), 12)
}

func (states) Read(r *packet.Reader) state {
	s := state{r.Float32(), r.Float32(), uint16(r.Bits(12))}
	if !(math.Abs(float64(s.X)) < 1e4 && math.Abs(float64(s.Z)) < 1e4) {
		r.Fail(errors.New("rates: a player out of the world"))
	}
	return s
}

// inputs packs one into 5 bits and the turn of the head since the next.
type inputs struct{}

func (inputs) Write(w *packet.Writer, in, newer input) {
	w.Int(int64(in.X), 2)
	w.Int(int64(in.Z), 2)
	w.Bool(in.Fire)
	w.SignedGolomb(int64(in.Yaw)-int64(newer.Yaw), 4)
}

func (inputs) Read(r *packet.Reader, newer input) input {
	in := input{X: int8(r.Int(2)), Z: int8(r.Int(2)), Fire: r.Bool()}
	yaw := r.SignedGolomb(4) + int64(newer.Yaw)
	if in.X == -2 || in.Z == -2 || yaw < 0 || yaw > 4095 {
		r.Fail(errors.New("rates: nobody runs or looks that way"))
		return input{}
	}
	in.Yaw = uint16(yaw)
	return in
}

func newProtocol(rate, entities int) (*netcode.Protocol[state, input], error) {
	return netcode.NewProtocol(snapshot.Config{
		TickRate: rate, MaxEntities: entities, Velocity: snapshot.Range{Max: 64, Resolution: 1.0 / 16}, Angular: snapshot.Range{Max: 32, Resolution: 1.0 / 16},
	}, netcode.Game[state, input]{
		Step: step(rate), Pose: pose, States: states{}, Inputs: inputs{}, Tolerance: 1e-4,
		Distance: func(a, b state) float64 { return math.Hypot(float64(a.X-b.X), float64(a.Z-b.Z)) },
		Rules:    prediction.Rules[input]{Merge: func(into, presses input) input { into.Fire = into.Fire || presses.Fire; return into }},
	})
}
