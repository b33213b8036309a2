package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// ageInView returns the age of a shot in the present view of a client, in ticks.
func (p *player) ageInView(r rocket) float64 {
	tick := p.client.View().Seconds() * tickRate
	born := math.Floor(tick/65536)*65536 + float64(r.Born)
	return tick - born
}

// Others see a shot from the moment on at which their view reaches the launch, exactly on its path,
// at any rate of snapshots. So does a shooter whose client does not predict.
func TestOthersSeeShotsExactly(t *testing.T) {
	for _, rate := range []int{10, 30} {
		m := newMatchOf(t, shotProtocol(t, nil), nil)
		alone := rate == 10 // the shooter predicts
		a := m.join(seeds(500), func(c *netcode.ClientConfig[runner, input]) { c.WithoutPrediction = !alone })
		b := m.join(seeds(501), func(c *netcode.ClientConfig[runner, input]) { c.SnapshotRate = rate })
		m.run(4*time.Second, nil)
		m.mustPlay()
		a.input = presser(func(t netcode.Tick) (input, bool) { return input{}, t%45 == 0 })
		worst, steps, prompt, late := 0.0, 0, 0, 0
		seen := map[netcode.EntityID]bool{}
		watch := func(p *player) {
			for _, r := range rockets(p.engine.World()) {
				age := p.ageInView(r.rocket)
				if !seen[r.ID] {
					if seen[r.ID] = true; age <= 1.6 { // the view runs at up to 1.5 of real speed
						prompt++
					} else {
						late++
					}
				}
				want, _ := rocketPath(r.rocket, min(age, float64(r.rocket.Ticks)))
				steps++
				if worst = max(worst, float64(want.Position.Sub(r.at).Len())); age < -0.001 {
					t.Errorf("%d Hz: a shot is seen %.3f ticks before its launch", rate, -age)
				}
				if r.Owner != a.client.Number() || r.ID == netcode.NoEntity {
					t.Errorf("%d Hz: a shot is %+v", rate, r.Replicated)
				}
			}
		}
		b.afterStep(func() { watch(b) })
		if !alone {
			a.afterStep(func() { watch(a) })
		}
		// Their pictures are in motion from their first frame on, as fast as the view runs.
		last, slowest, fastest := map[arche.Entity]mgl32.Vec3{}, math.Inf(1), 0.0
		m.run(12*time.Second, func() {
			now := map[arche.Entity]mgl32.Vec3{}
			for _, r := range rockets(b.engine.World()) {
				at := b.visual(r.entity)
				now[r.entity] = at
				if was, known := last[r.entity]; known && b.ageInView(r.rocket) < 59 {
					way := float64(at.Sub(was).Len()) / math.Hypot(float64(r.rocket.VX), rocketSpeed) * 120
					slowest, fastest = min(slowest, way), max(fastest, way)
				}
			}
			last = now
		})
		t.Logf("%d Hz: pictures at %.3f to %.3f of their speed", rate, slowest, fastest)
		if slowest < 0.85 || fastest > 1.55 {
			t.Errorf("%d Hz: a picture moves at %.3f to %.3f of its speed", rate, slowest, fastest)
		}
		t.Logf("%d Hz: %d shots in time, %d late, %d steps, at most %.6f m off", rate, prompt, late, steps, worst)
		if steps < 600 || prompt < 10 || late > 3 {
			t.Errorf("%d Hz: %d steps; %d shots seen from their launch on, %d later", rate, steps, prompt, late)
		}
		if worst > 0.0005 {
			t.Errorf("%d Hz: a shot is drawn %.4f m off its path", rate, worst)
		}
	}
}

// A client that joins late sees the shots in flight where they are, however long ago they were
// launched.
func TestLateJoinersSeeShotsInFlight(t *testing.T) {
	m := newMatchOf(t, shotProtocol(t, func(s *netcode.Shots[runner, input, rocket]) {
		s.Fire = func(before, after runner, in input, at netcode.Tick, launch func(rocket)) {
			fireRocket(before, after, in, at, func(r rocket) {
				r.Ticks = 2000
				launch(r)
			})
		}
	}), nil)
	a := m.join(seeds(510), nil)
	m.run(3*time.Second, nil)
	a.input = presser(func(t netcode.Tick) (input, bool) { return input{}, t%240 == 0 })
	m.run(9*time.Second, nil)
	b := m.join(seeds(511), nil)
	oldest, worst, steps := 0.0, 0.0, 0
	b.afterStep(func() {
		for _, r := range rockets(b.engine.World()) {
			age := b.ageInView(r.rocket)
			want, _ := rocketPath(r.rocket, age)
			steps++
			oldest, worst = max(oldest, age), max(worst, float64(want.Position.Sub(r.at).Len()))
		}
	})
	m.run(3*time.Second, nil)
	m.mustPlay()
	if steps < 100 || oldest < 400 || worst > 0.0005 {
		t.Errorf("%d steps, the oldest shot is %.0f ticks old, at most %.4f m off", steps, oldest, worst)
	}
	// All ends have the same ones, those of the shooter too, although their ticks need more bits
	// now.
	for _, p := range []*player{a, b} {
		if got, want := len(rockets(p.engine.World())), len(rockets(m.engine.World())); got < want-1 || got > want+1 {
			t.Errorf("%d shots on a client, %d on the server", got, want)
		}
	}
}

