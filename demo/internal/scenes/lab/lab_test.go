package lab

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// start sets the scene up on an engine of the given rate.
func start(t testing.TB, rate int, seed uint64, link settings.Link) (*Lab, *ecs.Engine) {
	t.Helper()
	engine, err := ecs.New(ecs.Config{FixedRate: rate})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	poses := interpolation.New3D()
	engine.Install(poses)
	s := &Lab{}
	s.Setup(&scene.Stage{Engine: engine, Poses: poses, Random: rand.New(rand.NewPCG(seed, 0)), Link: link})
	return s, engine
}

func run(engine *ecs.Engine, length time.Duration) {
	const frame = time.Second / 60
	for range int(length / frame) {
		engine.Update(frame)
	}
}

func (s *Lab) lane(t testing.TB, name string) *lane {
	t.Helper()
	for _, l := range s.lanes {
		if l.name == name {
			return l
		}
	}
	t.Fatalf("there is no lane %s", name)
	return nil
}

// Without delay and loss every lane shows the body within what its algorithm owes it; at the
// default condition the default is the best of all, and kinds that show the newest snapshot are far
// off.
func TestLanesByTheirFigures(t *testing.T) {
	for seed := range uint64(5) {
		s, engine := start(t, 60, seed, settings.DefaultLink())
		worst := map[string]float64{}
		for range 30 {
			run(engine, time.Second)
			for _, l := range s.lanes {
				rms, lag, ok := l.figures()
				if !ok {
					continue
				}
				worst[l.name] = max(worst[l.name], rms)
				switch {
				case l.name == "truth" || l.body.Timing() == interp.Predictive:
					if math.Abs(lag) > 0.001 {
						t.Errorf("seed %d: %s shows %v s ago, want the present", seed, l.name, lag)
					}
				case l.body.Timing() == interp.Delayed && (lag < 0.15 || lag > 0.28):
					t.Errorf("seed %d: %s lags %v s", seed, l.name, lag)
				}
			}
		}
		if worst["truth"] > 0.02 {
			t.Errorf("seed %d: the truth is %v off: its steps are blended, no more", seed, worst["truth"])
		}
		for name, rms := range worst {
			if name != "truth" && name != "default" && name != "hermite" && rms < worst["default"] {
				t.Errorf("seed %d: %s is off by %v, the default by %v", seed, name, rms, worst["default"])
			}
		}
		if worst["default"] > 0.05 || worst["naive"] < 0.08 || worst["racer"] < 0.2 {
			t.Errorf("seed %d: default %v, naive %v, racer %v", seed, worst["default"], worst["naive"], worst["racer"])
		}
	}
}

// The drawn speed distinguishes stutter from even motion: if nothing is lost, the default's never
// exceeds the body's by more than the view may run fast.
func TestDrawnSpeeds(t *testing.T) {
	link := settings.DefaultLink()
	link.Loss = 0
	s, engine := start(t, 60, 1, link)
	greatest := map[string]float32{}
	run(engine, 3*time.Second)
	for range 20 {
		run(engine, time.Second)
		for _, l := range s.lanes {
			l.each(func(_ int, c column) { greatest[l.name] = max(greatest[l.name], c.high) })
		}
	}
	if v := greatest["truth"]; v > 1.01*runSpeed || v < 0.99*runSpeed {
		t.Errorf("the truth is drawn at up to %v units/s, want %v", v, runSpeed)
	}
	if v := greatest["default"]; v > 1.12*runSpeed || v < 0.95*runSpeed {
		t.Errorf("the default is drawn at up to %v units/s, want about %v", v, runSpeed)
	}
	if v := greatest["naive"]; v < 1.5*runSpeed {
		t.Errorf("the naive lane is drawn at up to %v units/s: it should stutter", v)
	}
}

// All keys' values and the worst that flags can ask for, with changes on the way: everything stays
// finite and within the lane and what extrapolation adds.
func TestAnyLink(t *testing.T) {
	for i, link := range []settings.Link{
		{SendRate: 30},
		{Latency: settings.MaxLatency, Jitter: settings.MaxLatency, Loss: 0.5, Burst: 0.05, Duplicate: 1, Reorder: 1, SendRate: settings.MaxSendRate},
		{Latency: 400 * time.Millisecond, Jitter: 1, Reorder: 0.3, SendRate: 1},
		{Loss: 1, SendRate: 30},
		{Burst: 1, SendRate: 60},
	} {
		for _, rate := range []int{5, 60, 120} {
			s, engine := start(t, rate, uint64(i), link)
			for k := range 4 {
				run(engine, 2*time.Second)
				if k == 1 {
					s.SetLink(settings.DefaultLink())
				}
				for _, l := range s.lanes {
					p := s.logical(l).Position
					if !(mgl32.Abs(p[0]) < reach+6) || p[1] != bodySize/2 || mgl32.Abs(p[2]-l.z) > 1e-3 {
						t.Fatalf("link %d at %d Hz: %s is at %v", i, rate, l.name, p)
					}
				}
			}
			if !s.lane(t, "default").started {
				t.Errorf("link %d at %d Hz: nothing has come, four seconds after the network was mended", i, rate)
			}
		}
	}
}

