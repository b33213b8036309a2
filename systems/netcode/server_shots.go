package netcode

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// serverShots are a server's shots of one archetype, without their type.
type serverShots[S any, I comparable] interface {
	// move puts the shots in flight on their paths at the end of a tick, and despawns those whose
	// flight has ended.
	move(t Tick)
	// fire makes the shots that a player's step fires, and returns their number.
	fire(number uint16, before, after S, in I, t Tick) int
	// note notes the paths that gameplay has replaced in a tick.
	note(t Tick)
	// poseless reports whether an entity is a shot that clients draw by its path.
	poseless(e arche.Entity) bool
	// send copies an entity's record, or its absence, to the snapshot's world of a tick.
	send(e arche.Entity, archetype uint16, to *snapshot.World, id EntityID, at Tick)
}

// flown is the hidden component of shots on a server.
type flown[P comparable] struct {
	path        P // as it is sent
	tick, since Tick
	n           uint8
	plain       bool
}

// shotsServer makes and moves the shots of one archetype.
type shotsServer[S any, I comparable, P comparable] struct {
	*shotKind[S, I, P]
	s            *Server[S, I]
	path, flown  arche.ID
	flying       arche.CachedFilter
	ids          []arche.ID // of the components of a shot, Visual3D the last
	launch       func(P)
	launched     [maxLaunches]P // of one step
	launchedSize int
	ended        []arche.Entity // scratch
}

func (k *shotKind[S, I, P]) server(s *Server[S, I]) serverShots[S, I] {
	w := s.world
	v := &shotsServer[S, I, P]{shotKind: k, s: s, path: arche.ComponentID[P](w), flown: arche.ComponentID[flown[P]](w)}
	v.ids = []arche.ID{s.transforms.ID(), s.replicated.ID(), v.path, v.flown, s.visuals.ID()}
	filter := arche.All(s.transforms.ID(), v.path, v.flown)
	v.flying = w.Cache().Register(&filter)
	v.launch = v.add
	return v
}

// add is the function launch of Shots.Fire.
func (k *shotsServer[S, I, P]) add(p P) {
	if k.launchedSize < maxLaunches {
		k.launched[k.launchedSize] = p
		k.launchedSize++
	}
}

func (k *shotsServer[S, I, P]) fire(number uint16, before, after S, in I, t Tick) int {
	k.launchedSize = 0
	k.Fire(before, after, in, t, k.launch)
	for n := range k.launchedSize {
		k.spawn(number, n, k.Codec.Quantize(k.launched[n]), t)
	}
	return k.launchedSize
}

// spawn makes a shot that is launched in the present step.
func (k *shotsServer[S, I, P]) spawn(owner uint16, n int, p P, t Tick) {
	start, flies := k.at(p, 0)
	if !flies {
		return
	}
	end, share, _ := k.along(p, 0, 1)
	if teleported(k.Teleported).between(start, end) {
		start = end
	}
	w, ids := k.s.world, k.ids
	if drawn := interpolation.Of[components.Pose3D](w) != nil; !drawn {
		ids = ids[:len(ids)-1]
	}
	e := w.NewEntity(ids...)
	logical, visual := components.InMotion(start, end)
	if *k.s.transforms.Get(e) = logical; len(ids) == len(k.ids) {
		*k.s.visuals.Get(e) = visual
	}
	if share < 1 {
		k.s.transforms.Get(e).SetOver(end, time.Duration(share*float64(k.s.engine.Time().FixedDelta)))
	}
	*k.s.replicated.Get(e) = Replicated{Archetype: k.Archetype, Owner: owner}
	*(*P)(w.Get(e, k.path)) = p
	*(*flown[P])(w.Get(e, k.flown)) = flown[P]{path: p, tick: t, since: t, n: uint8(n), plain: k.s.config.InputMode == OnArrival}
}

func (k *shotsServer[S, I, P]) move(t Tick) {
	query := k.s.world.Query(&k.flying)
	step := k.s.engine.Time().FixedDelta
	for query.Next() {
		age := float64(t.Sub((*flown[P])(query.Get(k.flown)).tick))
		pose, share, flies := k.along(*(*P)(query.Get(k.path)), age, age+1)
		if !flies {
			k.ended = append(k.ended, query.Entity())
			continue
		}
		l := (*components.Transform3D)(query.Get(k.s.transforms.ID()))
		if teleported(k.Teleported).between(l.Get(), pose) {
			l.Teleport(pose)
		} else {
			moveOver(l, pose, share, step)
		}
	}
	for _, e := range k.ended {
		k.s.world.RemoveEntity(e)
	}
	k.ended = k.ended[:0]
}

// moveOver moves a shot to a pose in a share of the present step.
func moveOver(l *components.Transform3D, pose components.Pose3D, share float64, step time.Duration) {
	switch {
	case pose == l.Get():
	case share < 1:
		l.SetOver(pose, time.Duration(share*float64(step)))
	default:
		l.Set(pose)
	}
}

func (k *shotsServer[S, I, P]) note(t Tick) {
	query := k.s.world.Query(&k.flying)
	for query.Next() {
		p, f := (*P)(query.Get(k.path)), (*flown[P])(query.Get(k.flown))
		if *p == f.path {
			continue
		}
		if *p = k.Codec.Quantize(*p); *p != f.path {
			f.path, f.since = *p, t
		}
	}
}

func (k *shotsServer[S, I, P]) poseless(e arche.Entity) bool {
	w := k.s.world
	return w.Has(e, k.flown) && !(*flown[P])(w.Get(e, k.flown)).plain && k.s.replicated.Get(e).Archetype == k.Archetype
}

func (k *shotsServer[S, I, P]) send(e arche.Entity, archetype uint16, to *snapshot.World, id EntityID, at Tick) {
	w := k.s.world
	switch {
	case archetype != k.Archetype || !w.Has(e, k.path):
		k.handle.Remove(to, id)
	case k.poseless(e):
		f := (*flown[P])(w.Get(e, k.flown))
		k.handle.Set(to, id, shotRecord[P]{path: f.path, tick: f.tick, since: f.since, n: f.n, wide: at.Sub(f.tick) > 1<<8-1})
	default:
		k.handle.Set(to, id, shotRecord[P]{path: *(*P)(w.Get(e, k.path)), plain: true})
	}
}

// fire makes the shots that a player's step has fired.
func (s *Server[S, I]) fire(p *Player[S, I], before S, in I, t Tick) {
	for i, k := range s.shots {
		p.launched[i] += uint8(k.fire(p.number, before, p.State, in, t))
	}
}

// InFlight reports whether an entity is a shot of [PredictShots] that a player's step has fired.
func (s *Server[S, I]) InFlight(e arche.Entity) bool { return s.marked(e) && s.has(e) && s.poseless(e) }

// poseless reports whether an entity is sent without its pose.
func (s *Server[S, I]) poseless(e arche.Entity) bool {
	for _, k := range s.shots {
		if k.poseless(e) {
			return true
		}
	}
	return false
}