// Gameplay replaces the path of a shot: it bounces off a wall at z = 8, and ends behind that.
// Others see the bounce in its tick, and the shooter is corrected.
func TestReplacedPaths(t *testing.T) {
	for _, rate := range []int{10, 30} {
		m := newMatchOf(t, shotProtocol(t, nil), nil)
		bounced := map[uint16]float64{} // ages, by birth
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
			for _, r := range rockets(w) {
				if r.at[2] < 8 || r.rocket.VZ < 0 {
					continue
				}
				age := float64(8-r.rocket.Z) / float64(r.rocket.VZ) * tickRate
				bounced[r.rocket.Born] = age
				p := component[rocket](w, r.entity)
				p.Z, p.VZ = 2*8-p.Z, -p.VZ // the mirror image: the wall again at the same age
				p.Ticks = uint16(age) + 30
			}
		}))
		a := m.join(seeds(520), nil)
		b := m.join(seeds(521), func(c *netcode.ClientConfig[runner, input]) { c.SnapshotRate = rate })
		m.run(4*time.Second, nil)
		m.mustPlay()
		a.input = presser(func(t netcode.Tick) (input, bool) { return input{}, t%60 == 0 })
		through, back, own := 0, 0, map[arche.Entity]int{}
		deepest := float32(0)
		b.afterStep(func() {
			for _, r := range rockets(b.engine.World()) {
				deepest = max(deepest, r.at[2])
				if r.rocket.VZ < 0 {
					back++
				} else if r.at[2] > 8+rocketSpeed/tickRate {
					through++
				}
			}
		})
		a.afterStep(func() {
			for _, r := range rockets(a.engine.World()) {
				if r.rocket.VZ < 0 {
					own[r.entity]++
				}
			}
		})
		m.run(10*time.Second, nil)
		t.Logf("%d Hz: %d bounces, %d steps after them, %d behind the wall, to z = %.2f; the shooter saw %d", rate, len(bounced), back, through, deepest, len(own))
		if len(bounced) < 8 || back < 150 || len(own) < len(bounced)-2 {
			t.Errorf("%d Hz: %d bounces, %d steps after them, the shooter saw %d", rate, len(bounced), back, len(own))
		}
		// A bounce that a lost snapshot carried is late.
		if through > back/20 {
			t.Errorf("%d Hz: in %d steps a shot flew through the wall", rate, through)
		}
	}
}

// A shot whose path ends within a step stands at its end for the rest of that step, on the server
// and in the pictures, and is then gone on all ends.
func TestShotsEndWhereTheirPathsEnd(t *testing.T) {
	m := newMatchOf(t, shotProtocol(t, func(s *netcode.Shots[runner, input, rocket]) {
		s.Path = func(r rocket, age float64) (components.Pose3D, bool) {
			pose, _ := rocketPath(r, age)
			return pose, age <= 20.4
		}
	}), nil)
	a, b := m.join(seeds(530), nil), m.join(seeds(531), nil)
	m.run(4*time.Second, nil)
	m.mustPlay()
	a.input = presser(func(t netcode.Tick) (input, bool) { return input{}, t%60 == 0 })
	end := func(r rocket) mgl32.Vec3 {
		pose, _ := rocketPath(r, 20.4)
		return pose.Position
	}
	for name, w := range map[string]*ecs.Engine{"server": m.engine, "shooter": a.engine, "other": b.engine} {
		last := map[arche.Entity]inFlight{}
		ended := 0
		w.Add(ecs.FixedUpdate, ecs.SystemFunc(func(world *arche.World) {
			now := map[arche.Entity]inFlight{}
			for _, r := range rockets(world) {
				now[r.entity] = r
			}
			for e, r := range last {
				if _, there := now[e]; there {
					continue
				}
				ended++
				if off := r.at.Sub(end(r.rocket)).Len(); off > rocketSpeed/tickRate/2000 {
					t.Errorf("%s: a shot was seen last %.4f m from its end", name, off)
				}
			}
			last = now
		}))
		defer func() {
			if ended < 5 {
				t.Errorf("%s: %d shots ended", name, ended)
			}
		}()
	}
	m.run(7*time.Second, nil)
}

