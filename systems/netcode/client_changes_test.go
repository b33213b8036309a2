package netcode_test

import (
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// score is a component that is applied when it arrives.
type score struct{ Points int32 }

type scoreCodec struct{}

func (scoreCodec) Quantize(s score) score                      { return s }
func (scoreCodec) Encode(w *netcode.Writer, s score, _ *score) { w.Bits(uint64(uint32(s.Points)), 32) }
func (scoreCodec) Decode(r *netcode.Reader, _ *score) (s score) {
	return score{int32(uint32(r.Bits(32)))}
}
func (m *match) onServer(f func()) {
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { f() }))
}
func (p *player) afterStep(f func()) {
	p.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { f() }))
}
func component[T any](w *arche.World, e arche.Entity) (c *T) {
	return (*T)(w.Get(e, arche.ComponentID[T](w)))
}
func has[T any](w *arche.World, e arche.Entity) bool {
	return w.Alive(e) && w.Has(e, arche.ComponentID[T](w))
}
func give[T any](w *arche.World, e arche.Entity, v T) {
	id := arche.ComponentID[T](w)
	if !w.Has(e, id) {
		w.Add(e, id)
	}
	*(*T)(w.Get(e, id)) = v
}

func lossyPath(seed uint64) linksim.Path {
	return linksim.Symmetric(linksim.Condition{Delay: 50 * time.Millisecond, Jitter: 100 * time.Millisecond, Loss: 0.15, Duplicate: 0.1, Seed: seed})
}

// A value is applied in the step in which the view reaches its moment, with the pose of the same
// tick. A crate that jumps counts its jumps; on no screen and in no step it has a count that
// differs from that of its position. Values of entities in the present, and those of immediate
// components, are applied when they arrive.
func TestValuesMatchTheDrawnPose(t *testing.T) {
	for _, test := range []struct {
		name   string
		path   linksim.Path
		kind   interp.Kind
		stands bool // at rest between its jumps
	}{
		{"steady", linksim.Symmetric(linksim.Condition{Delay: 60 * time.Millisecond, Seed: 1}), interp.Default, false},
		{"seeds", seeds(5), interp.Default, false},
		{"seeds, at rest", seeds(6), interp.Default, true},
		{"packets overtake each other", lossyPath(7), interp.Hermite, false},
		{"present", seeds(8), interp.Naive, true},
	} {
		p := newProtocol(t, netcode.Config{})
		netcode.ReplicateComponent[score](p, "score", scoreCodec{}, netcode.Immediate())
		m := newMatchOf(t, p, nil)
		a := m.join(test.path, func(c *netcode.ClientConfig[runner, input]) { c.Interpolation = test.kind })
		m.run(3*time.Second, nil)
		m.mustPlay()
		w, cw := m.engine.World(), a.engine.World()
		crate := m.crate(kindCrate, components.At3D(0, 0, 30))
		give(w, crate, health{})
		give(w, crate, score{})
		points := int32(0)
		m.onServer(func() {
			switch k := m.engine.Time().Tick; {
			case k%23 == 0:
				points++
				m.transform(crate).Teleport(components.At3D(float32(10*points), 0, 30))
				give(w, crate, health{points})
				give(w, crate, score{points})
			case !test.stands:
				pose := m.transform(crate).Get()
				pose.Position[0] += 6.0 / tickRate
				m.transform(crate).Set(pose)
			}
		})
		m.run(time.Second, nil)
		replica := a.replicaOf(m, crate)
		steps, ahead, last := 0, 0, int32(-1)
		a.afterStep(func() {
			got, want := component[health](cw, replica).Points, int32(math.Floor(float64(a.logical(replica)[0]+0.05)/10))
			if test.kind == interp.Naive {
				want = got // its poses are the newest that arrived
				if got != component[score](cw, replica).Points {
					t.Errorf("%s: %d points are seen in the present, and %d came", test.name, got, component[score](cw, replica).Points)
				}
			}
			if got != want || got < last {
				t.Errorf("%s: in step %d it has %d points at x = %.2f; before, %d", test.name, a.engine.Time().Tick, got, a.logical(replica)[0], last)
			}
			switch d := component[score](cw, replica).Points - got; {
			case d < 0:
				t.Errorf("%s: what comes on arrival is behind what is seen", test.name)
			case d > 0:
				ahead++
			}
			last = got
			steps++
		})
		m.run(10*time.Second, nil)
		if last < 26 || steps < 590 {
			t.Errorf("%s: %d points after %d steps; the test shows nothing", test.name, last, steps)
		}
		delayed := interp.New(test.kind, interp.Config{}).Timing() == interp.Delayed
		if few := 2 * 26; delayed && ahead < few || !delayed && ahead > 0 {
			t.Errorf("%s: in %d of %d steps what is mirrored on arrival was ahead", test.name, ahead, steps)
		}
	}
}

