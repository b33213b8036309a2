package netcode

import (
	"math"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// flight is the shot of a replica, without its type.
type flight interface {
	// byPath reports whether it is drawn by its path. Others have poses.
	byPath() bool
	// present reports whether it is drawn at the own player's tick.
	present() bool
	// begins returns the tick from which on its path is known.
	begins() Tick
	// spawn makes the entity of a replica that appears, or gives it the one that there is.
	spawn(r *replica, owner uint16)
	// advance draws the replica at a moment of the view. The view was at another one when the step
	// began.
	advance(r *replica, from, to time.Duration)
	// rename gives it the ID that its replica has on another server.
	rename(id EntityID)
	// release ends the flight of a replica that is removed.
	release()
	// record copies its newest record to the world of a recording, whose state is that of a tick.
	record(to *snapshot.World, id EntityID, at Tick)
}

// longestStep bounds the ticks by which the view advances in a step, for its first one.
const longestStep = 2

// maxReplaced is the most paths of a shot that the view has not reached: half a second of a path
// that is replaced in every tick. A newer one then takes the place of the newest. If it took that
// of the oldest, the view would never reach one.
const maxReplaced = 32

// replacedPath is a path of a shot that holds from a tick on.
type replacedPath[P comparable] struct {
	path  P
	since Tick
}

// shot is a shot on a client: one of the own player's from the step of the press on, or a replica.
type shot[S any, I comparable, P comparable] struct {
	k       *shotsClient[S, I, P]
	tick    Tick // of its launch
	n       uint8
	id      EntityID // NoEntity: no record yet
	own     bool     // drawn at the own player's tick
	plain   bool     // drawn by poses
	refused bool     // the server has not fired it
	path    P
	since   Tick              // from which on the path holds
	later   []replacedPath[P] // in their order; the view has not reached them
	entity  arche.Entity
	spawned bool // for the present flight
	appears bool // no pose is written yet
	wrong   bool // the path has changed since the last pose
}

func (s *shot[S, I, P]) byPath() bool       { return !s.plain }
func (s *shot[S, I, P]) rename(id EntityID) { s.id = id }
func (s *shot[S, I, P]) present() bool      { return s.own }
func (s *shot[S, I, P]) begins() Tick       { return s.since }

// take takes a path that holds from a tick on.
func (s *shot[S, I, P]) take(p P, since Tick) {
	if s.since.IsNewer(since) {
		return
	}
	if s.own || since == s.since {
		s.wrong = s.wrong || p != s.path
		s.path, s.since = p, since
		return
	}
	at := len(s.later)
	for at > 0 && s.later[at-1].since.IsNewer(since) {
		at--
	}
	if at > 0 && s.later[at-1].since == since {
		s.later[at-1].path = p
		return
	}
	if len(s.later) == maxReplaced {
		if at == len(s.later) {
			s.later[at-1] = replacedPath[P]{p, since}
		}
		return
	}
	s.later = append(s.later, replacedPath[P]{})
	copy(s.later[at+1:], s.later[at:])
	s.later[at] = replacedPath[P]{p, since}
}

func (s *shot[S, I, P]) spawn(r *replica, owner uint16) {
	r.unspawned = false
	if s.spawned && s.k.c.marked(s.entity) {
		marker := s.k.c.replicated.Get(s.entity)
		marker.ID, marker.Owner = r.id, owner
	}
	switch pose, flies := s.k.at(s.path, 0); {
	case s.plain:
		s.make(r, owner, r.born)
	case flies && !s.own: // show makes those of the own player
		s.make(r, owner, pose)
	}
	r.entity, r.shown = s.entity, !s.plain
}

// make makes the entity at a pose.
func (s *shot[S, I, P]) make(r *replica, owner uint16, pose components.Pose3D) {
	s.entity = s.k.c.makeEntity(Replicated{Archetype: s.k.Archetype, Owner: owner, ID: s.id}, pose)
	s.spawned, s.appears = true, true
	s.write()
	if r != nil {
		r.entity = s.entity
	}
}

// write gives the entity the component P.
func (s *shot[S, I, P]) write() {
	w := s.k.c.world
	if !w.Alive(s.entity) {
		return
	}
	if !w.Has(s.entity, s.k.path) {
		w.Add(s.entity, s.k.path)
	}
	*(*P)(w.Get(s.entity, s.k.path)) = s.path
}

// vanish despawns the entity.
func (s *shot[S, I, P]) vanish() {
	s.k.c.removeEntity(s.entity)
	s.entity, s.spawned = arche.Entity{}, false
}

func (s *shot[S, I, P]) release() {
	k := s.k
	for i, other := range k.own {
		if other == s {
			k.own = append(k.own[:i], k.own[i+1:]...)
			break
		}
	}
	k.free = append(k.free, s)
}

func (s *shot[S, I, P]) record(to *snapshot.World, id EntityID, at Tick) {
	rec := shotRecord[P]{path: s.path, plain: s.plain}
	since := s.since
	if n := len(s.later); n > 0 {
		rec.path, since = s.later[n-1].path, s.later[n-1].since
	}
	if !s.plain {
		rec.tick, rec.since, rec.n, rec.wide = s.tick, since, s.n, at.Sub(s.tick) > 1<<8-1
	}
	s.k.handle.Set(to, id, rec)
}

func (s *shot[S, I, P]) advance(r *replica, from, to time.Duration) {
	c := s.k.c
	for len(s.later) > 0 && c.ageAt(s.later[0].since, to) >= 0 {
		s.path, s.since = s.later[0].path, s.later[0].since
		s.later = append(s.later[:0], s.later[1:]...)
		s.write()
	}
	if !s.plain {
		age := max(c.ageAt(s.tick, to), 0)
		s.draw(r, max(c.ageAt(s.tick, from), age-longestStep), age)
	}
}

// draw draws the shot on its way from one age to another. The entity is made when the flight
// begins, also again after another path has continued it, and despawned when it has ended.
func (s *shot[S, I, P]) draw(r *replica, from, to float64) {
	k, c := s.k, s.k.c
	pose, share, flies := k.along(s.path, max(from, 0), to)
	if !flies {
		if s.spawned {
			s.vanish()
		}
		if r != nil {
			r.entity = s.entity
		}
		return
	}
	if !s.spawned {
		owner := c.welcomed.player
		if r != nil {
			owner = r.owner
		}
		if s.make(r, owner, pose); r != nil {
			c.restoreComponents(r)
		}
	}
	if !c.has(s.entity) { // Spawn has made none, or the game has despawned it
		return
	}
	if s.wrong {
		s.write()
	}
	l := c.transforms.Get(s.entity)
	start, _ := k.at(s.path, max(from, 0))
	jump := teleported(k.Teleported).between(start, pose)
	if jump {
		start, from = pose, max(from, 0)
	}
	switch i := c.interpolator(); {
	case s.appears && c.visuals.Has(s.entity):
		if next, flies := k.at(s.path, 1); from < 0 && flies {
			// it is launched within the step: its picture comes from behind the muzzle
			start.Position = start.Position.Add(start.Position.Sub(next.Position).Mul(float32(-from)))
		}
		*l, *c.visuals.Get(s.entity) = components.InMotion(start, pose)
		if share < 1 {
			l.SetOver(pose, time.Duration(share*float64(c.engine.Time().FixedDelta)))
		}
	case s.appears || jump:
		l.Teleport(pose)
	case s.wrong && s.own && i != nil:
		i.Correct(s.entity, start, pose)
	default:
		moveOver(l, pose, share, c.engine.Time().FixedDelta)
	}
	s.appears, s.wrong = false, false
}

// ageAt returns how many ticks after the beginning of a tick a moment of the server's clock is.
func (c *Client[S, I]) ageAt(t Tick, moment time.Duration) float64 {
	k := c.grid.Index(moment)
	edge := c.grid.Edge(k)
	part := float64(moment-edge) / math.Max(float64(c.grid.Edge(k+1)-edge), 1)
	return float64(k-c.index(t)) + part
}

// fly draws a replica that is a shot, and reports whether its samples are not to be drawn.
func (c *Client[S, I]) fly(r *replica, shown time.Duration) bool {
	f := r.flight
	if at := c.viewpoint; at.any && !r.unspawned && !f.present() {
		from, to := shown, r.moment(at)
		switch {
		case r.ahead > 0 && c.before.any:
			from = r.moment(c.before)
		case c.replay != nil && !c.before.any: // after a seek nothing is drawn of the way
			from = to
		default:
			from += to - at.delayed
		}
		f.advance(r, from, to)
	}
	if !f.byPath() {
		return false
	}
	if c.has(r.entity) {
		c.attach(r, r.parent)
	}
	return true
}
