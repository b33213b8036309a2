package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// workload is one measurement.
type workload struct {
	name  string
	round func() float64 // ns per entity
	check func() error   // may be nil
	close func()         // may be nil
}

func workloads(t *testing.T, n int) []*workload {
	var list []*workload
	for _, pct := range []int{100, 10, 1} {
		list = append(list, peerQuery(n, pct))
	}
	for _, pct := range []int{100, 10, 1, 0} {
		list = append(list, tandem(t, n, pct, 0)...)
	}
	for _, pct := range []int{100, 10} { // the capture has no threads
		list = append(list, tandem(t, n, pct, 1)[0])
	}
	return append(list, ownValues(t, n)...)
}

// aMillisecond is the least length of a measurement.
const aMillisecond = time.Millisecond

// settled is how long two threads work together before they are timed. A system that has put both
// on one processor corrects that within some milliseconds.
const settled = 25 * time.Millisecond

// poses returns pairs of poses: arcs of 0 to 90 degrees, every 32nd pair with quaternions of
// opposite sign.
func poses(n int) (a, b []components.Pose3D) {
	r := rand.New(rand.NewPCG(1, 2))
	gauss := func() float32 { return float32(r.NormFloat64()) }
	a, b = make([]components.Pose3D, n), make([]components.Pose3D, n)
	for i := range a {
		axis := mgl32.Vec3{gauss(), gauss(), gauss()}.Normalize()
		rotation := components.NormalizeQuat(mgl32.Quat{W: gauss(), V: mgl32.Vec3{gauss(), gauss(), gauss()}})
		a[i] = components.Pose3D{
			Position: mgl32.Vec3{100 * gauss(), 100 * gauss(), 100 * gauss()},
			Rotation: rotation,
			Scale:    mgl32.Vec3{1 + r.Float32(), 1 + r.Float32(), 1 + r.Float32()},
		}
		b[i] = components.Pose3D{
			Position: a[i].Position.Add(mgl32.Vec3{gauss(), gauss(), gauss()}),
			Rotation: components.NormalizeQuat(mgl32.QuatRotate(r.Float32()*math.Pi/2, axis).Mul(rotation)),
			Scale:    a[i].Scale.Mul(1.01),
		}
		if i%32 == 31 {
			b[i].Rotation = b[i].Rotation.Scale(-1)
		}
	}
	return a, b
}

// movers returns which of n entities move, scattered at random.
func movers(n, pct int) []bool {
	return moversAmong(n, pct, func(int) bool { return true })
}

// moversAmong returns which of n entities move: of those that may, chosen at random, so many as are
// pct of all, or all of them if they are fewer.
func moversAmong(n, pct int, may func(k int) bool) []bool {
	able := 0
	for k := range n {
		if may(k) {
			able++
		}
	}
	r := rand.New(rand.NewPCG(3, uint64(pct)))
	m := make([]bool, n)
	for k := range m {
		m[k] = may(k) && (able*100 <= n*pct || r.IntN(100*able) < n*pct)
	}
	return m
}

