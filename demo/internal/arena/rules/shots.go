package rules

import (
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
)

// shoot decides a shot by the shooter's view.
func (m *Match) shoot(p *Player) {
	shot := arena.ShotOf(p.State)
	reach := m.rules.Reach(shot, m.server.Tick())
	var victim *Player
	var box *arena.Crate
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
			if d, hit := shot.Hits(feet, arena.HitRadius, arena.Height, reach); hit {
				victim, reach = other, d
			}
		})
		for _, e := range m.crates {
			if pose, ok := at(e); ok {
				if d, hit := shot.Crate(pose.Position, reach); hit {
					victim, box, reach = nil, m.boxes.Get(e), d
				}
			}
		}
	}
	if m.config.NoRewind {
		see(func(e arche.Entity) (components.Pose3D, bool) {
			if !m.engine.World().Alive(e) {
				return components.Pose3D{}, false
			}
			return m.poses.Get(e).Get(), true
		})
	} else {
		p.Rewind(see)
	}
	switch {
	case victim != nil:
		m.hit(p, victim, shot.Direction)
	case box != nil:
		box.Vel = box.Vel.Add(mgl32.Vec3{shot.Direction[0], 0, shot.Direction[2]}.Mul(crateHitSpeed))
		box.Spin += 2
		box.Awake = true
	}
	if m.config.Shot != nil {
		m.config.Shot(p, victim != nil)
	}
	m.broadcast(arena.Event{Player: p.Number(), To: shot.At(reach), Hit: victim != nil})
}

// platformPosition returns the position of the platform that carries a player; zero without one.
func (m *Match) platformPosition(p *Player) mgl32.Vec3 {
	i := int(p.State.Platform) - 1
	if i < 0 || i >= len(m.rules.Level.Platforms) {
		return mgl32.Vec3{}
	}
	return m.rules.Level.Platforms[i](m.rules.Seconds(m.server.Tick().Add(1)))
}

func (m *Match) hit(by, victim *Player, direction mgl32.Vec3) {
	pawn, shooter := m.pawn(victim), m.pawn(by)
	if pawn == nil || shooter == nil {
		return
	}
	pawn.Hits++
	shooter.Score++
	if pawn.Health > 1 {
		pawn.Health--
		victim.State.Vel = victim.State.Vel.Add(mgl32.Vec3{direction[0], 0, direction[2]}.Mul(hitSpeed))
		return
	}
	shooter.Score += 4
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
	away := func(pos mgl32.Vec3) mgl32.Vec3 {
		d := pos.Sub(center)
		d[1] = 0
		l := d.Len()
		if l < 1e-3 || l > pushRadius {
			return mgl32.Vec3{}
		}
		return d.Mul(pushSpeed * (1 - 0.5*l/pushRadius) / l)
	}
	m.server.Players(func(other *Player) {
		if v := away(other.State.Pos); other != p && v != (mgl32.Vec3{}) {
			other.State.Vel = other.State.Vel.Add(v)
			other.State.Vel[1] = max(other.State.Vel[1], 3)
			other.State.Grounded, other.State.Platform = false, 0
		}
	})
	for _, e := range m.crates {
		c := m.boxes.Get(e)
		if v := away(c.Pos); v != (mgl32.Vec3{}) {
			c.Vel, c.Awake = c.Vel.Add(v), true
			c.Spin += 1.5
		}
	}
	if m.config.Pushed != nil {
		m.config.Pushed(p)
	}
	m.broadcast(arena.Event{Player: p.Number(), Pushed: true, To: center})
}

// broadcast sends an event to all connected players.
func (m *Match) broadcast(e arena.Event) {
	m.message = e.Append(m.message[:0])
	m.server.Players(func(p *Player) {
		if p.Connected() {
			_ = p.SendUnreliable(m.message) // the event is only shown, so it may be lost
		}
	})
}
