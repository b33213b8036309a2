package netcode

import (
	"errors"
	"fmt"
	"math"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// Game is what a player is made of: a state S that his inputs I step forward, on the server and in
// his own client's prediction by the same function. States and inputs are copied by assignment, and
// old ones kept: what Step changes must lie in S itself, not behind a slice, a map or a pointer in
// it.
type Game[S any, I comparable] struct {
	// Step returns a player's state one tick later. It must depend on nothing but its arguments and
	// on what is a function of the tick (a moving platform), or predictions go wrong. Required.
	Step func(state S, in I, t Tick) S
	// Pose returns where a player in the state is, in his parent's frame. A zero Rotation or Scale
	// counts as left out: identity, 1. Required.
	Pose func(state S) components.Pose3D
	// MovementBase names what carries a player in the state, so that Pose is in its frame: a mover, or a
	// body. His entity becomes its child; Step takes the state from one frame to the other when it
	// boards and leaves. A body that carries the own player is predicted as long as it does, at any
	// distance. Where what carries him is destroyed, he stays where it was last until his state
	// names something else; a hierarchy.Hierarchy on the server then needs KeepOrphans, or his
	// entity goes with it. Nil: nothing ever does, and Pose is in the frame of a parent that the
	// server's entity has otherwise, if any.
	MovementBase func(state S) MovementBase
	// Distance tells how far a prediction was off, at least 0, in whatever unit; NaN for what makes
	// no sense. Up to Tolerance, in the same unit, it counts as right; zero corrects every
	// difference. What Distance leaves out is not corrected. Required.
	Distance  func(predicted, authoritative S) float64
	Tolerance float64
	// Snap is the Distance from which on a correction is drawn as a jump; zero means never.
	Snap float64
	// CorrectionSpeed is how fast, in units of length per second, a correction is made good in the
	// picture beside the player's own motion: so he is seen to be pushed, and not to leap. What is
	// short fades more slowly, by its half-life; what would take more than a second fades as fast
	// as it must. What he does is seen at once all the while. Zero means 3.
	CorrectionSpeed float32
	// States packs a player's own state, which goes to him alone in every snapshot, whole and
	// exact. What Read returns may come from anywhere and must be fit for Step. [StructState] makes
	// one. Required.
	States StateCodec[S]
	// Inputs packs inputs. What Read returns may come from a cheater: bound it there or in Step, or
	// who pushes a stick to 127 runs 127 times as fast. [StructInput] makes one. Required.
	Inputs InputCodec[I]
	// Rules make up inputs that are missing.
	Rules InputRules[I]
}

// StateCodec packs a player's state.
type StateCodec[S any] interface {
	// Write packs the state, exactly: what it rounds is taken for a misprediction. It fits a packet
	// with room to spare, say 500 bytes.
	Write(w *Writer, state S)
	// Read is the inverse. The bits may come from anywhere: it must not panic, and what it cannot
	// take for a state it reports with r.Fail.
	Read(r *Reader) S
}

// Protocol is what both ends agree on. Build it with the same calls on both; a hash of it is
// compared when a client joins. It is read-only once a server or client uses it, and may then be
// shared.
type Protocol[S any, I comparable] struct {
	game    Game[S, I]
	schema  *snapshot.Schema
	grid    Grid // of positions
	mirrors []componentKind
	bodies  *bodiesOf[S, I] // nil: none
	movers  map[uint16]func(t Tick) components.Pose3D
}

// NewProtocol returns a protocol for a game, or an error that says what is missing or wrong.
func NewProtocol[S any, I comparable](c Config, game Game[S, I]) (*Protocol[S, I], error) {
	if game.Step == nil || game.Pose == nil || game.Distance == nil || game.States == nil || game.Inputs == nil {
		return nil, errors.New("netcode: a Game needs all of Step, Pose, Distance, States and Inputs")
	}
	if game.Tolerance < 0 || math.IsNaN(game.Tolerance) || game.Snap < 0 || math.IsNaN(game.Snap) {
		return nil, fmt.Errorf("netcode: a Game's Tolerance (%v) and Snap (%v) must not be negative", game.Tolerance, game.Snap)
	}
	if game.CorrectionSpeed = or(game.CorrectionSpeed, 3); !(game.CorrectionSpeed > 0) {
		return nil, fmt.Errorf("netcode: a Game's CorrectionSpeed of %v; it must be positive, or 0 for 3 units of length per second", game.CorrectionSpeed)
	}
	schema, err := snapshot.NewSchema(c)
	if err != nil {
		return nil, err
	}
	game.Pose = withDefaults(game.Pose)
	return &Protocol[S, I]{game: game, schema: schema, grid: schema.Config().Position, movers: map[uint16]func(Tick) components.Pose3D{}}, nil
}

// withDefaults makes a function of poses complete them; see [components.Pose3D.WithDefaults].
func withDefaults[A any](pose func(A) components.Pose3D) func(A) components.Pose3D {
	return func(a A) components.Pose3D { return pose(a).WithDefaults() }
}

// SetScriptedMover says that all entities of a kind follow a path that is a function of the tick:
// platforms, doors, the sun. The server moves them by it and sends no motion, and clients draw them
// at the tick at which they draw their own player, so that he does not stand beside the platform
// that carries him.
func (p *Protocol[S, I]) SetScriptedMover(kind uint16, path func(t Tick) components.Pose3D) {
	if path == nil {
		panic("netcode: SetScriptedMover without a path; pass a function of the tick")
	}
	if p.bodies != nil && p.bodies.has(kind) {
		panic(fmt.Sprintf("netcode: kind %d is a mover and a body; it can be only one of them", kind))
	}
	p.movers[kind] = withDefaults(path)
}

// TickRate returns the rate of both engines in steps per second.
func (p *Protocol[S, I]) TickRate() int { return p.schema.Config().TickRate }
