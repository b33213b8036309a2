package view

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// hitFlash is the flash of a player that was hit.
type hitFlash struct {
	hits uint8
	at   time.Duration
	any  bool
}

// A player that moves further than this between two frames, and further than the top speed allows,
// has teleported: through a portal, or to a spawn point.
const (
	teleportDistance = 4.0
	topSpeed         = 15.0 // m/s
)

// noteTeleport marks the places where a player has vanished and appeared, so that others can follow
// the teleport.
func (c *Client) noteTeleport(v *object) {
	was, known := c.lastPositions[v.entity]
	c.lastPositions[v.entity] = v.pose.Position
	clock := c.engine.Time()
	if known && v.pose.Position.Sub(was).Len() > teleportDistance+topSpeed*float32(clock.RealDelta.Seconds()) {
		c.effects.add(effect{at: clock.Real, to: was, owner: v.rep.Owner, kind: teleports})
		c.effects.add(effect{at: clock.Real, to: v.pose.Position, owner: v.rep.Owner, kind: teleports})
	}
}

// step runs in every fixed step, after the netcode has written its entities.
func (c *Client) step(w *arche.World) {
	status, _ := c.net.Status()
	if status != netcode.Playing {
		return
	}
	me, playing := c.net.State()
	own := c.net.Entity()
	if playing && !own.IsZero() && c.set.Predict {
		c.ownEvents(me, own)
	}
	if c.config.Headless {
		return
	}
	now := c.engine.Time().Real
	query := w.Query(&c.filter)
	for query.Next() {
		e := query.Entity()
		if rep := c.replicated.Get(e); rep.Archetype == arena.ArchetypePlayer && w.Has(e, arche.ComponentID[arena.Pawn](w)) {
			c.noteHits(e, c.pawns.Get(e).Hits, now)
		}
	}
}

// ownEvents shows the own player's actions at once.
func (c *Client) ownEvents(me arena.State, own arche.Entity) {
	if me.Teleports != c.teleports {
		c.teleports = me.Teleports
		c.poses.Get(own).Teleport(me.Pose())
	}
	if me.Shots != c.shots {
		fired := me.Shots-c.shots < 128 // a correction may undo a shot
		c.shots = me.Shots
		if fired {
			shot := arena.ShotOf(me)
			c.effects.add(effect{at: c.engine.Time().Real, from: shot.At(0.6), to: shot.At(c.sight(shot)), owner: c.net.Number()})
		}
	}
}

// sight returns how far a shot flies in the picture.
func (c *Client) sight(shot arena.Shot) float32 {
	reach := shot.Reach(c.rules.Level)
	c.eachObject(func(v *object) {
		if v.rep.Archetype == arena.ArchetypePlayer && !v.own {
			if d, hit := shot.Hits(v.pose.Position, arena.HitRadius, arena.Height, reach); hit {
				reach = d
			}
		} else if v.rep.Archetype == arena.ArchetypeCrate {
			if d, hit := shot.Crate(v.pose.Position, reach); hit {
				reach = d
			}
		}
	})
	return reach
}

func (c *Client) noteHits(e arche.Entity, hits uint8, now time.Duration) {
	wd := c.hitFlashes[e]
	if wd == nil {
		c.hitFlashes[e] = &hitFlash{hits: hits}
		return
	}
	if hits != wd.hits {
		wd.hits, wd.at, wd.any = hits, now, true
	}
}

// receive handles a message from the server. An event is shown when the view of the other players
// reaches its time.
func (c *Client) receive(data []byte, _ bool) {
	if text, ok := arena.ReadNotice(data); ok {
		c.notice, c.noticeAt = text, c.engine.Time().Real
		return
	}
	e, ok := arena.ReadEvent(data)
	if !ok || e.Player == c.net.Number() && !e.Pushed && c.set.Predict {
		return
	}
	now := c.engine.Time().Real
	stats := c.net.Stats()
	if e.Player != c.net.Number() {
		now += max(stats.Delay-stats.RTT/2, 0)
	}
	kind := streak
	if e.Pushed {
		kind = pushes
	}
	c.effects.add(effect{at: now, to: e.To, owner: e.Player, kind: kind, fromMuzzle: !e.Pushed})
}
