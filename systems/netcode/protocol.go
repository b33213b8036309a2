package netcode

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// Game defines the players: their state S, and the function that steps it by inputs I, on the
// server and in the prediction of the player's own client. States and inputs are copied by
// assignment, and old ones are kept: everything that Step changes must lie in S itself, not behind
// a slice, a map or a pointer in it.
type Game[S any, I comparable] struct {
	// Step returns a player's state one tick later. It must depend on nothing but its arguments,
	// functions of the tick (a moving platform), and each [MatchState] at tick t, or predictions
	// are wrong. If it returns a state that holds a NaN, or whose Pose is not finite, both ends
	// keep the state before, and log it once: the player moves on with the next input. Required.
	Step func(state S, in I, t Tick) S
	// Pose returns the pose of a player in the state, in its parent's frame. A zero Rotation or
	// Scale counts as left out: identity, 1. Required.
	Pose func(state S) components.Pose3D
	// MovementBase names the scripted mover or the body that carries a player in the state; Pose is
	// in its frame. The player's entity becomes its child. Step takes the state from one frame to
	// the other when the player enters and leaves. A body that carries the own player is predicted
	// as long as it does, at any distance. If the base is removed, the player stays in its last
	// frame until the state names another one; a hierarchy.Hierarchy on the server then needs
	// KeepOrphans, or the player's entity is despawned with the base. Nil means that nothing
	// carries players, and Pose is in the frame of the parent that the server's entity has, if any.
	MovementBase func(state S) MovementBase
	// Teleported reports whether a step from one pose to another is a jump and no motion: Step has
	// wrapped the player round the map, or led it through a gate. Every screen then draws the
	// player at one end or at the other, with what is attached to it, and never in between. It goes
	// on with its velocity, turned as the pose is. Nothing is corrected, since both ends of the
	// connection take the same step.
	//
	// Both poses are in the same frame, that of the player's base after the step. A comparison of
	// distances does: farther apart than a step can lead. A correction between two poses of a tick
	// that are so in either order is drawn as a jump, too. Nil means that no step jumps. For a jump
	// that only the server makes, such as a respawn, see [Player.Teleport].
	Teleported func(before, after components.Pose3D) bool
	// Distance returns by how much a prediction was wrong, at least 0, in any unit, or NaN for
	// invalid values. Up to Tolerance, in the same unit, the prediction counts as right; zero
	// corrects every difference. A field that Distance leaves out is not corrected.
	//
	// Nil means the largest difference of any floating-point number in S, and infinity if anything
	// else differs (a count, a flag), which Snap, if set, draws as a jump. Then a Tolerance of zero
	// means 0.001: a millimetre, if S counts in metres. S must be a type for [StructState].
	Distance  func(predicted, authoritative S) float64
	Tolerance float64
	// Snap is the least Distance at which a correction is drawn as a jump; zero means never.
	Snap float64
	// CorrectionSpeed is the speed, in units of length per second, at which the drawn pose follows
	// a correction, in addition to the player's own motion, so that the player seems to be pushed
	// and does not jump. A short correction fades more slowly, by its half-life. A correction that
	// would take more than a second fades within one. The player's own actions are shown at once.
	// Zero means 3.
	CorrectionSpeed float32
	// States packs a player's own state, which only that player receives, whole and exact, in every
	// snapshot. The bits that Read reads may come from anywhere; its result must be fit for Step.
	// Nil: [StructState].
	States StateCodec[S]
	// Inputs packs inputs. An input may come from a cheater: bound it in Read or in Step, or a
	// stick at 127 makes a player 127 times as fast. Nil: [StructInput].
	Inputs InputCodec[I]
	// Rules replace missing inputs.
	Rules InputRules[I]
}

// StateCodec packs a player's state.
type StateCodec[S any] interface {
	// Write packs the state exactly: a rounded value counts as a misprediction. The result must fit
	// into a packet beside other contents: at most about 500 bytes.
	Write(w *Writer, state S)
	// Read is the inverse. The bits may come from anywhere: it must not panic, and reports bits
	// that are no state with r.Fail.
	Read(r *Reader) S
}

// Protocol holds what both ends of a game agree on. Build it by the same calls on both. When a
// client joins, the server compares Config.Version, a hash of the other fields of [Config] and of
// the match states, hashes of the components' names in their order, and hashes of the names and
// fields of each [Message]. It does not compare functions such as Step, codecs and the layouts of
// other structs: change the Version with those. It is read-only once a server or client uses it,
// and may then be shared, unless it has a [MatchState] or a [Message] that both ends use at once.
type Protocol[S any, I comparable] struct {
	game   Game[S, I]
	finite func(S) bool // whether a state may be shown
	// Game.Step, which keeps a state that has no finite next one
	step       func(S, I, Tick) (S, bool)
	schema     *snapshot.Schema
	grid       Grid           // of positions
	ticks      clocksync.Grid // of both engines
	components []componentKind
	messages   []messageKind
	bodies     *bodiesOf[S, I] // nil: none
	movers     map[uint16]*scriptedMover
	shots      []anyShots[S, I]

	names func(d *snapshot.Decoder, id EntityID) uint64 // of ReplicateName; nil: none

	matchStates []matchState
	matchBytes  int         // of the values of all of them
	used        atomic.Bool // by a server or a client
}

// NewProtocol returns a protocol for a game, or an error that states what is missing or wrong.
func NewProtocol[S any, I comparable](c Config, game Game[S, I]) (*Protocol[S, I], error) {
	if game.Step == nil || game.Pose == nil {
		return nil, errors.New("netcode: a Game needs both Step and Pose")
	}
	if game.States == nil {
		game.States = StructState[S]()
	}
	if game.Inputs == nil {
		game.Inputs = StructInput[I]()
	}
	if game.Distance == nil {
		var err error
		if game.Distance, err = structDistance[S](); err != nil {
			return nil, err
		}
		game.Tolerance = cmp.Or(game.Tolerance, defaultTolerance)
	}
	if game.Tolerance < 0 || math.IsNaN(game.Tolerance) || game.Snap < 0 || math.IsNaN(game.Snap) {
		return nil, fmt.Errorf("netcode: a Game's Tolerance (%v) and Snap (%v) must not be negative", game.Tolerance, game.Snap)
	}
	if game.CorrectionSpeed = cmp.Or(game.CorrectionSpeed, 3); !(game.CorrectionSpeed > 0) {
		return nil, fmt.Errorf("netcode: a Game's CorrectionSpeed of %v; it must be positive, or 0 for 3 units of length per second", game.CorrectionSpeed)
	}
	schema, err := snapshot.NewSchema(c)
	if err != nil {
		return nil, err
	}
	ticks, err := clocksync.NewGrid(schema.Config().TickRate)
	if err != nil {
		return nil, err
	}
	game.Pose = withDefaults(game.Pose)
	p := &Protocol[S, I]{game: game, schema: schema, grid: schema.Config().Position, ticks: ticks, movers: map[uint16]*scriptedMover{}}
	p.keepFinite()
	return p, nil
}

// withDefaults makes a function of poses complete them; see [components.Pose3D.WithDefaults].
func withDefaults[A any](pose func(A) components.Pose3D) func(A) components.Pose3D {
	return func(a A) components.Pose3D { return pose(a).WithDefaults() }
}

// TickRate returns the rate of both engines in steps per second.
func (p *Protocol[S, I]) TickRate() int { return p.schema.Config().TickRate }
