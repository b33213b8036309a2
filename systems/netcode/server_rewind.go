package netcode

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// history holds the poses of replicated entities after each of the last steps, for lag
// compensation. The memory of a slot is allocated once, and used again for the next entity in it.
type history struct {
	limit int64 // steps that a rewind may go back
	// A ring by tick, each row with all slots. A step writes one row; a look at everything reads
	// two.
	rows  [][]moment
	slots int // in each row
}

// moment is an entity's pose after a step.
type moment struct {
	tick   int64
	id     EntityID
	parent EntityID
	jumps  uint8
	cuts   uint8 // those of jumps that no rewind crosses
	age    int64 // by how much the pose is older than the tick, in 1/16 ticks; see Relayed
	pose   components.Pose3D
}

func newHistory(c Config, limit time.Duration) history {
	steps := int64(limit) * int64(c.TickRate) / int64(time.Second)
	return history{limit: steps, rows: make([][]moment, steps+4)}
}

// reach allocates memory for a slot.
func (h *history) reach(slot int) {
	for ; h.slots <= slot; h.slots++ {
		for i := range h.rows {
			h.rows[i] = append(h.rows[i], moment{})
		}
	}
}

// row returns all moments after the step that led to a tick. An entity that did not exist then has
// another tick.
func (h *history) row(tick int64) []moment { return h.rows[tick%int64(len(h.rows))] }

// find returns the moment of an entity after the step that led to a tick, or nil.
func (h *history) find(tick int64, id EntityID) *moment {
	if slot := id.Slot(); slot < h.slots {
		if m := &h.row(tick)[slot]; m.tick == tick && m.id == id {
			return m
		}
	}
	return nil
}

// recordMoments records all poses after the step that led to a tick.
func (s *Server[S, I]) recordMoments(after int64) {
	h, t := &s.history, &s.replication
	row := h.row(after)
	query := s.world.Query(&t.known)
	for query.Next() {
		tr := (*replicationState)(query.Get(t.track))
		if tr.id == NoEntity {
			continue
		}
		pose := s.shownPose(tr, (*components.Transform3D)(query.Get(t.transforms.ID())))
		row[tr.id.Slot()] = moment{tick: after, id: tr.id, parent: tr.parent, jumps: tr.jumps, cuts: tr.cuts(), age: s.relayedAge(tr), pose: pose}
	}
}

// Rewind calls look with a function that returns the poses that entities had on this player's
// screen when the player made this tick's input. It takes back the client's lead and the delay of
// its view, at most ServerConfig.Rewind. The client's claim of its view is accepted only up to the
// newest snapshot that it has acknowledged, and the 75 ms by which it extrapolates bodies beyond
// that, and never beyond the present.
//
// For a hit of [Shots], call Rewind in every tick of the flight: in each of them the shot on this
// player's screen is where it is on the server, and its targets are at the poses that Rewind
// returns.
//
// The poses are local to the entities' present parents, replicated or not, as in Transform3D. The
// player's own entity, scripted movers, and bodies that the client predicts have their present
// poses, since a client shows them at its own player's tick. The function returns false for an
// entity that is not replicated or did not exist. It must not be used after look has returned.
//
// No pose is between the ends of a jump. A jump that the game makes with an entity, by
// Player.Teleport or Logical.Teleport, is not taken back: from then on the entity has its present
// pose, so that no player is hit at a place that a respawn has taken it from. A jump of a step
// (Game.Teleported, Bodies.Teleported) is a part of the motion, which the shooter has not seen yet:
// before it the entity is at the end where the shooter sees it, as a player is that has stepped
// behind a wall. Between the two snapshots around such a jump the screen shows the end before it,
// and Rewind already that behind it. Entities that are [Relayed] do not tell the two kinds apart:
// none of their jumps is taken back.
//
// A bot has no delay: the poses are the present ones.
func (p *Player[S, I]) Rewind(look func(at func(e arche.Entity) (components.Pose3D, bool))) {
	s, r := p.server, &p.rewound
	if r.poseOf == nil {
		r.server, r.poseOf = s, r.pose
	}
	if r.present = p.bot != nil; r.present {
		look(r.poseOf)
		return
	}
	now := int64(s.engine.Time().Tick)
	age := min(p.viewAge(), s.history.limit<<viewBits, now<<viewBits)
	view := now<<viewBits - age
	r.view = view
	r.from, r.fraction = view>>viewBits, float32(view&(1<<viewBits-1))/(1<<viewBits)
	r.before, r.after = s.history.row(r.from), s.history.row(r.from+1)
	r.own, r.hasOwn = s.placeOf(p)
	r.self = p.Entity
	look(r.poseOf)
}

