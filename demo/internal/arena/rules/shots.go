package rules

import (
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena"
)

const (
	hitSpeed      = 3.5 // m/s added by a hit
	crateHitSpeed = 5.0
	pushSpeed     = 9.0

	// m and time by which a view may be behind when a player is sent to a spawn point
	voidRadius = 3.0
	voidTime   = 700 * time.Millisecond
)

// target is the first thing that a shot meets.
type target struct {
	body   arche.Entity // zero: nothing
	number uint16       // of the player that it is; 0: none
	victim *Player      // nil: no player, or one of another zone
	box    *arena.Crate // nil: no crate
	at     float32      // m along the shot
}

// trace returns what a shot of a player meets within reach, by the player's view.
func (m *Match) trace(p *Player, shot arena.Shot, radius, reach float32) target {
	met, by := target{at: reach}, uint16(0)
	if p != nil {
		by = p.Number()
	}
	see := func(at func(e arche.Entity) (components.Pose3D, bool)) {
		m.server.Players(func(other *Player) {
			if other == p {
				return
			}
			pose, ok := at(other.Entity)
			if !ok {
				return
			}
			feet := pose.Position.Add(m.platformPosition(other))
			if d, hit := shot.Hits(feet, radius, arena.Height, met.at); hit {
				met = target{body: other.Entity, number: other.Number(), victim: other, at: d}
			}
		})
		for _, f := range m.foreign.players {
			if pose, ok := at(f.entity); ok && f.number != by {
				if d, hit := shot.Hits(pose.Position.Add(f.platform), radius, arena.Height, met.at); hit {
					met = target{body: f.entity, number: f.number, at: d}
				}
			}
		}
		for _, e := range m.crates {
			if pose, ok := at(e); ok {
				if d, hit := shot.Crate(pose.Position, met.at); hit {
					met = target{body: e, box: m.boxes.Get(e), at: d}
				}
			}
		}
	}
	if p != nil && !m.config.NoRewind {
		p.Rewind(see)
		return met
	}
	see(func(e arche.Entity) (components.Pose3D, bool) {
		if !m.engine.World().Alive(e) {
			return components.Pose3D{}, false
		}
		return m.poses.Get(e).Get(), true
	})
	return met
}

// shoot decides a shot by the shooter's view.
func (m *Match) shoot(p *Player) {
	shot := arena.ShotOf(p.State)
	met := m.trace(p, shot, arena.HitRadius, m.rules.Reach(shot, m.server.Tick()))
	switch {
	case met.number != 0:
		m.hit(p.Number(), met, shot.Direction, 1)
	case met.box != nil:
		m.kick(met.body, mgl32.Vec3{shot.Direction[0], 0, shot.Direction[2]}.Mul(crateHitSpeed), 2)
	}
	if m.config.Shot != nil {
		m.config.Shot(p, met.number != 0)
	}
	m.broadcast(m.result(p, arena.ShotFired, p.State.Shots, met, shot))
}

// result returns the event of a shot or rocket that has met something, and reports it to its
// player. Only this message is reliable.
func (m *Match) result(p *Player, kind arena.EventKind, n uint8, met target, shot arena.Shot) arena.Event {
	e := arena.Event{Kind: kind, Player: p.Number(), N: n, Victim: met.number, To: shot.At(met.at), Void: m.void(p, shot)}
	m.message = e.Append(m.message[:0])
	if p.Connected() {
		_ = p.Send(m.message) // a player whose queue is full has no use for it
	}
	return e
}

// void reports whether a shot is one of a player, or at a player, that has just been sent to a
// spawn point.
func (m *Match) void(p *Player, shot arena.Shot) bool {
	for other, known := range m.players {
		if !known.void.IsNewer(m.server.Tick()) {
			continue
		}
		middle := known.left.Add(mgl32.Vec3{0, arena.Height / 2, 0})
		near := shot.At(max(middle.Sub(shot.From).Dot(shot.Direction), 0))
		if other == p || near.Sub(middle).Len() < voidRadius {
			return true
		}
	}
	return false
}

// platformPosition returns the position of the platform that carries a player; zero without one.
func (m *Match) platformPosition(p *Player) mgl32.Vec3 {
	i := int(p.State.Platform) - 1
	if i < 0 || i >= len(m.rules.Level.Platforms) {
		return mgl32.Vec3{}
	}
	return m.rules.Level.Platforms[i](m.rules.Seconds(m.server.Tick().Add(1)))
}