func TestStepsAllocateNothing(t *testing.T) {
	s, engine := start(t, 60, 1, settings.DefaultLink())
	run(engine, 5*time.Second)
	if n := testing.AllocsPerRun(200, func() { engine.Update(time.Second / 60) }); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
	if len(s.lanes) != 11 {
		t.Errorf("%d lanes, want the truth and ten kinds", len(s.lanes))
	}
}

// Every lane has its row of the panel, beside it, within the picture. Drawing allocates nothing.
func TestPanel(t *testing.T) {
	s, engine := start(t, 60, 1, settings.DefaultLink())
	run(engine, 5*time.Second)
	var brush scene.Brush
	for _, size := range []render.Size{{Width: 320, Height: 240}, {Width: 640, Height: 360}, {Width: 1280, Height: 720}, {Width: 3840, Height: 2160, Scale: 2}, {Width: 1000, Height: 2000}} {
		for _, turned := range []float32{0, 2} {
			frame := render.NewFrame(render.Daylight())
			draw := func(labels, figures bool) {
				frame.Begin(size)
				o := s.Camera(engine.Time())
				o.Rotate(turned, 0)
				view := frame.View(o.Camera())
				brush.Reset()
				s.Draw(&scene.Picture{View: view, Overlay: &frame.Overlay, Theme: &frame.Theme, Brush: &brush, Now: engine.Time(), Ghosts: true, Labels: labels, Figures: figures})
				brush.Show(view)
			}
			draw(false, false)
			if n := len(frame.Overlay.Vertices()); n != 0 {
				t.Errorf("%v: %d vertices of text that nobody wants", size, n)
			}
			draw(true, true)
			vertices := frame.Overlay.Vertices()
			if size.Width >= 640 && len(vertices) < 1000 {
				t.Errorf("%v: %d vertices: is there a panel?", size, len(vertices))
			}
			for _, v := range vertices {
				if v.X < 0 || v.Y < 0 || v.X > float32(size.Width) || v.Y > float32(size.Height) {
					t.Errorf("%v: something is drawn at %v, %v", size, v.X, v.Y)
					break
				}
			}
			all := len(vertices)
			draw(true, false)
			if n := len(frame.Overlay.Vertices()); size.Width >= 640 && (n < 300 || n > all*3/4) {
				t.Errorf("%v: %d vertices with the names of the lanes only, %d with figures and graphs", size, n, all)
			}
			if n := testing.AllocsPerRun(20, func() { draw(true, true) }); n != 0 {
				t.Errorf("%v: %v allocations per frame", size, n)
			}
		}
	}
}

// The rows of the trace are named by lane, the truth first and the default last.
func TestTraceNames(t *testing.T) {
	s, _ := start(t, 60, 1, settings.DefaultLink())
	var names []string
	s.Trace(func(name string, _, _ components.Pose3D) { names = append(names, name) })
	want := []string{"truth", "naive", "chase", "linear", "hermite", "guarded", "racer", "spline", "projective", "offset", "default"}
	if len(names) != len(want) {
		t.Fatalf("%v, want %v", names, want)
	}
	for i := range want {
		if names[i] != want[i] {
			t.Errorf("row %d is %s, want %s", i, names[i], want[i])
		}
	}
}

// The panel's share of bursts is the link's.
func TestBurstLoss(t *testing.T) {
	if lost := (settings.Link{}).BurstLoss(); lost != 0 {
		t.Errorf("no bursts lose %v", lost)
	}
	for _, enter := range []float64{0.01, 0.05, 1} {
		set := settings.Link{Burst: enter, SendRate: 30}
		link := mustLink(condition(set, 1))
		for range 200_000 {
			link.Push(0, nil)
			link.Pop(0)
		}
		stats := link.Stats()
		if lost := float64(stats.BurstLost) / float64(stats.Pushed); math.Abs(lost-set.BurstLoss()) > 0.15*set.BurstLoss() {
			t.Errorf("bursts begin with %v: %v lost, said to be %v", enter, lost, set.BurstLoss())
		}
	}
}
