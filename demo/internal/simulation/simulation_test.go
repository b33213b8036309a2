package simulation

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/ecs"
)

func start(t testing.TB, set settings.Settings) *Simulation {
	t.Helper()
	s, err := New(set, &VirtualClock{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func of(scene string) settings.Settings {
	set := settings.Default()
	set.Scene = scene
	switch scene {
	case "stress":
		set.Entities = 500
	case "physics":
		set.Entities = 60 // enough to collide, and soon done
	}
	return set
}

// The lanes hold the promise of the command line: x = 3t in every frame, whatever the frames, and
// the same logical pose at the same tick.
func TestMoverIsAtThreeTimesTheTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := of("lanes")
		set.Rate = rapid.SampledFrom([]int{1, 7, 10, 60, 120, 1000}).Draw(t, "rate")
		set.Speed = rapid.SampledFrom([]float64{1e-6, 0.1, 0.25, 1.0 / 3, 1, 2, 100}).Draw(t, "speed")
		frame := rapid.OneOf(rapid.Int64Range(1, 10), rapid.Int64Range(1, 50e6), rapid.Int64Range(1, 10e9), rapid.Just(int64(10*time.Hour)))
		deltas := rapid.SliceOfN(frame, 1, 60).Draw(t, "deltas")
		s, err := New(set, &VirtualClock{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for i, d := range deltas {
			s.Update(time.Duration(d))
			now := s.Time()
			s.Scene().Trace(func(name string, logical, visual components.Pose3D) {
				if name != "mover" {
					return
				}
				want := 3 * now.Normal.Seconds()
				if x := float64(visual.Position[0]); math.Abs(x-want) > 1e-5*want {
					t.Fatalf("frame %d: visual x is %v at %v, want %v", i, x, now.Normal, want)
				}
				if want := float32(3 * now.Fixed.Seconds()); logical.Position[0] != want {
					t.Fatalf("frame %d: logical x is %v after tick %d, want %v", i, logical.Position[0], now.Tick, want)
				}
			})
		}
	})
}

// recorder hashes all logical poses at the end of every step.
type recorder struct {
	s      *Simulation
	hashes []uint64
}

func (r *recorder) Initialize(*arche.World) {}
func (r *recorder) Finalize(*arche.World)   {}
func (r *recorder) Update(w *arche.World) {
	h := fnv.New64a()
	write := func(v any) {
		if err := binary.Write(h, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	in3D := generic.NewFilter1[components.Transform3D]().Query(w)
	for in3D.Next() {
		p := in3D.Get().Get()
		write([10]float32{p.Position[0], p.Position[1], p.Position[2], p.Rotation.W, p.Rotation.V[0], p.Rotation.V[1], p.Rotation.V[2], p.Scale[0], p.Scale[1], p.Scale[2]})
		write(in3D.Entity().ID())
	}
	in2D := generic.NewFilter1[components.Transform2D]().Query(w)
	for in2D.Next() {
		p := in2D.Get().Get()
		write([5]float32{p.Position[0], p.Position[1], p.Rotation, p.Scale[0], p.Scale[1]})
		write(in2D.Entity().ID())
	}
	r.hashes = append(r.hashes, h.Sum64())
}

// The simulation does not depend on the frame rate: the same state after the same number of steps,
// under any schedule of frames.
func TestLogicalStateDependsOnTicksOnly(t *testing.T) {
	const seconds = 5 // long enough for a ship to change its parent, for jumps, for collisions
	schedules := map[string]func(*rand.Rand) time.Duration{
		"144 fps":     func(*rand.Rand) time.Duration { return time.Second / 144 },
		"7 fps":       func(*rand.Rand) time.Duration { return time.Second / 7 },
		"0 to 80 ms":  func(r *rand.Rand) time.Duration { return time.Duration(r.Int64N(80e6)) },
		"1 ns or 200": func(r *rand.Rand) time.Duration { return []time.Duration{1, 200 * time.Millisecond}[r.IntN(2)] },
	}
	for _, name := range scenes.Names() {
		t.Run(name, func(t *testing.T) {
			var want []uint64
			for label, next := range schedules {
				s := start(t, of(name))
				r := &recorder{s: s}
				s.engine.Add(ecs.FixedEnd, r)
				random := rand.New(rand.NewPCG(3, 4))
				for s.Time().Normal < seconds*time.Second {
					s.Update(next(random))
				}
				n := min(len(r.hashes), len(want))
				if want == nil {
					want, n = r.hashes, 0
				}
				for i := range n {
					if r.hashes[i] != want[i] {
						t.Fatalf("%s: tick %d differs from that of another schedule", label, i)
					}
				}
				if len(r.hashes) < seconds*s.Time().Rate {
					t.Fatalf("%s: %d steps in %d seconds at %d Hz", label, len(r.hashes), seconds, s.Time().Rate)
				}
			}
			still := 0
			for i := 1; i < len(want); i++ {
				if want[i] == want[i-1] {
					still++
				}
			}
			if still > 0 {
				t.Errorf("%d of %d steps changed nothing: the comparison may be of nothing", still, len(want))
			}
		})
	}
}

// The picture at a time does not depend on the frames before.
func TestPictureDependsOnTimeOnly(t *testing.T) {
	const end = 4321987654 * time.Nanosecond
	for _, name := range scenes.Names() {
		t.Run(name, func(t *testing.T) {
			var want string
			for round := range 3 {
				s := start(t, of(name))
				random := rand.New(rand.NewPCG(uint64(round), 0))
				for s.Time().Real < end {
					s.Update(min(time.Duration(random.Int64N(int64(time.Second/time.Duration(5+round*40)))), end-s.Time().Real))
				}
				var b strings.Builder
				s.Scene().Trace(func(name string, logical, visual components.Pose3D) { fmt.Fprintln(&b, name, logical, visual) })
				for _, f := range s.Followed() {
					fmt.Fprintln(&b, f.Name, f.Position())
				}
				if round == 0 {
					want = b.String()
				} else if b.String() != want {
					t.Errorf("round %d:\n got %s\nwant %s", round, b.String(), want)
				}
			}
		})
	}
}

func TestApply(t *testing.T) {
	s := start(t, of("lanes"))
	if s.Settings().Rate != 60 {
		t.Fatalf("the lanes' own rate is %d, want 60", s.Settings().Rate)
	}
	change := func(f func(*settings.Settings)) bool {
		t.Helper()
		set := s.Settings()
		f(&set)
		restarted, err := s.Apply(set)
		if err != nil {
			t.Fatal(err)
		}
		return restarted
	}
	s.Update(time.Second / 10)
	if change(func(set *settings.Settings) { set.Rate, set.Speed, set.Interpolate = 10, 0.5, false }) {
		t.Error("rate, speed and interpolation start the scene anew")
	}
	normal := s.Time().Normal
	s.Update(100 * time.Millisecond)
	if now := s.Time(); now.Rate != 10 || now.Normal != normal+50*time.Millisecond {
		t.Errorf("got %+v", now)
	}
	s.Scene().Trace(func(_ string, logical, visual components.Pose3D) {
		if logical != visual {
			t.Errorf("without interpolation %v is drawn at %v", logical, visual)
		}
	})

	change(func(set *settings.Settings) { set.Paused = true })
	before := s.Time()
	s.Update(100 * time.Millisecond)
	if now := s.Time(); now.Normal != before.Normal || now.Tick != before.Tick {
		t.Errorf("paused, but time goes on: %+v", now)
	}
	if err := s.Step(); err != nil {
		t.Fatal(err)
	}
	s.Update(100 * time.Millisecond)
	if now := s.Time(); now.Tick != before.Tick+1 || now.Normal != now.Fixed-1 {
		t.Errorf("a single step led from %+v to %+v", before, now)
	}
	change(func(set *settings.Settings) { set.Paused = false })
	before = s.Time()
	s.Update(100 * time.Millisecond)
	if now := s.Time(); now.Normal != before.Normal+50*time.Millisecond {
		t.Errorf("after the pause the speed is not what it was: %+v", now)
	}

	if !change(func(set *settings.Settings) { set.Scene, set.Rate = "physics", 0 }) || s.Time().Rate != 15 || s.Time().Tick != 0 {
		t.Errorf("another scene: %+v", s.Time())
	}
	if !change(func(set *settings.Settings) { set.Adaptive = true }) || !change(func(set *settings.Settings) { set.Rate = 30 }) {
		t.Error("adaptive rates are given when an engine is made")
	}
	if err := s.Restart(); err != nil || s.Time().Tick != 0 || s.Settings().Scene != "physics" {
		t.Errorf("restart: %v, %+v", err, s.Time())
	}
	set := s.Settings()
	set.Scene = "nowhere"
	if _, err := s.Apply(set); err == nil || s.Settings().Scene != "physics" {
		t.Errorf("a scene that does not exist gave %v and left %q", err, s.Settings().Scene)
	}
	s.Update(time.Second) // the scene that was there still runs
}

// Changes of the network reach a scene that has one, without a new start.
func TestApplyLink(t *testing.T) {
	trace := func(change func(*settings.Link)) string {
		s := start(t, of("lab"))
		var b strings.Builder
		for frame := range 240 {
			if frame == 60 {
				set := s.Settings()
				change(&set.Link)
				if restarted, err := s.Apply(set); err != nil || restarted {
					t.Fatalf("restarted %v, error %v", restarted, err)
				}
			}
			s.Update(time.Second / 60)
			s.Scene().Trace(func(name string, logical, _ components.Pose3D) {
				if name != "truth" {
					fmt.Fprintln(&b, name, logical)
				}
			})
		}
		return b.String()
	}
	seen := map[string]string{}
	for name, change := range map[string]func(*settings.Link){
		"nothing": func(*settings.Link) {},
		"latency": func(l *settings.Link) { l.Latency = 0 }, "jitter": func(l *settings.Link) { l.Jitter = 1 }, "loss": func(l *settings.Link) { l.Loss = 0 },
		"bursts": func(l *settings.Link) { l.Burst = 0.05 }, "reordering": func(l *settings.Link) { l.Reorder = 0.3 },
		"send rate": func(l *settings.Link) { l.SendRate = 10 },
	} {
		run := trace(change)
		if other, ok := seen[run]; ok {
			t.Errorf("a change of %s and one of %s make the same run", name, other)
		}
		seen[run] = name
	}
}

// The same seed is the same run, another one is not.
func TestSeed(t *testing.T) {
	pose := func(seed uint64) (p components.Pose3D) {
		set := of("physics")
		set.Seed = seed
		s := start(t, set)
		for range 60 {
			s.Update(50 * time.Millisecond)
		}
		s.Scene().Trace(func(name string, logical, _ components.Pose3D) {
			if name == "ball-1" {
				p = logical
			}
		})
		return p
	}
	if pose(1) != pose(1) {
		t.Error("two runs of one seed differ")
	}
	if pose(1) == pose(2) {
		t.Error("two seeds make the same run")
	}
}

// Bodies stay within the drum, also at the lowest rate and with the most of them at a higher one.
func TestPhysicsKeepsItsBodies(t *testing.T) {
	for _, test := range []struct{ rate, entities, seconds int }{{1, 150, 10}, {15, 150, 10}, {30, 400, 3}} {
		set := of("physics")
		set.Rate, set.Entities = test.rate, test.entities
		s := start(t, set)
		for s.Time().Normal < time.Duration(test.seconds)*time.Second {
			s.Update(100 * time.Millisecond)
		}
		radius := 4.2 * math.Max(0.6, math.Sqrt(float64(test.entities)/150))
		query := generic.NewFilter1[components.Transform2D]().Query(s.World())
		out := 0
		for query.Next() {
			if p := query.Get().Get().Position; float64(p.Len()) > radius || math.IsNaN(float64(p[0])) {
				out++
			}
		}
		if out > 0 {
			t.Errorf("%d Hz: %d of %d bodies have left the drum", test.rate, out, test.entities)
		}
	}
}
