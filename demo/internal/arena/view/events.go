package view

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// wound is the flash of somebody hit.
type wound struct {
	hits uint8
	at   time.Duration
	any  bool
}

// Whoever is that many metres away in the next picture, and more than he can go meanwhile, has come
// through a portal or was sent back.
const (
	far   = 4.0
	fleet = 15.0 // m/s
)

// noteJump marks where a player has vanished and where he appears: else nobody would see where he
// went.
func (s *Seat) noteJump(v *thing) {
	was, known := s.drawn[v.entity]
	s.drawn[v.entity] = v.pose.Position
	clock := s.engine.Time()
	if known && v.pose.Position.Sub(was).Len() > far+fleet*float32(clock.RealDelta.Seconds()) {
		s.effects.add(effect{at: clock.Real, to: was, owner: v.rep.Owner, kind: jumps})
		s.effects.add(effect{at: clock.Real, to: v.pose.Position, owner: v.rep.Owner, kind: jumps})
	}
}

// system runs in every fixed step, when the net system has written what it knows.
type system struct{ s *Seat }

func (y *system) Initialize(*arche.World) {}
func (y *system) Finalize(*arche.World)   {}
func (y *system) Name() string            { return "arena view" }
func (y *system) Update(w *arche.World) {
	s := y.s
	status, _ := s.client.Status()
	if status != netcode.Playing {
		return
	}
	me, playing := s.client.State()
	own := s.client.Entity()
	if playing && !own.IsZero() && s.on.Predict {
		s.ownEvents(me, own)
	}
	if s.config.Blind {
		return
	}
	now := s.engine.Time().Real
	query := w.Query(&s.filter)
	for query.Next() {
		e := query.Entity()
		if rep := s.replicated.Get(e); rep.Archetype == arena.KindPlayer && w.Has(e, arche.ComponentID[arena.Pawn](w)) {
			s.noteHits(e, s.pawns.Get(e).Hits, now)
		}
	}
}

// ownEvents shows at once what the own player has done.
func (s *Seat) ownEvents(me arena.State, own arche.Entity) {
	if me.Warps != s.warps {
		s.warps = me.Warps
		s.poses.Get(own).Teleport(me.Pose())
	}
	if me.Shots != s.shots {
		fired := me.Shots-s.shots < 128 // a correction may take a shot back
		s.shots = me.Shots
		if fired {
			shot := arena.ShotOf(me)
			s.effects.add(effect{at: s.engine.Time().Real, from: shot.At(0.6), to: shot.At(s.sight(shot)), owner: s.client.Number()})
		}
	}
}

// sight is how far a shot flies in the picture.
func (s *Seat) sight(shot arena.Shot) float32 {
	reach := shot.Reach(s.rules.Level)
	s.eachView(func(v *thing) {
		if v.rep.Archetype == arena.KindPlayer && !v.own {
			if d, hit := shot.Hits(v.pose.Position, arena.HitRadius, arena.Height, reach); hit {
				reach = d
			}
		} else if v.rep.Archetype == arena.KindCrate {
			if d, hit := shot.Crate(v.pose.Position, reach); hit {
				reach = d
			}
		}
	})
	return reach
}

func (s *Seat) noteHits(e arche.Entity, hits uint8, now time.Duration) {
	wd := s.hurt[e]
	if wd == nil {
		s.hurt[e] = &wound{hits: hits}
		return
	}
	if hits != wd.hits {
		wd.hits, wd.at, wd.any = hits, now, true
	}
}

// hear takes events from the server. They are shown when the picture of the others has come to
// them.
func (s *Seat) hear(data []byte, _ bool) {
	if text, ok := arena.ReadNotice(data); ok {
		s.notice, s.noted = text, s.engine.Time().Real
		return
	}
	e, ok := arena.ReadEvent(data)
	if !ok || e.Player == s.client.Number() && !e.Pushed && s.on.Predict {
		return
	}
	now := s.engine.Time().Real
	stats := s.client.Stats()
	if e.Player != s.client.Number() {
		now += max(stats.Delay-stats.RTT/2, 0)
	}
	kind := streak
	if e.Pushed {
		kind = pushes
	}
	s.effects.add(effect{at: now, to: e.To, owner: e.Player, kind: kind, find: !e.Pushed})
}