// newEngine returns an engine. Its configuration is one of this package.
func newEngine(t *testing.T, c ecs.Config) *ecs.Engine {
	t.Helper()
	e, err := ecs.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// spawn makes an entity with each of the poses.
func spawn(e *ecs.Engine, poses []components.Pose3D) []arche.Entity {
	builder := generic.NewMap2[components.Transform3D, components.Visual3D](e.World())
	entities := make([]arche.Entity, len(poses))
	query := builder.NewBatchQ(len(poses))
	for i := 0; query.Next(); i++ {
		transform, _ := query.Get()
		*transform = components.NewLogical(poses[i])
		entities[i] = query.Entity()
	}
	return entities
}

// perEntity returns the nanoseconds per entity of a round. It calls a function, which returns how
// long some rounds took and their number, until they have taken a millisecond and there were so
// many as given.
func perEntity(n, least int, measure func() (spent time.Duration, rounds int)) float64 {
	var total time.Duration
	count := 0
	for total < aMillisecond || count < least {
		spent, rounds := measure()
		total += spent
		count += rounds
	}
	return float64(total.Nanoseconds()) / float64(count) / float64(n)
}

// timed returns how long some frames of a length take, and their number.
func timed(e *ecs.Engine, frames int, length time.Duration) (time.Duration, int) {
	start := time.Now()
	for range frames {
		e.Update(length)
	}
	return time.Since(start), frames
}

// tandem measures the frames between two fixed steps and the capture of a step, with a number of
// goroutines besides the engine's own.
func tandem(t *testing.T, n, pct, workers int) []*workload {
	e := newEngine(t, ecs.Config{MaxDelta: time.Hour})
	interpolator := interpolation.New3D()
	interpolator.Workers = workers
	e.Install(interpolator)
	a, b := poses(n)
	moves := movers(n, pct)
	entities := spawn(e, a)
	visuals := generic.NewMap1[components.Visual3D](e.World())
	forth := addGameplay(e, a, b, moves)
	// The capture is timed by two systems around it.
	var before time.Time
	var captured time.Duration
	e.AddAt(ecs.FixedEnd, ecs.OrderCapture-1, ecs.SystemFunc(func(*arche.World) { before = time.Now() }))
	e.AddAt(ecs.FixedEnd, ecs.OrderCapture+1, ecs.SystemFunc(func(*arche.World) { captured += time.Since(before) }))

	step := func() { stepOn(e) }
	step()
	frames := func() float64 {
		step()
		if workers > 0 {
			// Workers have fallen asleep during the others' turns. A game draws all the time, and
			// the system gave every thread a processor of its own long ago.
			for start := time.Now(); time.Since(start) < settled; {
				timeFrames(t, e, n)
			}
		}
		return timeFrames(t, e, n)
	}
	captures := func() float64 {
		return perEntity(n, 4, func() (time.Duration, int) {
			captured = 0
			step()
			return captured, 1
		})
	}
	check := func() error {
		for range 3 { // at a fraction, in a step that moves
			step()
			e.Update(e.Time().FixedDelta * 37 / 100)
			t := float32(float64(e.Time().Normal-e.Time().StepStart) / float64(e.Time().FixedDelta))
			from, to := b, a
			if *forth {
				from, to = a, b
			}
			for i, entity := range entities {
				want := a[i]
				if moves[i] {
					want = components.Blend3D(from[i], to[i], t)
				}
				if got := visuals.Get(entity).Get(); !near(got, want) {
					return fmt.Errorf("entity %d of %d is drawn at %v, want %v", i, n, got, want)
				}
			}
		}
		return nil
	}
	share := fmt.Sprintf("%dpct", pct)
	if workers > 0 {
		share += fmt.Sprintf(".%dthreads", workers+1)
	}
	return []*workload{
		{name: "tandem.frame." + share, round: frames, check: check, close: e.Close},
		{name: "tandem.capture." + share, round: captures},
	}
}

// timeFrames measures frames of a twentieth of a step each. They run in bursts that end before the
// next step, which is not timed. A step must have run just before.
func timeFrames(t *testing.T, e *ecs.Engine, n int) float64 {
	const burst = 16
	return perEntity(n, 2, func() (time.Duration, int) {
		spent, frames := timed(e, burst, e.Time().FixedDelta/(burst+4))
		if e.Time().Steps > 0 {
			t.Fatal("a timed frame ran a fixed step")
		}
		stepOn(e)
		return spent, frames
	})
}

// addGameplay makes every mover go back and forth between its two poses, a step each way. The
// result points to the direction of the newest step.
func addGameplay(e *ecs.Engine, a, b []components.Pose3D, moves []bool) (forth *bool) {
	filter := generic.NewFilter1[components.Transform3D]()
	forth = new(bool)
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		*forth = !*forth
		to := a
		if *forth {
			to = b
		}
		query := filter.Query(w)
		for i := 0; query.Next(); i++ {
			if transform := query.Get(); moves[i] {
				transform.Set(to[i])
			}
		}
	}))
	return forth
}

// stepOn updates to the edge of the next step. It runs that step and no other.
func stepOn(e *ecs.Engine) { e.Update(e.Time().Fixed - e.Time().Normal) }

func near(a, b components.Pose3D) bool {
	if a.Position.Sub(b.Position).Len() > 1e-3 || a.Scale.Sub(b.Scale).Len() > 1e-5 {
		return false
	}
	d := a.Rotation.Dot(b.Rotation)
	return d > 1-1e-5 || d < -1+1e-5
}

// The peer: what one writes today.
type (
	previous struct{ components.Pose3D }
	current  struct{ components.Pose3D }
	value    struct{ components.Pose3D }
	moving   struct{ on bool }
)

func peerQuery(n, pct int) *workload {
	world := arche.NewWorld(n)
	w := &world
	a, b := poses(n)
	moves := movers(n, pct)
	builder := generic.NewMap4[previous, current, value, moving](w)
	query := builder.NewBatchQ(n)
	for i := 0; query.Next(); i++ {
		p, c, v, m := query.Get()
		p.Pose3D, c.Pose3D, v.Pose3D, m.on = a[i], b[i], a[i], moves[i]
	}
	filter := generic.NewFilter4[previous, current, value, moving]()
	const t = 0.37
	pass := func() {
		query := filter.Query(w)
		for query.Next() {
			p, c, v, m := query.Get()
			if !m.on {
				continue
			}
			v.Pose3D = components.Pose3D{
				Position: p.Position.Add(c.Position.Sub(p.Position).Mul(t)),
				Rotation: mgl32.QuatSlerp(p.Rotation, c.Rotation, t),
				Scale:    p.Scale.Add(c.Scale.Sub(p.Scale).Mul(t)),
			}
		}
	}
	return &workload{
		name: fmt.Sprintf("arche.slerp.%dpct", pct),
		round: func() float64 {
			return perEntity(n, 1, func() (time.Duration, int) {
				start := time.Now()
				pass()
				return time.Since(start), 1
			})
		},
	}
}

// As many entities move as the percentage of all asks for, among those that may move. If fewer may
// move, all of them do.
func TestMoversAmong(t *testing.T) {
	for _, every := range []int{1, 2, 50, 100, 200} {
		const n = 100_000
		moves := moversAmong(n, 1, func(k int) bool { return k%every == 0 })
		count := 0
		for k, m := range moves {
			if m {
				count++
			}
			if m && k%every != 0 {
				t.Fatalf("entity %d moves and may not", k)
			}
		}
		if want := min(n/100, n/every); count < want*9/10 || count > want*11/10 {
			t.Errorf("where one of %d may move, %d do, want about %d", every, count, want)
		}
	}
}
