package rules

import (
	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// Border is a zone of a world, with the match of this zone on one side and all others on the other.
type Border interface {
	// Mine reports whether this zone simulates an entity. Another zone moves the others.
	Mine(e arche.Entity) bool
	// Inside reports whether a place is on the land of this zone.
	Inside(at mgl32.Vec3) bool
	// Send gives an event to the Receive of the match that has an entity.
	Send(to arche.Entity, event []byte)
	// Claim asks for an entity that a player of this zone pushes, from a distance.
	Claim(e arche.Entity, distance float32)
}

// reach is the distance of its middle at which a player claims a crate: it is this zone's when the
// player touches it.
const claimReach = 2.5

// foreign are the players of other zones that this one shows.
type foreign struct {
	filter  arche.CachedFilter
	parents arche.ID
	players []foreignPlayer
}

type foreignPlayer struct {
	entity   arche.Entity
	number   uint16
	platform mgl32.Vec3 // the position of the one that carries the player
	position mgl32.Vec3
}

// watchBorder makes the match one of a zone.
func (m *Match) watchBorder() {
	w := m.engine.World()
	players := arche.All(arche.ComponentID[arena.Pawn](w), arche.ComponentID[netcode.Replicated](w), arche.ComponentID[components.Transform3D](w))
	m.foreign.filter = w.Cache().Register(&players)
	m.foreign.parents = arche.ComponentID[components.Parent](w)
	// The zone has moved what is of others, and the server steps the bodies next.
	m.engine.AddAt(ecs.FixedUpdate, netcode.OrderNetwork-1, ecs.SystemFunc(m.lookOver))
}

// lookOver notes what is beyond the border.
func (m *Match) lookOver(w *arche.World) {
	alive := m.crates[:0]
	for _, e := range m.crates {
		if !w.Alive(e) {
			continue
		}
		alive = append(alive, e)
		if c := m.boxes.Get(e); !m.mine(e) {
			*c = arena.RestoreCrate(*c, m.poses.Get(e).Get())
		}
	}
	m.crates = alive
	m.foreign.players = m.foreign.players[:0]
	q := w.Query(&m.foreign.filter)
	for q.Next() {
		e := q.Entity()
		if m.mine(e) {
			continue
		}
		f := foreignPlayer{entity: e, number: (*netcode.Replicated)(q.Get(arche.ComponentID[netcode.Replicated](w))).Owner, position: m.poses.Get(e).Get().Position}
		if q.Has(m.foreign.parents) {
			if base := (*components.Parent)(q.Get(m.foreign.parents)).Entity; w.Alive(base) && has[components.Transform3D](w, base) {
				f.platform = m.poses.Get(base).Get().Position
				f.position = f.position.Add(f.platform)
			}
		}
		m.foreign.players = append(m.foreign.players, f)
	}
	m.server.Players(m.claimCrates)
}

// claimCrates claims the crates that a player is about to push.
func (m *Match) claimCrates(p *Player) {
	for _, e := range m.crates {
		if d := m.boxes.Get(e).Pos.Sub(p.State.Pos).Len(); d < claimReach {
			m.config.Border.Claim(e, d)
		}
	}
}

func has[T any](w *arche.World, e arche.Entity) bool { return w.Has(e, arche.ComponentID[T](w)) }

func (m *Match) mine(e arche.Entity) bool { return m.config.Border == nil || m.config.Border.Mine(e) }

// hasDoor reports whether this match opens a door.
func (m *Match) hasDoor(i int) bool {
	return m.config.Border == nil || m.config.Border.Inside(m.rules.Level.Doors[i].Shut.Center())
}

// Arrived takes a player that has come from another zone, or returned with a checkpoint.
func (m *Match) Arrived(p *Player) {
	known := &playerRecord{shots: p.State.Shots}
	if has[arena.Name](m.engine.World(), p.Entity) {
		known.name = m.names.Get(p.Entity).Text
	}
	m.players[p] = known
}

// Departed forgets a player that now plays in another zone.
func (m *Match) Departed(p *Player) { delete(m.players, p) }

// blow is what happens to an entity by something in another zone.
type blow struct {
	kind   uint8
	by     uint16 // the number of a player
	amount uint8  // damage, or points
	push   mgl32.Vec3
}

const (
	blowHit uint8 = iota
	blowThrow
	blowScore
	blowKinds
)

// pass sends a blow to the zone of an entity.
func (m *Match) pass(to arche.Entity, b blow) {
	var buf [20]byte
	w := netcode.NewWriter(buf[:])
	w.Bits(uint64(b.kind), 8)
	w.Bits(uint64(b.by), 16)
	w.Bits(uint64(b.amount), 8)
	for _, v := range b.push {
		w.Float32(v)
	}
	m.config.Border.Send(to, w.Bytes())
}

// Receive carries out what a match of another zone has passed on to an entity of this one.
func (m *Match) Receive(e arche.Entity, event []byte) {
	r := netcode.NewReader(event)
	b := blow{kind: uint8(r.Bits(8)), by: uint16(r.Bits(16)), amount: uint8(r.Bits(8))}
	for i := range b.push {
		b.push[i] = mgl32.Clamp(r.Float32(), -50, 50)
	}
	if r.Close() != nil || b.kind >= blowKinds || b.push != b.push {
		return
	}
	w := m.engine.World()
	if has[arena.Crate](w, e) {
		m.kick(e, b.push, 1.5)
		return
	}
	if !has[arena.Pawn](w, e) {
		return
	}
	if b.kind == blowScore {
		m.pawns.Get(e).Score += uint16(b.amount)
		return
	}
	m.server.Players(func(p *Player) {
		switch {
		case p.Entity != e:
		case b.kind == blowHit:
			m.wound(b.by, p, b.push, b.amount)
		default:
			lift(p, b.push)
		}
	})
}

// score gives points to a player, in whichever zone it is.
func (m *Match) score(by uint16, points uint8) {
	if p := m.server.Player(by); p != nil {
		if pawn := m.pawn(p); pawn != nil {
			pawn.Score += uint16(points)
		}
		return
	}
	for _, f := range m.foreign.players {
		if f.number == by {
			m.pass(f.entity, blow{kind: blowScore, amount: points})
		}
	}
}
