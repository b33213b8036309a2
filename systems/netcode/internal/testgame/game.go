package testgame

import (
	"errors"
	"math"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// Speed is how fast a player runs, in metres per second along each axis.
const Speed = 6.0

// State is a player's position and its direction of view, in 4096ths of a turn.
type State struct {
	X, Z float32
	Yaw  uint16
}

// Input is a player's direction of motion and of view. X and Z are -1, 0 or 1.
type Input struct {
	X, Z int8
	Fire bool
	Yaw  uint16
}

// step returns the player's step function at a tick rate.
func step(rate int) func(s State, in Input, t netcode.Tick) State {
	dt := float32(1) / float32(rate)
	return func(s State, in Input, _ netcode.Tick) State {
		s.X += float32(in.X) * Speed * dt
		s.Z += float32(in.Z) * Speed * dt
		s.Yaw = in.Yaw
		return s
	}
}

// Pose returns the pose at which a player is drawn.
func Pose(s State) components.Pose3D { return components.At3D(s.X, 0, s.Z) }

// states packs a State into 76 bits.
type states struct{}

func (states) Write(w *netcode.Writer, s State) {
	w.Float32(s.X)
	w.Float32(s.Z)
	w.Bits(uint64(s.Yaw), 12)
}

func (states) Read(r *netcode.Reader) State {
	s := State{r.Float32(), r.Float32(), uint16(r.Bits(12))}
	if !(math.Abs(float64(s.X)) < 1e4 && math.Abs(float64(s.Z)) < 1e4) {
		r.Fail(errors.New("testgame: a player out of the world"))
	}
	return s
}

// inputs packs an Input into 5 bits plus the turn of the head to the next newer input.
type inputs struct{}

func (inputs) Write(w *netcode.Writer, in, newer Input) {
	w.Int(int64(in.X), 2)
	w.Int(int64(in.Z), 2)
	w.Bool(in.Fire)
	w.SignedGolomb(int64(in.Yaw)-int64(newer.Yaw), 4)
}

func (inputs) Read(r *netcode.Reader, newer Input) Input {
	in := Input{X: int8(r.Int(2)), Z: int8(r.Int(2)), Fire: r.Bool()}
	yaw := r.SignedGolomb(4) + int64(newer.Yaw)
	if in.X == -2 || in.Z == -2 || yaw < 0 || yaw > 4095 {
		r.Fail(errors.New("testgame: an input out of its range"))
		return Input{}
	}
	in.Yaw = uint16(yaw)
	return in
}

// NewProtocol returns the game's protocol for ticks per second and at most so many entities.
func NewProtocol(rate, entities int) (*netcode.Protocol[State, Input], error) {
	return netcode.NewProtocol(netcode.Config{
		TickRate: rate, MaxEntities: entities, Velocity: netcode.Range{Max: 64, Resolution: 1.0 / 16}, Angular: netcode.Range{Max: 32, Resolution: 1.0 / 16},
	}, netcode.Game[State, Input]{
		Step: step(rate), Pose: Pose, States: states{}, Inputs: inputs{}, Tolerance: 1e-4,
		Distance: func(a, b State) float64 { return math.Hypot(float64(a.X-b.X), float64(a.Z-b.Z)) },
		Rules:    netcode.InputRules[Input]{Merge: func(into, presses Input) Input { into.Fire = into.Fire || presses.Fire; return into }},
	})
}
