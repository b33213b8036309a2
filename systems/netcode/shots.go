package netcode

import (
	"fmt"
	"slices"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/pointerfree"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// Shots are entities that a player's step fires and whose path is known from the start: bullets,
// rockets, grenades. P is a component that holds what the path depends on, such as the muzzle and
// the direction. A player sees its own shot in the step of the press, and the server makes the same
// shot in the tick of that input.
//
// # On the server
//
// The plugin makes an entity with a Transform3D, Replicated (Archetype and Owner) and the component
// P in the step that fires, before gameplay, and with a Visual3D if the engine has an interpolator.
// In each step it puts the entity on its path. Gameplay tests hits along the way of the step, from
// the pose at its start to the pose at its end. It may replace P at any time (a bounce, an end),
// but not remove it: the new path holds from the beginning of that step on, and its ages count from
// the launch as before. Gameplay may despawn the entity. Where Path ends within a step the entity
// stands at that end for the rest of the step, and the next step despawns it. Cooldown and
// ammunition belong in S, where Game.Step refuses a shot.
//
// # On the shooter's client
//
// [ClientConfig].Spawn makes the entity in the step of the press, with [NoEntity] as its
// Replicated.ID. It is drawn at the own player's tick. When the server's record arrives, the same
// entity gets its ID: the owner, the tick and the number within the tick identify a shot. Since
// both ends quantise P by Codec, nothing moves then. If the record has another P, the picture is
// corrected as by Interpolator.Correct. A shot that the server has not fired is despawned as soon
// as the client knows that, through ClientConfig.Removed. A shot that only the server has fired
// appears where it is by then.
//
// # On other clients
//
// A shot appears when the view reaches its launch, and is drawn on its path at the time of the
// view, exactly, at any rate of snapshots. If the server despawns it, it flies on until the view
// reaches the first snapshot without it. Replace P by a path that ends at the hit to show it end
// there. Only a shot that is in flight in a snapshot is sent: others do not see a flight that is
// shorter than the interval of their snapshots and lies between two of them.
//
// # Hits
//
// A shot is drawn at the shooter's own tick, and its targets in the past. To hit what the shooter
// sees, test it in every tick of the flight against the poses that the owner's [Player.Rewind]
// returns in that tick. They are those of the beginning of the tick, when the shot begins its way
// of that step. A target that dodges is then hit up to ServerConfig.Rewind late, which suits
// flights below 0.3 s. Test slow shots against the present. The shooter learns of a hit a round
// trip later. Put walls into P: Fire may cast a ray against the level. A client may hide the mesh
// of a shot that seems to hit a player, but must not despawn the entity. Rewind goes back to the
// press, also with ClientConfig.InputDelay: targets are then as many ticks older than on the screen
// beside the shot.
//
// # Limits
//
// In the mode [OnArrival] a player has no tick in common with the server. Shots are then replicated
// like other entities, with poses, and their clients do not predict them. So are entities of the
// Archetype that the game makes itself, with P as a replicated component, which must stay.
// ServerConfig.Relevant has to show a shot to its owner. After a shift of the origin replace P by
// the shifted path, or the next step puts the shot back.
type Shots[S any, I comparable, P comparable] struct {
	// Archetype is the archetype of the entities.
	Archetype uint16
	// Fire calls launch for each shot that the step from before to after fires, with the input and
	// the tick of that step. Any shots beyond 8 in a tick are ignored. It depends on nothing but
	// its arguments and what Step may read, because a replay calls it again. It must not keep
	// launch. Required.
	Fire func(before, after S, in I, t Tick, launch func(P))
	// Path returns where a shot is age ticks after its tick began, in the world, and false when its
	// flight has ended, for good. A zero Rotation or Scale counts as left out: identity, 1. Age is
	// not negative and not whole in general. Path must accept any P that Codec reads, and its work
	// must not grow with the age. A pose with a number that is not finite ends the flight.
	// Required.
	Path func(p P, age float64) (components.Pose3D, bool)
	// Teleported reports whether the way of a step from one pose of a path to another is a jump, as
	// Game.Teleported does: a bullet through a gate. Nil means that no path jumps.
	Teleported func(before, after components.Pose3D) bool
	// Codec packs P. Nil: [StructComponent].
	Codec ComponentCodec[P]
}

// maxLaunches is the most shots of one archetype that a player fires in a tick.
const (
	launchBits  = 3
	maxLaunches = 1 << launchBits
)

// PredictShots makes the entities of an archetype shots. It also replicates their component P under
// the name. Call it in the same order on both ends, once for each archetype, with another P each
// time. It panics if something is missing or wrong, and when the protocol is in use already.
func PredictShots[P comparable, S any, I comparable](p *Protocol[S, I], name string, s Shots[S, I, P]) {
	if s.Fire == nil || s.Path == nil {
		panic("netcode: Shots need both Fire and Path")
	}
	if pointer := pointerfree.Pointer[P](); pointer != "" {
		panic(fmt.Sprintf("netcode: Shots of %T, which holds a pointer (%s); put an index or an array of fixed size in its place", *new(P), pointer))
	}
	if p.movers[s.Archetype] != nil || p.bodies != nil && p.bodies.has(s.Archetype) || p.hasShots(s.Archetype) {
		panic(fmt.Sprintf("netcode: archetype %d is used for shots and for a scripted mover, for bodies or for other shots; it can be only one of them", s.Archetype))
	}
	mustBeNewToShots[P](p)
	for _, m := range p.components {
		if _, same := m.(replicatedComponent[P]); same {
			panic(fmt.Sprintf("netcode: %T is replicated already; leave that to PredictShots", *new(P)))
		}
	}
	if s.Codec == nil {
		s.Codec = StructComponent[P]()
	}
	k := &shotKind[S, I, P]{Shots: s, handle: snapshot.Register(p.schema, name, shotCodec[P]{s.Codec})}
	p.shots = append(p.shots, anyShots[S, I]{archetype: s.Archetype, kind: k, server: k.server, client: k.client})
}

// mustBeNewToShots panics for a component type that shots replicate already.
func mustBeNewToShots[T comparable, S any, I comparable](p *Protocol[S, I]) {
	for _, k := range p.shots {
		if _, same := k.kind.(*shotKind[S, I, T]); same {
			panic(fmt.Sprintf("netcode: %T is the component of Shots already; use another type", *new(T)))
		}
	}
}

// hasShots reports whether the entities of an archetype are shots.
func (p *Protocol[S, I]) hasShots(archetype uint16) bool {
	return slices.ContainsFunc(p.shots, func(k anyShots[S, I]) bool { return k.archetype == archetype })
}

// anyShots are a protocol's shots of one archetype, without their type.
type anyShots[S any, I comparable] struct {
	archetype uint16
	kind      any // *shotKind
	server    func(s *Server[S, I]) serverShots[S, I]
	client    func(c *Client[S, I]) clientShots[S, I]
}

// shotKind is a protocol's shots of one archetype before there is a world.
type shotKind[S any, I comparable, P comparable] struct {
	Shots[S, I, P]
	handle snapshot.Component[shotRecord[P]]
}

// at returns the pose of a shot at an age, and whether it is in flight then.
func (k *shotKind[S, I, P]) at(p P, age float64) (components.Pose3D, bool) {
	pose, flies := k.Path(p, age)
	pose = pose.WithDefaults()
	return pose, flies && placed(pose)
}

// endHalvings bisects the step in which a flight ends: to a 4096th of it.
const endHalvings = 12

// along returns the pose of a shot at the end of the way from one age to another, and the share of
// that way which it flies: less than 1 if its flight ends there. It returns false if the flight had
// ended before.
func (k *shotKind[S, I, P]) along(p P, from, to float64) (pose components.Pose3D, share float64, flies bool) {
	if pose, flies = k.at(p, to); flies {
		return pose, 1, true
	}
	if pose, flies = k.at(p, from); !flies {
		return pose, 0, false
	}
	low, high := 0.0, 1.0
	for range endHalvings {
		middle := (low + high) / 2
		if there, flies := k.at(p, from+(to-from)*middle); flies {
			pose, low = there, middle
		} else {
			high = middle
		}
	}
	return pose, low, true
}

// shotRecord is a shot as it is sent.
type shotRecord[P comparable] struct {
	path  P
	tick  Tick  // in which it was launched
	since Tick  // from which on the path holds; the launch, or when gameplay replaced it
	n     uint8 // among the launches of the tick
	wide  bool  // its launch is more than 255 ticks ago, so that eight bits do not tell the tick
	plain bool  // it has poses and no ticks
}

// shotCodec packs records: eight bits of the tick and three of the number, and the path. A path
// that gameplay has replaced is sent with the tick from which it holds.
type shotCodec[P comparable] struct{ path ComponentCodec[P] }

func (c shotCodec[P]) Quantize(v shotRecord[P]) shotRecord[P] {
	v.path = c.path.Quantize(v.path)
	return v
}

func (c shotCodec[P]) Encode(w *Writer, v shotRecord[P], base *shotRecord[P]) {
	var path *P
	last := v.tick
	if base == nil {
		w.Bool(v.plain)
	} else {
		path, last = &base.path, base.since
	}
	if !v.plain {
		w.Bool(v.wide)
		if base == nil {
			w.Bits(uint64(v.tick), v.tickBits())
			w.Bits(uint64(v.n), launchBits)
		}
		w.Bool(v.since != last)
		if v.since != last {
			w.Bits(uint64(v.since), v.tickBits())
		}
	}
	c.path.Encode(w, v.path, path)
}

func (c shotCodec[P]) Decode(r *Reader, base *shotRecord[P]) (v shotRecord[P]) {
	var path *P
	if base == nil {
		v.plain = r.Bool()
	} else {
		v, path = *base, &base.path
	}
	if !v.plain {
		v.wide = r.Bool()
		if base == nil {
			v.tick = Tick(r.Bits(v.tickBits()))
			v.n = uint8(r.Bits(launchBits))
			v.since = v.tick
		}
		if r.Bool() {
			v.since = Tick(r.Bits(v.tickBits()))
		}
	}
	v.path = c.path.Decode(r, path)
	return v
}

func (v *shotRecord[P]) tickBits() uint {
	if v.wide {
		return 32
	}
	return 8
}

// Settle makes the ticks of a record whole, which has arrived in a snapshot of a tick. It
// implements [snapshot.Settler].
func (c shotCodec[P]) Settle(v shotRecord[P], at Tick) shotRecord[P] {
	if !v.plain {
		v.tick, v.since = v.whole(v.tick, at), v.whole(v.since, at)
	}
	return v
}

// whole returns a tick of the record, which has arrived in a snapshot of another one.
func (v *shotRecord[P]) whole(t, snapshot Tick) Tick {
	if !v.wide {
		t = snapshot.Add(-int(uint8(snapshot - t)))
	}
	if t.IsNewer(snapshot) { // no server sends that
		return snapshot
	}
	return t
}
