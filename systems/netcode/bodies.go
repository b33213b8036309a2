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

// Bodies are entities that players push around, and that push back: crates, balls, doors. The
// server steps all of them together with all players; a client steps those near his own player
// together with him, ahead of the server, by the same function, so that what he touches answers in
// the tick in which he touches it. What is farther away is interpolated like other entities.
//
// A body is an entity of one of the Kinds that has the component B beside its Transform3D and
// Replicated, and no parent: while it has one it is cargo, which nothing steps. The server's plugin
// steps the components and writes the poses; gameplay may change a component afterwards, in
// FixedUpdate (a kick, a shot). A body that jumps needs a Teleport of its Transform3D in the same
// step. Clients' replicas have the component too: the predicted state, or else the server's, of the
// moment that the picture shows.
//
// # Cost
//
// While predictions are right a client runs one step of the group per tick. A wrong one is
// replayed, at most once in a fixed step however many packets came: at most as many ticks as the
// round trip and the lead have (64 at most), with at most Max bodies each. Nothing is allocated.
// Bandwidth: what Codec writes, for bodies that changed.
//
// # Limits
//
// What other players do now is not known before the news of it comes. With a StandIn, those near
// the own player are predicted like him, from where they were seen last and by the input that they
// gave last, which the server tells: for half a second at most, after which they let go. Who
// changes his mind is predicted wrongly until the news of it comes, and then put right. Without a
// ProxyState bodies are predicted as if there were nobody else. Where inputs run on arrival
// ([ServerConfig].Immediate) a player has no tick to share with bodies, and clients interpolate
// them all.
type Bodies[S any, I comparable, B comparable] struct {
	// Archetypes are the kinds of the entities that are bodies. Required.
	Archetypes []uint16
	// Step brings the group to the end of tick t. The game's own Step has run for each of its
	// players, who are there to push and to be pushed back. It must depend on nothing but its
	// arguments and on what is a function of the tick: on a client the group is a part of the
	// server's. It must cope with any state that Codec reads, and keep no reference to the group.
	// Required.
	Step func(g *BodyGroup[S, I, B], t Tick)
	// Pose returns where a body in the state is, in the world. A zero Rotation or Scale counts as
	// left out: identity, 1. Required.
	Pose func(body B) components.Pose3D
	// ProxyState makes a player's state of what is known of another one: of his pose in the world, his
	// velocity in units of length per second, and the last input that he is known to have given.
	// From there on Game.Step and Step move him with the bodies. It reports false for what is no
	// player. It must be fit for whatever travels. Nil: others are in nobody's way.
	ProxyState func(r Replicated, pose components.Pose3D, velocity mgl32.Vec3, in I) (S, bool)
	// ShareInput returns what others are told of an input, if there is a StandIn: leave out of it what
	// moves neither a player nor a body, such as where he aims, and it costs nothing. Nil: all of
	// it.
	ShareInput func(in I) I
	// Codec packs a body's state, for all who may know of it. What Decode returns may come from
	// anywhere and must be fit for Step. Required.
	Codec ComponentCodec[B]
	// Restore puts into a state that has travelled what its Codec leaves out, because the entity's
	// pose travels anyway. Nil: nothing.
	Restore func(body B, pose components.Pose3D) B
	// Distance tells how far a prediction was off, at least 0, in units of length, NaN for what
	// makes no sense; up to Tolerance it counts as right, to be chosen above the quantum of Codec
	// and poses. Distance is required.
	Distance  func(predicted, authoritative B) float64
	Tolerance float64
	// Snap is the distance in units of length from which on a correction is drawn as a jump; zero
	// means never.
	Snap float64
	// Near is how near to the own player a body is predicted, Leave how far away it has to be to be
	// interpolated again (zero: Near * 1.3), both in units of length. Near has to cover what may
	// touch him, by way of other bodies too, in the half second after it comes into view. Required.
	Near, Leave float32
	// Max is how many are predicted at once, the nearest; zero means 16, at most 256.
	Max int
}

// PredictBodies makes the entities of some kinds bodies. Call it on both ends, in the same order as calls
// of [ReplicateComponent], of which it is one: the name stands for B at the handshake. It panics for what is
// missing or wrong, for a second call, and when the protocol is in use already.
func PredictBodies[B comparable, S any, I comparable](p *Protocol[S, I], name string, b Bodies[S, I, B]) snapshot.Component[B] {
	switch {
	case p.bodies != nil:
		panic("netcode: a second Predict; put all bodies into one type, since one function steps them together")
	case len(b.Archetypes) == 0 || b.Step == nil || b.Pose == nil || b.Codec == nil || b.Distance == nil:
		panic("netcode: Bodies need all of Kinds, Step, Pose, Codec, Distance and Near")
	case b.Leave == 0:
		b.Leave = b.Near * 1.3
	}
	if !(b.Near > 0) || !(b.Leave >= b.Near) || !(b.Tolerance >= 0) || !(b.Snap >= 0) || b.Max < 0 || b.Max > prediction.MaxBodies {
		panic(fmt.Sprintf("netcode: Bodies with Near %v, Leave %v, Tolerance %v, Snap %v, Max %d; Near must be positive, Leave not below it, Tolerance and Snap not negative, Max 0 to %d",
			b.Near, b.Leave, b.Tolerance, b.Snap, b.Max, prediction.MaxBodies))
	}
	for _, kind := range b.Archetypes {
		if p.movers[kind] != nil {
			panic(fmt.Sprintf("netcode: kind %d is a mover and a body; it can be only one of them", kind))
		}
	}
	b.Pose = withDefaults(b.Pose)
	handle := ReplicateComponent(p, name, b.Codec)
	kind := &bodiesKind[S, I, B]{config: b, handle: handle}
	if b.ProxyState != nil {
		kind.inputs = snapshot.Register(p.schema, name+"'s pushers", sharedCodec[I]{p.game.Inputs})
	}
	p.bodies = &bodiesOf[S, I]{has: kind.has, server: kind.server, client: kind.client}
	return handle
}

// bodiesOf is a protocol's bodies without their type.
type bodiesOf[S any, I comparable] struct {
	has    func(kind uint16) bool
	server func(s *Server[S, I]) serverBodies
	client func(c *Client[S, I], own *prediction.Predictor[S, I], number uint16) clientBodies
}

// bodiesKind is what a protocol knows of bodies before there is a world.
type bodiesKind[S any, I comparable, B comparable] struct {
	config Bodies[S, I, B]
	handle snapshot.Component[B]
	inputs snapshot.Component[I] // of players, with a StandIn
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

// placed reports whether a pose is somewhere.
func placed(p components.Pose3D) bool {
	return finite(p.Position) && finite(p.Rotation.V) && finite(mgl32.Vec3{p.Rotation.W})
}
