package main

import (
	"errors"
	"math"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

const (
	tickRate = 60
	speed    = 6 // m/s

	kindRunner = 1
	kindThing  = 2
)

// state is a runner's place, input the way he runs.
type state struct{ X, Z float32 }

type input struct{ X, Z int8 }

func step(s state, in input, _ tick.Tick) state {
	const arena = 200
	s.X = min(max(s.X+float32(in.X)*speed/tickRate, -arena), arena)
	s.Z = min(max(s.Z+float32(in.Z)*speed/tickRate, -arena), arena)
	return s
}

type states struct{}

func (states) Write(w *packet.Writer, s state) {
	w.Float32(s.X)
	w.Float32(s.Z)
}

func (states) Read(r *packet.Reader) state {
	s := state{r.Float32(), r.Float32()}
	if !(math.Abs(float64(s.X)) < 1e4 && math.Abs(float64(s.Z)) < 1e4) {
		r.Fail(errors.New("soak: a runner out of the arena"))
	}
	return s
}

type inputs struct{}

func (inputs) Write(w *packet.Writer, in, _ input) {
	w.Int(int64(in.X), 2)
	w.Int(int64(in.Z), 2)
}

func (inputs) Read(r *packet.Reader, _ input) input {
	in := input{int8(r.Int(2)), int8(r.Int(2))}
	if in.X == -2 || in.Z == -2 {
		r.Fail(errors.New("soak: nobody runs that way"))
	}
	return in
}

func newProtocol(entities int) (*netcode.Protocol[state, input], error) {
	return netcode.NewProtocol(snapshot.Config{TickRate: tickRate, MaxEntities: entities, Velocity: snapshot.Range{Max: 64, Resolution: 1.0 / 32}},
		netcode.Game[state, input]{
			Step: step, States: states{}, Inputs: inputs{}, Tolerance: 1e-4, Snap: 5,
			Pose:     func(s state) components.Pose3D { return components.At3D(s.X, 0, s.Z) },
			Distance: func(a, b state) float64 { return math.Hypot(float64(a.X-b.X), float64(a.Z-b.Z)) },
		})
}