// hit hits the player that a shot of another one has met.
func (m *Match) hit(by uint16, met target, direction mgl32.Vec3, damage uint8) {
	if met.victim == nil {
		m.pass(met.body, blow{kind: blowHit, by: by, amount: damage, push: direction})
		return
	}
	m.wound(by, met.victim, direction, damage)
}

// wound hits a player of this match.
func (m *Match) wound(by uint16, victim *Player, direction mgl32.Vec3, damage uint8) {
	pawn := m.pawn(victim)
	if pawn == nil || !m.rules.RoundAt(m.server.Tick()).Fights() {
		return
	}
	pawn.Hits++
	points := damage
	if pawn.Health > damage {
		pawn.Health -= damage
		victim.State.Vel = victim.State.Vel.Add(mgl32.Vec3{direction[0], 0, direction[2]}.Mul(hitSpeed))
		m.score(by, points)
		return
	}
	m.score(by, points+4)
	m.server.Mark(fmt.Sprintf("beats player %d", victim.Number()), by)
	if known := m.players[victim]; known != nil {
		known.left, known.void = victim.State.Pos, m.server.Tick().Add(m.ticks(voidTime))
	}
	pawn.Health = arena.FullHealth
	state := victim.State
	state.Pos, state.Vel, state.Platform, state.Grounded = m.spawnPoint(), mgl32.Vec3{}, 0, true
	victim.Teleport(state)
}

// push throws everything near a player away. It does nothing if the player's last push is too
// recent.
func (m *Match) push(p *Player) {
	known := m.players[p]
	if known == nil {
		return
	}
	known.pushes = false
	now := uint64(m.server.Tick())
	if known.pushed != 0 && now-known.pushed < uint64(pushEvery*time.Duration(m.rules.Rate)/time.Second) {
		return
	}
	known.pushed = now
	center := p.State.Pos
	m.throw(center, pushRadius, p.Number(), 0)
	if m.config.Pushed != nil {
		m.config.Pushed(p)
	}
	m.broadcast(arena.Event{Player: p.Number(), Kind: arena.Pushed, To: center})
}

// throw throws everything near a place away, except for the players of two numbers.
func (m *Match) throw(center mgl32.Vec3, radius float32, except, too uint16) {
	away := func(pos mgl32.Vec3) mgl32.Vec3 {
		d := pos.Sub(center)
		d[1] = 0
		l := d.Len()
		if l < 1e-3 || l > radius {
			return mgl32.Vec3{}
		}
		return d.Mul(pushSpeed * (1 - 0.5*l/radius) / l)
	}
	m.server.Players(func(other *Player) {
		if v := away(other.State.Pos); other.Number() != except && other.Number() != too && v != (mgl32.Vec3{}) {
			lift(other, v)
		}
	})
	for _, f := range m.foreign.players {
		if v := away(f.position); f.number != except && f.number != too && v != (mgl32.Vec3{}) {
			m.pass(f.entity, blow{kind: blowThrow, push: v})
		}
	}
	for _, e := range m.crates {
		if v := away(m.boxes.Get(e).Pos); v != (mgl32.Vec3{}) {
			m.kick(e, v, 1.5)
		}
	}
}

// lift throws a player of this match.
func lift(p *Player, v mgl32.Vec3) {
	p.State.Vel = p.State.Vel.Add(v)
	p.State.Vel[1] = max(p.State.Vel[1], 3)
	p.State.Grounded, p.State.Platform = false, 0
}

// kick adds to a crate's speed and spin.
func (m *Match) kick(e arche.Entity, v mgl32.Vec3, spin float32) {
	if !m.mine(e) {
		m.pass(e, blow{kind: blowThrow, push: v})
		return
	}
	c := m.boxes.Get(e)
	c.Vel, c.Spin, c.Awake = c.Vel.Add(v), c.Spin+spin, true
}

// broadcast sends an event to all connected players, except to the one that result has told.
func (m *Match) broadcast(e arena.Event) {
	m.message = e.Append(m.message[:0])
	_ = m.server.Note(m.message) // events are small
	m.server.Players(func(p *Player) {
		if p.Connected() && (e.Kind == arena.Pushed || p.Number() != e.Player) {
			_ = p.SendUnreliable(m.message) // the event is only shown, so it may be lost
		}
	})
}