// rewound is the state of one Rewind. The player keeps it, so that later ones do not allocate.
type rewound[S any, I comparable] struct {
	server        *Server[S, I]
	view          int64 // the moment, in 1/16 ticks
	from          int64 // tick before the moment
	before, after []moment
	fraction      float32 // of the way from before to after
	self          arche.Entity
	own           mgl32.Vec3 // place of the player's entity
	hasOwn        bool
	present       bool                                           // nothing is rewound
	poseOf        func(e arche.Entity) (components.Pose3D, bool) // is pose
}

func (r *rewound[S, I]) pose(e arche.Entity) (components.Pose3D, bool) {
	s := r.server
	if !s.has(e) || !s.marked(e) || !s.world.Has(e, s.replication.track) {
		return components.Pose3D{}, false
	}
	tr := (*replicationState)(s.world.Get(e, s.replication.track))
	pose, parent, past, existed := r.shown(e, tr)
	if !past {
		return s.localPose(tr, e), existed
	}
	_, now := s.framedPose(tr, e)
	if parent != now { // it had another parent then
		was, _ := upward(parent, r.link)
		is, _ := upward(now, r.link)
		pose = is.Inverse().Mul(was.Mul(pose))
	}
	if pose, ok := s.ancestors.within(e, pose); ok {
		return pose, true
	}
	return s.localPose(tr, e), true
}

// link returns the pose of a frame as the player's screen showed it, and its parent there.
func (r *rewound[S, I]) link(id EntityID) (components.Pose3D, EntityID, bool) {
	s := r.server
	if e := s.entityOf(id); s.has(e) && s.world.Has(e, s.replication.track) {
		pose, parent, _, _ := r.shown(e, (*replicationState)(s.world.Get(e, s.replication.track)))
		return pose.Normalize(), parent, true
	}
	if m := s.history.find(r.from, id); m != nil { // it is removed since
		return m.pose.Normalize(), m.parent, true
	}
	return components.Identity3D(), NoEntity, false
}

// shown returns the pose of an entity on the player's screen in the frame of the nearest replicated
// ancestor that it had there, and that one. It reports whether the pose is an earlier one, and
// whether the entity existed then. If not, or if it has jumped since, its pose is the present one.
func (r *rewound[S, I]) shown(e arche.Entity, tr *replicationState) (pose components.Pose3D, parent EntityID, past, existed bool) {
	s := r.server
	pose, parent = s.framedPose(tr, e)
	if tr.id == NoEntity || r.present || e == r.self || s.protocol.movers[tr.archetype] != nil || r.hasOwn && s.predicts(e, tr, r.own) {
		return pose, parent, false, true
	}
	a, b := &r.before[tr.id.Slot()], &r.after[tr.id.Slot()]
	if a.tick != r.from || a.id != tr.id {
		return pose, parent, false, false
	}
	if a.cuts != tr.cuts() {
		return pose, parent, false, true
	}
	was := a.pose
	if tr.isRelayed || a.age > 0 || b.age > 0 {
		if was, a = r.between(tr.id); a.cuts != tr.cuts() {
			return pose, parent, false, true
		}
	} else if b.tick == r.from+1 && b.id == tr.id && b.jumps == a.jumps && b.parent == a.parent {
		was = components.Blend3D(a.pose.Normalize(), b.pose.Normalize(), r.fraction)
	}
	return was, a.parent, true, true
}

// predicts reports whether the client of a player at a place predicts an entity.
func (s *Server[S, I]) predicts(e arche.Entity, tr *replicationState, eye mgl32.Vec3) bool {
	if s.bodies == nil || tr.parent != NoEntity || !s.bodies.predicts(tr.archetype) {
		return false
	}
	return s.bodies.near(s.worldPosition(e).Sub(eye).Len())
}
