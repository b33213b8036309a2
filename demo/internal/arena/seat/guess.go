package seat

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// guess is a crate that the own player has touched: it is simulated here at once by the server's own rules, until the server's news of it have had the time to come.
// What is left of a difference then fades.
type guess struct {
	arena.Crate
	until time.Duration // real time
}

// rider is another player on a platform. He is known as of a while ago, the platform is drawn as of the own player's tick, a while ahead; so he is
// drawn where he stood on it.
type rider struct {
	weight float32
	on     int // the platform's index
}

// wound is the red flash of somebody hit.
type wound struct {
	hits uint8
	at   time.Duration
	any  bool
}

// system runs in every fixed step, when the net system has written what it knows.
type system struct{ s *Seat }

func (y *system) Initialize(*arche.World) {}
func (y *system) Finalize(*arche.World)   {}
func (y *system) Name() string            { return "arena seat" }
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
	stats := s.client.Stats()
	now := s.engine.Time().Real
	behind := stats.Delay + stats.Lead
	query := w.Query(&s.filter)
	for query.Next() {
		if i := int(s.replicated.Get(query.Entity()).Kind) - int(arena.KindPlatform); i >= 0 && i < len(s.lifts) {
			s.lifts[i] = s.poses.Get(query.Entity()).Get().Position
		}
	}
	query = w.Query(&s.filter)
	for query.Next() {
		e := query.Entity()
		switch rep := s.replicated.Get(e); {
		case rep.Kind == arena.KindCrate:
			s.guessCrate(e, me, playing && s.on.Predict, now, behind)
		case rep.Kind == arena.KindPlayer && e != own:
			s.ride(e)
		case rep.Kind == arena.KindPlayer && e == own:
			if o := s.offsets.Get(e); o.Get() != (mgl32.Vec3{}) {
				o.Set(mgl32.Vec3{})
			}
		}
		if rep := s.replicated.Get(e); rep.Kind == arena.KindPlayer && w.Has(e, arche.ComponentID[arena.Pawn](w)) {
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
	s.eachView(func(v *view) {
		if v.rep.Kind == arena.KindPlayer && !v.own {
			if d, hit := shot.Hits(v.pose.Position, arena.HitRadius, arena.Height, reach); hit {
				reach = d
			}
		} else if v.rep.Kind == arena.KindCrate {
			if d, hit := shot.Crate(v.pose.Position, reach); hit {
				reach = d
			}
		}
	})
	return reach
}

func (s *Seat) guessCrate(e arche.Entity, me arena.State, playing bool, now, behind time.Duration) {
	there := s.poses.Get(e).Get()
	g := s.crates[e]
	drawn := arena.Crate{Pos: there.Position, Yaw: yawOf(there)}
	if g != nil {
		drawn = g.Crate
	}
	touched := false
	if playing {
		drawn, touched = s.rules.PushedBy(drawn, me.Pos, me.Vel)
	}
	switch {
	case touched:
		if g == nil {
			g = &guess{}
			s.crates[e] = g
		}
		g.Crate = s.rules.Glide(drawn)
		g.until = now + behind + 120*time.Millisecond
	case g == nil:
		return
	case now < g.until:
		g.Crate = s.rules.Glide(drawn)
	default:
		// Half of the way in a tenth of a second.
		share := 1 - float32(math.Exp2(-10/float64(s.rules.Rate)))
		g.Vel, g.Spin = mgl32.Vec3{}, 0
		g.Pos = g.Pos.Add(there.Position.Sub(g.Pos).Mul(share))
		if g.Pos.Sub(there.Position).Len() < 0.004 {
			delete(s.crates, e)
			s.offsets.Get(e).Set(mgl32.Vec3{})
			return
		}
	}
	s.offsets.Get(e).Set(g.Pos.Sub(there.Position))
}

func (s *Seat) ride(e arche.Entity) {
	on := int(s.pawns.Get(e).Ride) - 1
	r := s.riders[e]
	if r == nil {
		if on < 0 || on >= len(s.rules.Level.Platforms) {
			return
		}
		r = &rider{on: on}
		s.riders[e] = r
	}
	step := 3 / float32(s.rules.Rate)
	switch {
	case on >= 0 && on < len(s.rules.Level.Platforms) && on == r.on:
		r.weight = min(r.weight+step, 1)
	default:
		if r.weight -= step; r.weight <= 0 {
			delete(s.riders, e)
			s.offsets.Get(e).Set(mgl32.Vec3{})
			return
		}
	}
	// The platform as drawn in this step, and as it was when the rider was where he is shown.
	past := s.rules.Level.Platforms[r.on](s.client.View().Seconds())
	s.offsets.Get(e).Set(s.lifts[r.on].Sub(past).Mul(r.weight))
}

func yawOf(p components.Pose3D) float32 {
	return 2 * float32(math.Atan2(float64(p.Rotation.V[1]), float64(p.Rotation.W)))
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

// hear takes events from the server. They are shown when the picture of the others has come to them.
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
	s.effects.add(effect{at: now, to: e.To, owner: e.Player, push: e.Pushed, find: !e.Pushed})
}