// In the mode OnArrival shots are plain replicas: they have poses and the component, and nothing is
// predicted. So are entities of the archetype that the game makes.
func TestShotsWithoutCommonTick(t *testing.T) {
	for _, mode := range []netcode.InputMode{netcode.OnArrival, netcode.OnTicks} {
		m := newMatchOf(t, shotProtocol(t, nil), func(c *netcode.ServerConfig[runner, input]) { c.InputMode = mode })
		a, b := m.join(seeds(540), nil), m.join(perfect(), nil)
		m.run(4*time.Second, nil)
		m.mustPlay()
		if mode == netcode.OnArrival {
			a.input = presser(func(t netcode.Tick) (input, bool) { return input{}, t%60 == 0 })
		} else {
			e := m.crate(kindRocket, components.At3D(0, 1, 0))
			give(m.engine.World(), e, rocket{VZ: 5})
			m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
				pose := m.transform(e).Get()
				pose.Position[2] += 5.0 / tickRate
				m.transform(e).Set(pose)
			}))
		}
		steps, farthest := [2]int{}, float32(0)
		for i, p := range []*player{a, b} {
			p.afterStep(func() {
				for _, r := range rockets(p.engine.World()) {
					if steps[i]++; r.ID == netcode.NoEntity {
						t.Errorf("mode %d: a shot is predicted", mode)
					}
					if farthest = max(farthest, r.at[2]); r.rocket.VZ == 0 {
						t.Errorf("mode %d: its component is %+v", mode, r.rocket)
					}
				}
			})
		}
		m.run(4*time.Second, nil)
		if min(steps[0], steps[1]) < 100 || farthest < 10 {
			t.Errorf("mode %d: seen for %v steps, as far as %.1f m", mode, steps, farthest)
		}
	}
}

// Figures of the timeline: in each tick of a flight the shooter's Rewind returns the poses of the
// shooter's screen.
func TestRewindInEachTickOfAFlight(t *testing.T) {
	m := newMatchOf(t, shotProtocol(t, nil), nil)
	a := m.join(seeds(550), nil)
	b := m.join(seeds(551), nil)
	m.run(6*time.Second, nil)
	m.mustPlay()
	target := m.of(b)
	b.input = func(at netcode.Tick) input { // 8.5 m/s
		if at/120%2 == 0 {
			return input{X: 1, Z: 1}
		}
		return input{X: -1, Z: -1}
	}
	a.input = presser(func(t netcode.Tick) (input, bool) { return input{}, t%70 == 0 })
	type screen struct {
		shot, target mgl32.Vec3
	}
	// the shot when the step of a tick ends, the target when it begins
	seen := map[netcode.Tick]screen{}
	own := a.input
	var now netcode.Tick
	var begun mgl32.Vec3
	a.input = func(t netcode.Tick) input {
		now, begun = t, a.logical(a.client.Replica(m.id(target.Entity)))
		return own(t)
	}
	a.afterStep(func() {
		for _, r := range rockets(a.engine.World()) {
			if age := int16(uint16(now) - r.rocket.Born); age >= 0 && age < 55 {
				seen[now] = screen{r.at, begun}
			}
		}
	})
	ticks, sum, most, without, shots := 0, 0.0, 0.0, 0.0, 0.0
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		s, known := seen[m.server.Tick()]
		for _, r := range rockets(w) {
			if !known || r.Owner != a.client.Number() || uint16(m.server.Tick())-r.rocket.Born >= 55 {
				continue
			}
			shots = max(shots, float64(r.at.Sub(s.shot).Len()))
			m.of(a).Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
				pose, _ := at(target.Entity)
				off := float64(pose.Position.Sub(s.target).Len())
				ticks, sum, most = ticks+1, sum+off, max(most, off)
				without += float64(m.transform(target.Entity).Get().Position.Sub(s.target).Len())
			})
		}
	}))
	m.run(25*time.Second, nil)
	t.Logf("%d ticks: off by %.4f m in the mean, %.4f at most; without Rewind %.3f in the mean; the shots by %.5f", ticks, sum/float64(ticks), most, without/float64(ticks), shots)
	if ticks < 800 || sum/float64(ticks) > 0.008 || most > 0.03 || without/float64(ticks) < 1 || shots > 0.001 {
		t.Errorf("off by %.4f m in the mean of %d ticks, %.4f at most, the shots by %.4f; without Rewind %.3f", sum/float64(ticks), ticks, most, shots, without/float64(ticks))
	}
}
