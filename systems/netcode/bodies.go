package netcode

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// Bodies configures entities that players push around, and that push back: crates, balls, doors.
// The server steps all of them together with all players. A client steps those near its own player
// together with it, ahead of the server, by the same function, so that a body reacts in the tick in
// which the player touches it. Farther bodies are interpolated like other entities.
//
// A body is an entity of one of the Archetypes that has the component B beside its Transform3D and
// Replicated, and no parent: an entity with a parent is cargo, which is not stepped. The server's
// plugin steps the components and writes the poses. Gameplay may change a component afterwards, in
// FixedUpdate (a kick, a shot). A body that gameplay lets jump needs a Teleport of its Transform3D
// in the same step; for one that jumps in Step there is Teleported. Clients' replicas have the
// component too: the predicted state, or else the server's state at the time of the view.
//
// # Cost
//
// While predictions are right a client runs one step of the group per tick. A wrong prediction is
// replayed, at most once in a fixed step however many packets arrive: over the ticks of the round
// trip and the lead (64 at most), with at most Max bodies each. Nothing is allocated. The bandwidth
// is what Codec writes, for bodies that changed.
//
// # Limits
//
// The present inputs of other players are not available before they arrive. With ProxyState,
// players near the own player are predicted like it, from their last received poses and by their
// last inputs, which the server sends. This lasts for half a second at most, after which they have
// the neutral input. A player that changes its input is predicted wrongly until the new input
// arrives, and is corrected then. Without ProxyState bodies are predicted as if there were no other
// players. In the mode [OnArrival] a player has no tick in common with bodies, and clients
// interpolate all of them.
type Bodies[S any, I comparable, B comparable] struct {
	// Archetypes are the archetypes of the bodies. Required.
	Archetypes []uint16
	// Step takes the group to the end of tick t. The Game's Step has run for each of its players,
	// which push and are pushed back. Step must depend on nothing but its arguments and functions
	// of the tick. On a client the group is a part of the server's. Step must accept any state that
	// Codec reads, and keep no reference to the group. Required.
	Step func(g *BodyGroup[S, I, B], t Tick)
	// Pose returns the world pose of a body in the state. A zero Rotation or Scale counts as left
	// out: identity, 1. Required.
	Pose func(body B) components.Pose3D
	// Teleported reports whether a step of a body from one world pose to another is a jump, as
	// Game.Teleported does for a player: a ball through a gate. A correction whose ends are so is
	// drawn as a jump, too. Nil means that no step jumps.
	Teleported func(before, after components.Pose3D) bool
	// ProxyState makes the state of another player from its world pose, its velocity in units of
	// length per second, and its last received input. From then on Game.Step and Step move it with
	// the bodies. It returns false for an entity that is no player. It must accept any values. Nil
	// means that predictions leave other players out.
	ProxyState func(r Replicated, pose components.Pose3D, velocity mgl32.Vec3, in I) (S, bool)
	// ShareInput returns the part of an input that others receive, if there is a ProxyState. Leave
	// out of it everything that moves neither a player nor a body, such as the aim; that part costs
	// nothing then. Nil means all of it.
	ShareInput func(in I) I
	// Codec packs a body's state for all clients that may receive it. The bits that Decode reads
	// may come from anywhere; its result must be fit for Step. Required.
	Codec ComponentCodec[B]
	// Restore completes a decoded state from the entity's pose, which is replicated anyway, with
	// the fields that Codec leaves out. Nil means that there are none.
	Restore func(body B, pose components.Pose3D) B
	// Distance returns by how much a prediction was wrong, at least 0, in units of length, or NaN
	// for invalid values. Up to Tolerance the prediction counts as right. Choose Tolerance above
	// the quantum of Codec and poses. Distance is required.
	Distance  func(predicted, authoritative B) float64
	Tolerance float64
	// Snap is the least Distance at which a correction is drawn as a jump; zero means never.
	Snap float64
	// Near is the distance to the own player up to which a body is predicted. Leave is the distance
	// beyond which it is interpolated again (zero: Near * 1.3). Both are in units of length. Near
	// has to cover all bodies that may touch the player, also by way of other bodies, in the half
	// second after they come into view. Near is required.
	Near, Leave float32
	// Max is the most bodies predicted at once, the nearest ones; zero means 16, at most 256.
	Max int
}

// PredictBodies makes entities of some archetypes bodies. It also replicates their component B
// under the name, as [ReplicateComponent] does: call both in the same order on both ends. It panics
// if something is missing or wrong, for a second call, and when the protocol is in use already.
func PredictBodies[B comparable, S any, I comparable](p *Protocol[S, I], name string, b Bodies[S, I, B]) {
	switch {
	case p.bodies != nil:
		panic("netcode: a second call of PredictBodies; put all bodies into one type, since one function steps them together")
	case len(b.Archetypes) == 0 || b.Step == nil || b.Pose == nil || b.Codec == nil || b.Distance == nil:
		panic("netcode: Bodies need all of Archetypes, Step, Pose, Codec, Distance and Near")
	case b.Leave == 0:
		b.Leave = b.Near * 1.3
	}
	if !(b.Near > 0) || !(b.Leave >= b.Near) || !(b.Tolerance >= 0) || !(b.Snap >= 0) || b.Max < 0 || b.Max > prediction.MaxBodies {
		panic(fmt.Sprintf("netcode: Bodies with Near %v, Leave %v, Tolerance %v, Snap %v, Max %d; Near must be positive, Leave not below it, Tolerance and Snap not negative, Max 0 to %d",
			b.Near, b.Leave, b.Tolerance, b.Snap, b.Max, prediction.MaxBodies))
	}
	for _, kind := range b.Archetypes {
		if p.movers[kind] != nil {
			panic(fmt.Sprintf("netcode: archetype %d is a scripted mover and a body; it can be only one of them", kind))
		}
		if p.hasShots(kind) {
			panic(fmt.Sprintf("netcode: archetype %d is a shot and a body; it can be only one of them", kind))
		}
	}
	b.Pose = withDefaults(b.Pose)
	kind := &bodiesKind[S, I, B]{config: b, handle: replicate(p, name, b.Codec)}
	if b.ProxyState != nil {
		kind.inputs = snapshot.Register(p.schema, name+"'s pushers", sharedCodec[I]{p.game.Inputs})
	}
	p.bodies = &bodiesOf[S, I]{has: kind.has, near: b.Near, leave: b.Leave, server: kind.server, client: kind.client}
}

// bodiesOf is a protocol's bodies without their type parameter.
type bodiesOf[S any, I comparable] struct {
	has    func(kind uint16) bool
	near   float32 // as in Bodies
	leave  float32
	server func(s *Server[S, I]) serverBodies
	client func(c *Client[S, I], own *prediction.Predictor[S, I], number uint16) clientBodies
}

// bodiesKind is a protocol's bodies before there is a world.
type bodiesKind[S any, I comparable, B comparable] struct {
	config Bodies[S, I, B]
	handle snapshot.Component[B]
	inputs snapshot.Component[I] // of players, with ProxyState
}

func (b *bodiesKind[S, I, B]) has(kind uint16) bool {
	return slices.Contains(b.config.Archetypes, kind)
}

func finite(v mgl32.Vec3) bool {
	for _, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return false
		}
	}
	return true
}

// placed reports whether all numbers of a pose are finite.
func placed(p components.Pose3D) bool {
	return finite(p.Position) && finite(p.Rotation.V) && finite(mgl32.Vec3{p.Rotation.W}) && finite(p.Scale)
}
