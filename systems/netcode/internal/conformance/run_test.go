package conformance

import (
	"math"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// A motion's velocity is the derivative of its position, except at kinks.
func TestMotionsAreConsistent(t *testing.T) {
	all := append(Motions(), child8)
	for _, m := range all {
		const h = 1e-6
		kinks := 0
		for i := range 20000 {
			at := 0.5 + float64(i)*0.00137
			a, b, c := m.At(at-h), m.At(at), m.At(at+h)
			if a.Discontinuity != c.Discontinuity {
				continue
			}
			v := c.Position.Sub(a.Position).Mul(1 / (2 * h))
			if v.Sub(b.Velocity).Len() > 1e-3 {
				kinks++ // a flip or a bounce lies between
			}
			spin := 2 * math.Asin(min(1, a.Rotation.Conjugate().Mul(c.Rotation).V.Len())) / (2 * h)
			if math.Abs(spin-b.Angular.Len()) > 1e-3 {
				t.Fatalf("%s at %v turns at %v rad/s and says %v", m.ID, at, spin, b.Angular.Len())
			}
			if b.AtRest != (b.Velocity == mgl64.Vec3{}) && m.ID == "M5" {
				t.Fatalf("%s at %v: at rest %v with velocity %v", m.ID, at, b.AtRest, b.Velocity)
			}
		}
		if kinks > 3 {
			t.Errorf("%s: the velocity is not the derivative of the position at %d of 20000 instants", m.ID, kinks)
		}
	}
}

func TestTopSpeedsLookAround(t *testing.T) {
	m := motion("M5")
	top := m.topSpeeds(10 * time.Second)
	for _, tt := range []struct{ at, want float64 }{
		{0.3, 6}, {0.7037 + 0.2, 6}, {0.7037 + 0.3, 0}, {1.3091 - 0.2, 6}, {-1, 6}, {100, 0},
	} {
		if tt.at > 10 {
			tt.want = top.at(10)
		}
		if got := top.at(tt.at); got != tt.want {
			t.Errorf("at %v s %v m/s, want %v", tt.at, got, tt.want)
		}
	}
}

// The measures of a lane of made-up frames are as calculated by hand.
func TestMeasure(t *testing.T) {
	var m Measure
	const dt = 1.0 / 60
	for i := range 100 {
		at := time.Duration(i) * tickLength
		x := 6 * at.Seconds()
		f := Frame{
			Now: at + 200*ms, Claim: at, Drawn: mgl64.Vec3{x, 0, 0}, Turn: upright,
			Truth: Truth{Position: mgl64.Vec3{x, 0, 0}, Rotation: upright},
		}
		switch {
		case i == 50: // a jump of 0.3 m beyond the motion
			f.Drawn[0] += 0.3
		case i >= 90:
			f.Info.Starved = true
			f.Turn = mgl64.QuatRotate(math.Pi/6, mgl64.Vec3{0, 1, 0})
		}
		f.Jumped = i == 20
		m.frame(&f, 6, dt)
		m.rate([]float64{1, 0.97, 1.04, -0.1}[i%4])
	}
	m.finish()
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s %v, want %v", what, got, want)
		}
	}
	near("error rms", m.ErrorRMS, 0.03)
	near("error max", m.ErrorMax, 0.3)
	near("rotation", m.TurnMax, 30)
	near("jump", m.Jump, 0.3)
	near("starved", m.Starved, 0.1)
	near("lag", m.Lag50.Seconds(), 0.2)
	near("lag", m.Lag95.Seconds(), 0.2)
	near("slowest", m.RateMin, -0.1)
	near("fastest", m.RateMax, 1.04)
	// The jump there and back gives second differences of 0.3, -0.6, 0.3.
	near("roughness", m.Rough, 60*60*math.Sqrt((0.09+0.36+0.09)/98))
	near("true roughness", m.TrueRough, 0)
	if m.Back != 25 || m.Jumped != 1 || m.Smeared != 0 {
		t.Errorf("%d steps back, %d jumps, %d smeared", m.Back, m.Jumped, m.Smeared)
	}
	var worst Measure
	worst.worst(&m)
	if worst.ErrorMax != m.ErrorMax || worst.Jump != m.Jump || worst.Back != m.Back {
		t.Error("the worst of one is not that one")
	}
}

// A picture half way through a teleport is counted. One before or after it is not counted.
func TestMeasureTeleports(t *testing.T) {
	var m Measure
	for i, z := range []float64{0, 0, 50, 25, 50, 0} {
		f := Frame{Drawn: mgl64.Vec3{0, 0, z}, Turn: upright, Truth: Truth{Rotation: upright, Discontinuity: 1}, Jumped: i == 2}
		m.frame(&f, 6, 1.0/60)
	}
	m.finish()
	if m.Smeared != 1 || m.Jumped != 0 || m.ErrorMax != 25 {
		t.Errorf("%d smeared, %d jumps, error %v; want 1, 0, 25", m.Smeared, m.Jumped, m.ErrorMax)
	}
}

