package netcode

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

func atan2(y, x float32) float64 { return math.Atan2(float64(y), float64(x)) }

// history remembers where replicated entities were after each of the last steps, for lag
// compensation. All of its memory is there from the start of an entity's life and is used again for
// the next one in its slot.
type history struct {
	limit int64 // steps that a rewind may go back
	// a ring by tick, of all slots: a step writes one, and a look at everything reads two
	rows  [][]moment
	slots int // that the rows have
}

// moment is where an entity was after a step.
type moment struct {
	tick   int64
	id     EntityID
	parent EntityID
	jumps  uint8
	pose   components.Pose3D
}

func newHistory(c Config, limit time.Duration) history {
	steps := int64(limit) * int64(c.TickRate) / int64(time.Second)
	return history{limit: steps, rows: make([][]moment, steps+4)}
}

// reach makes room for a slot.
func (h *history) reach(slot int) {
	for ; h.slots <= slot; h.slots++ {
		for i := range h.rows {
			h.rows[i] = append(h.rows[i], moment{})
		}
	}
}

// row is where everything was after the step that led to the tick. What was not there then has
// another tick in its place.
func (h *history) row(tick int64) []moment { return h.rows[tick%int64(len(h.rows))] }

// recordMoments notes where everything is after the step that led to the tick.
func (s *Server[S, I]) recordMoments(after int64) {
	h, t := &s.history, &s.replication
	row := h.row(after)
	query := s.world.Query(&t.known)
	for query.Next() {
		tr := (*replicationState)(query.Get(t.track))
		if tr.id == NoEntity {
			continue
		}
		pose := (*components.Transform3D)(query.Get(t.logical)).Get()
		row[tr.id.Slot()] = moment{tick: after, id: tr.id, parent: tr.parent, jumps: tr.jumps, pose: pose}
	}
}

// Rewind calls look with a function that says where entities were on this player's screen when he
// did what this tick's input does: his own lead and the delay of his view are taken back, at most
// ServerConfig.Rewind. What he claims to have looked at is believed only as far as snapshots that
// he has acknowledged reach, and never as far as the present.
//
// The poses are local to the entities' present parents, as in Transform3D. What a client shows at
// his own player's tick is where it is now: movers, bodies that he predicts. An entity that has
// jumped since is where it is: nobody is hit where he has left by a portal. The function reports
// false for what is not replicated or did not exist. It must not be used after look has returned.
func (p *Player[S, I]) Rewind(look func(at func(e arche.Entity) (components.Pose3D, bool))) {
	s, r := p.server, &p.rewound
	now := int64(s.engine.Time().Tick)
	view := min(now<<viewBits-p.lag, p.ackTick<<viewBits, now<<viewBits)
	view = max(view, (now-s.history.limit)<<viewBits, 0)
	r.from, r.fraction = view>>viewBits, float32(view&(1<<viewBits-1))/(1<<viewBits)
	r.before, r.after = s.history.row(r.from), s.history.row(r.from+1)
	r.eye, r.hasEye = s.eyeOf(p)
	if r.poseOf == nil {
		r.server, r.poseOf = s, r.pose
	}
	look(r.poseOf)
}

// rewound is a look at what a player saw. He keeps it from one to the next, so that none allocates.
type rewound[S any, I comparable] struct {
	server        *Server[S, I]
	from          int64 // tick of what is before the moment
	before, after []moment
	fraction      float32 // of the way from before to after
	eye           mgl32.Vec3
	hasEye        bool
	poseOf        func(e arche.Entity) (components.Pose3D, bool) // is pose
}

func (r *rewound[S, I]) pose(e arche.Entity) (components.Pose3D, bool) {
	s := r.server
	if !s.world.Alive(e) || !s.world.Has(e, s.replication.track) || !s.world.Has(e, s.replication.logical) || !s.world.Has(e, s.replication.replicated) {
		return components.Pose3D{}, false
	}
	tr := (*replicationState)(s.world.Get(e, s.replication.track))
	present := (*components.Transform3D)(s.world.Get(e, s.replication.logical)).Get()
	if tr.id == NoEntity || s.protocol.movers[tr.archetype] != nil || r.hasEye && s.predicts(e, tr.archetype, present, r.eye) {
		return present, true
	}
	a, b := &r.before[tr.id.Slot()], &r.after[tr.id.Slot()]
	if a.tick != r.from || a.id != tr.id { // it did not exist then
		return present, false
	}
	if a.jumps != tr.jumps {
		return present, true
	}
	pose := a.pose
	if b.tick == r.from+1 && b.id == tr.id && b.jumps == a.jumps && b.parent == a.parent {
		pose = components.Blend3D(a.pose.Normalize(), b.pose.Normalize(), r.fraction)
	}
	if a.parent != tr.parent { // it was carried by something else then
		pose = s.frameOf(tr.parent).Inverse().Mul(s.frameOf(a.parent).Mul(pose))
	}
	return pose, true
}

// predicts reports whether the client of a player at a place shows a body where it is predicted.
func (s *Server[S, I]) predicts(e arche.Entity, kind uint16, present components.Pose3D, eye mgl32.Vec3) bool {
	if s.bodies == nil || !s.bodies.predicts(kind) {
		return false
	}
	at := present.Position
	if s.world.Has(e, s.replication.parent) {
		at = s.worldPosition(e)
	}
	return s.bodies.near(at.Sub(eye).Len())
}

// frameOf is where what has an ID is now, the identity for none.
func (s *Server[S, I]) frameOf(id EntityID) components.Pose3D {
	if e := s.entityOf(id); !e.IsZero() && s.world.Has(e, s.replication.logical) {
		return (*components.Transform3D)(s.world.Get(e, s.replication.logical)).Get()
	}
	return components.Identity3D()
}
