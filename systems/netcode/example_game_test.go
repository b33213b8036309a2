package netcode_test

import (
	"errors"
	"math"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// The game of the examples and of docs/netcode.md.

type hero struct{ X, Z float32 }

type buttons struct {
	X, Z int8 `range:"-1,1"`
	Fire bool
}

func stepHero(h hero, in buttons, _ netcode.Tick) hero {
	const metresPerTick = 6.0 / 60
	h.X += float32(in.X) * metresPerTick
	h.Z += float32(in.Z) * metresPerTick
	return h
}

func poseHero(h hero) components.Pose3D { return components.At3D(h.X, 0, h.Z) }

// heroCodec and buttonsCodec write by hand the codecs that netcode.StructState and StructInput
// make.
type heroCodec struct{}

func (heroCodec) Write(w *netcode.Writer, h hero) {
	w.Float32(h.X)
	w.Float32(h.Z)
}

func (heroCodec) Read(r *netcode.Reader) hero {
	// it may come from anywhere; the result must be fit for stepHero
	h := hero{r.Float32(), r.Float32()}
	if !(math.Abs(float64(h.X)) < 1000 && math.Abs(float64(h.Z)) < 1000) { // refuses NaN, too
		r.Fail(errors.New("a hero out of this world"))
	}
	return h
}

type buttonsCodec struct{}

func (buttonsCodec) Write(w *netcode.Writer, in, _ buttons) {
	w.Int(int64(in.X), 2)
	w.Int(int64(in.Z), 2)
	w.Bool(in.Fire)
}

func (buttonsCodec) Read(r *netcode.Reader, _ buttons) buttons {
	in := buttons{int8(r.Int(2)), int8(r.Int(2)), r.Bool()}
	if in.X == -2 || in.Z == -2 {
		r.Fail(errors.New("nobody runs that way"))
	}
	return in
}

// health is a component of the game's own that is replicated to clients.
type health struct{ Points int32 }

type healthCodec struct{}

func (healthCodec) Quantize(h health) health { return h } // without loss

func (healthCodec) Encode(w *netcode.Writer, h health, _ *health) { w.Int(int64(h.Points), 32) }

func (healthCodec) Decode(r *netcode.Reader, _ *health) health { return health{int32(r.Int(32))} }

// The archetypes of entities.
const (
	kindHero = 7
	kindLift = 3
)

// liftPath moves up and down by 3 m, once in 4 s.
func liftPath(t netcode.Tick) components.Pose3D {
	return components.At3D(20, 3+3*float32(math.Sin(float64(t)*2*math.Pi/(4*60))), 0)
}

// A press counts once: it is not repeated when the next input is missing, and not lost when its own
// input arrives too late.
func repeatButtons(last buttons) buttons {
	last.Fire = false
	return last
}

func mergeButtons(into, late buttons) buttons {
	into.Fire = into.Fire || late.Fire
	return into
}