// A new entity is shown when the view reaches its spawn, and in motion from its first step on.
func TestSpawnsAreDelayed(t *testing.T) {
	const interval, step = time.Second / 30, time.Second / tickRate
	for _, test := range []struct {
		name string
		path linksim.Path
		kind interp.Kind
		late time.Duration // the most delay, since the snapshot with its spawn may be lost
	}{
		{"delayed", linksim.Symmetric(linksim.Condition{Delay: 60 * time.Millisecond, Jitter: 5 * time.Millisecond, Seed: 1}), interp.Default, 2*step + interval},
		{"seeds", seeds(3), interp.Default, 2*step + 3*interval},
		{"predictive", seeds(4), interp.OffsetDecay, 0},
		{"newest", seeds(4), interp.Naive, 0},
	} {
		m := newMatch(t, nil)
		a := m.join(test.path, func(c *netcode.ClientConfig[runner, input]) { c.Interpolation = test.kind })
		m.run(3*time.Second, nil)
		m.mustPlay()
		born := m.engine.Time().Fixed
		crate := m.flying(components.At3D(0, 0, 30))
		give(m.engine.World(), crate, health{7})
		var told, seen time.Duration
		var path []float32
		a.afterStep(func() {
			if m.id(crate) == netcode.NoEntity {
				return
			}
			if _, known := a.client.Newest(m.id(crate)); known && told == 0 {
				told = a.client.View()
			}
			replica := a.replicaOf(m, crate)
			if replica.IsZero() {
				return
			}
			if seen == 0 {
				seen = a.client.View()
				if got := component[health](a.engine.World(), replica).Points; got != 7 {
					t.Errorf("%s: it comes with %d points, want 7", test.name, got)
				}
			}
			path = append(path, a.logical(replica)[0])
		})
		m.run(time.Second, nil)
		if len(path) < 20 || told == 0 {
			t.Fatalf("%s: seen for %d steps", test.name, len(path))
		}
		if test.late == 0 {
			if seen != told {
				t.Errorf("%s: told of at %v, and seen at %v", test.name, told, seen)
			}
			continue
		}
		if seen < born || seen > born+test.late || told > born-step/2 {
			t.Errorf("%s: born at %v, told of when the picture showed %v, seen when it showed %v", test.name, born, told, seen)
		}
		const metres = 12.0 / tickRate
		for i := range path[:15] {
			if d := path[i+1] - path[i]; d < 0.85*metres || d > 1.15*metres {
				t.Errorf("%s: in its %d. step it goes %.3f m, want %.3f: %v", test.name, i+1, d, metres, path[:8])
				break
			}
		}
	}
}

// An entity whose life is shorter than the delay of the view is shown for as long as it lived, at
// the places where it was.
func TestShortLivedEntities(t *testing.T) {
	for seed := range uint64(8) {
		m := newMatch(t, nil)
		path := linksim.Symmetric(linksim.Condition{Delay: 60 * time.Millisecond, Jitter: 5 * time.Millisecond, Seed: seed})
		reused := seed%2 == 1 // another entity gets its slot before it is shown
		a := m.join(path, func(c *netcode.ClientConfig[runner, input]) {
			c.Delay = netcode.Bounds[time.Duration]{Min: 400 * time.Millisecond, Max: 400 * time.Millisecond}
		})
		m.run(3*time.Second, nil)
		m.mustPlay()
		cw := a.engine.World()
		crate := m.flying(components.At3D(0, 0, 30))
		give(m.engine.World(), crate, health{1})
		var id netcode.EntityID
		m.run(100*time.Millisecond, func() { id = m.id(crate) })
		give(m.engine.World(), crate, health{2})
		m.run(100*time.Millisecond, nil)
		m.engine.World().RemoveEntity(crate)
		if reused {
			m.run(50*time.Millisecond, nil)
			give(m.engine.World(), m.crate(kindLift+1, components.At3D(50, 0, 0)), health{3})
		}
		steps, full, most := 0, 0, float32(0)
		replicated := arche.ComponentID[netcode.Replicated](cw)
		a.afterStep(func() {
			query := cw.Query(arche.All(replicated))
			for query.Next() {
				if (*netcode.Replicated)(query.Get(replicated)).ID != id {
					continue
				}
				e := query.Entity()
				steps++
				most = max(most, a.logical(e)[0])
				switch component[health](cw, e).Points {
				case 2:
					full++
				case 1:
				default:
					t.Errorf("seed %d: it has %d points", seed, component[health](cw, e).Points)
				}
			}
		})
		m.run(1200*time.Millisecond, nil)
		// 12 steps, and as many as there are between snapshots, at either end.
		if steps < 11 || steps > 15 || full < 5 || full > 9 || most < 12*0.2-0.3 || most > 12*0.2+0.85 {
			t.Errorf("seed %d: seen for %d steps, %d of them with 2 points, up to x = %.2f; want 12, 6, 2.4", seed, steps, full, most)
		}
		if n, listed, _ := a.client.HeldForTest(); n != 0 || listed != 0 {
			t.Errorf("seed %d: %d pieces of news are kept in the end, %d in lists", seed, n, listed)
		}
	}
}