// One Spec gives one Result, with any other runs at the same time and with any other lanes.
func TestRunIsDeterministic(t *testing.T) {
	spec := Spec{Network: seeds, Motion: motion("M3"), Lanes: Lanes(), Length: 20 * time.Second, Seed: 5}
	a, b := Run(spec), Run(spec)
	if !reflect.DeepEqual(a, b) {
		t.Error("two runs of one Spec differ")
	}
	for i, l := range spec.Lanes {
		alone := spec
		alone.Lanes = []Lane{l}
		if c := Run(alone); !reflect.DeepEqual(c.Lanes[0], a.Lanes[i]) || c.Bytes != a.Bytes {
			t.Errorf("%s is measured otherwise when it is alone", l.Name)
		}
	}
	spec.Seed = 6
	if reflect.DeepEqual(Run(spec), a) {
		t.Error("another seed gives the same result")
	}
	rows := []Row{{Network: base, Motion: "M1", Length: 7 * time.Second}}
	on := func(processors int) []Outcome {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		return compute(rows, lanes(tandem), nil)
	}
	if !reflect.DeepEqual(on(1), on(3)) {
		t.Error("the number of processors changes the result")
	}
}

// A locally simulated body is drawn without error, except for the corners that a step cuts.
func TestLocalLaneIsTheTruth(t *testing.T) {
	for _, tt := range []struct {
		id  string
		max float64
	}{{"M1", 1e-6}, {"M2", 0.0007}, {"M3", 0.05}, {"M6", 1e-6}, {"M7", 1e-6}} {
		m := Run(Spec{Network: base, Motion: motion(tt.id), Lanes: lanes("A local body"), Length: 20 * time.Second, Seed: 1}).Lanes[0]
		if m.ErrorMax > tt.max || m.StepMax > 1e-9 || m.Lag50 != 0 || m.Smeared != 0 {
			t.Errorf("%s: error %v, at steps %v, lag %v", tt.id, m.ErrorMax, m.StepMax, m.Lag50)
		}
	}
}

// On a perfect network the default lags by its formula, and its error is the rounding of the wire.
func TestPerfectNetwork(t *testing.T) {
	res := Run(Spec{Network: ideal, Motion: motion("M1"), Lanes: lanes(tandem), Length: 20 * time.Second, Seed: 1})
	m := res.Lanes[0]
	want := ideal.Interval() + tickLength
	if m.ErrorMax > positionStep || m.Starved != 0 || (m.Lag95-want).Abs() > ms || m.RateMin < 0.9999 || m.RateMax > 1.0001 {
		t.Errorf("error %v, starved %v, lag %v (want %v), rate %v to %v", m.ErrorMax, m.Starved, m.Lag95, want, m.RateMin, m.RateMax)
	}
	if res.Bytes < 30*overhead || res.Bytes > 30*100 {
		t.Errorf("%v bytes per second", res.Bytes)
	}
}

// Only the rate of the client's clock counts. The frame times are the Spec's.
func TestWatchSeesEveryFrame(t *testing.T) {
	for _, tt := range []struct {
		rate float64
		want int
	}{{0, 900}, {8, 120}, {144, 2160}} {
		n := base
		n.FrameRate, n.Epoch = tt.rate, 3*time.Hour
		frames, truths := 0, 0
		Run(Spec{
			Network: n, Motion: motion("M1"), Lanes: lanes(tandem, naive), Length: WarmUp + 15*time.Second, Seed: 1,
			Watch: func(lane int, f *Frame) {
				if lane == 0 {
					frames++
				}
				if f.Now < WarmUp || f.Now > WarmUp+15*time.Second {
					t.Fatalf("a frame at %v", f.Now)
				}
			},
			Truth: func(time.Duration, Truth) { truths++ },
			Step: func(lane int, at, view time.Duration, info *interp.Info) {
				if at < 3*time.Hour || lane == 0 && view > at-3*time.Hour-100*ms {
					t.Fatalf("at %v the view is at %v", at, view)
				}
			},
		})
		if frames < tt.want-1 || frames > tt.want+1 || truths < frames {
			t.Errorf("%v frames a second: %d frames in 15 s, want %d", tt.rate, frames, tt.want)
		}
	}
}

func TestParallelCallsEachOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range []int{1, 3, 50} {
		runtime.GOMAXPROCS(processors)
		var calls [20]atomic.Int32
		parallel(len(calls), func(i int) { calls[i].Add(1) })
		for i := range calls {
			if n := calls[i].Load(); n != 1 {
				t.Errorf("%d processors: %d called %d times", processors, i, n)
			}
		}
	}
}

func TestLaneNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range Lanes() {
		if seen[l.Name] {
			t.Errorf("two lanes are called %q", l.Name)
		}
		seen[l.Name] = true
	}
	kinds := map[interp.Kind]bool{}
	for _, l := range Lanes() {
		if l.Clock != Local {
			kinds[l.Kind] = true
		}
	}
	for _, k := range articles.Kinds() {
		if !kinds[k] {
			t.Errorf("%s is in no lane", articles.Name(k))
		}
	}
}
