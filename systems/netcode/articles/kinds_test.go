package articles

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

const step = time.Second / 60

var seeds = []interp.Kind{SeedChase, SeedLinear, SeedRacer}

func at(t time.Duration) interp.Sample {
	return interp.Sample{Time: t, Rotation: mgl32.QuatIdent()}
}

// straight runs along x at 6 m/s.
func straight(t time.Duration) interp.Sample {
	s := at(t)
	s.Position, s.Velocity, s.Has = mgl32.Vec3{float32(6 * t.Seconds())}, mgl32.Vec3{6}, interp.HasVelocity
	return s
}

// circle needs a correction at every packet.
func circle(t time.Duration) interp.Sample {
	sin, cos := math.Sincos(t.Seconds())
	s := at(t)
	s.Position = mgl32.Vec3{float32(20 * cos), 0, float32(20 * sin)}
	s.Velocity, s.Has = mgl32.Vec3{float32(-20 * sin), 0, float32(20 * cos)}, interp.HasVelocity
	return s
}

func TestKindNames(t *testing.T) {
	seen := map[string]bool{}
	for i, k := range Kinds() {
		name := Name(k)
		if own := i >= len(interp.Kinds()); own != (k >= 128) || !own && name != k.String() {
			t.Errorf("Kinds()[%d] is %d, called %s", i, k, name)
		}
		if name == "" || seen[name] || strings.ToLower(name) != name || strings.Contains(name, " ") {
			t.Errorf("kind %d is called %q: want a unique lower-case word", k, name)
		}
		seen[name] = true
		for _, text := range []string{name, strings.ToUpper(name)} {
			if got, err := ParseKind(text); err != nil || got != k {
				t.Errorf("ParseKind(%q) = %v, %v", text, got, err)
			}
		}
		if d := Display(k); d == "" || utf8.RuneCountInString(d) > 20 {
			t.Errorf("%s is displayed as %q", name, d)
		}
		if New(k, interp.Config{}) == nil {
			t.Errorf("New(%s) is nil", name)
		}
	}
	if k, err := ParseKind(""); k != interp.Default || err != nil {
		t.Errorf("the empty name is %v, %v; want the default", k, err)
	}
	_, err := ParseKind("cubicle")
	if err == nil || !strings.Contains(err.Error(), "cubicle") || !strings.Contains(err.Error(), "default, naive") || !strings.Contains(err.Error(), "seed-racer") {
		t.Errorf("the error must name what was asked for and what there is: %v", err)
	}
}

func TestNewPanicsWithTheRemedy(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "ParseKind") {
			t.Errorf("panics with %q", text)
		}
	}()
	New(200, interp.Config{})
}

func TestNothingIsDrawnBeforeTheFirstSample(t *testing.T) {
	for _, k := range seeds {
		s, info := New(k, interp.Config{}).At(time.Second, time.Second)
		if !info.Empty || s.Position != (mgl32.Vec3{}) || s.Rotation != mgl32.QuatIdent() {
			t.Errorf("%s without samples: %+v, %+v", Name(k), s, info)
		}
	}
}

// A body appears at its place, as a discontinuity.
func TestFirstState(t *testing.T) {
	for _, k := range seeds {
		it := New(k, interp.Config{})
		s := at(time.Second)
		s.Position = mgl32.Vec3{100, 0, 0}
		s.Velocity, s.Has = mgl32.Vec3{6, 0, 0}, interp.HasVelocity
		it.Push(0, s)
		st, info := it.At(0, 900*ms)
		if !info.Discontinuity {
			t.Errorf("%s: the first state must be a discontinuity", Name(k))
		}
		if st.Position.Sub(s.Position).Len() > 1 {
			t.Errorf("%s flies in from %v", Name(k), st.Position)
		}
	}
}

func TestResetClears(t *testing.T) {
	for _, k := range seeds {
		it := New(k, interp.Config{})
		for i := range 5 {
			s := at(time.Duration(i) * 33 * ms)
			s.Position[0] = float32(i)
			it.Push(s.Time, s)
			it.At(s.Time, s.Time)
		}
		it.Reset()
		if _, info := it.At(time.Second, time.Second); !info.Empty {
			t.Errorf("%s after Reset: %+v", Name(k), info)
		}
		s := at(0) // older than all earlier samples
		s.Position[0] = 7
		it.Push(time.Second, s)
		st, info := it.At(time.Second, 0)
		if st.Position[0] != 7 || !info.Discontinuity {
			t.Errorf("%s after Reset and a sample: %v, %+v", Name(k), st.Position, info)
		}
	}
}

func TestNothingIsAllocatedPerSampleOrState(t *testing.T) {
	for _, k := range seeds {
		it := New(k, interp.Config{})
		now := time.Duration(0)
		turn := func() {
			it.Push(now, circle(now))
			it.Push(now, circle(now-50*ms))
			for range 2 {
				it.At(now, now-100*ms)
				now += step
			}
		}
		for range 100 {
			turn()
		}
		if n := testing.AllocsPerRun(1000, turn); n != 0 {
			t.Errorf("%s allocates %v times per sample", Name(k), n)
		}
	}
	m := NewMirrorEngine(0)
	now := time.Duration(0)
	if n := testing.AllocsPerRun(2000, func() {
		m.Arrive(now, now-100*ms)
		m.View(now)
		now += step
	}); n != 0 {
		t.Errorf("the Mirror engine allocates %v times per frame", n)
	}
}

// FuzzSeeds uses its input as samples of any content at any times. No kind may panic.
func FuzzSeeds(f *testing.F) {
	f.Add([]byte("a body moves from here to there and back, and nobody knows why it should"))
	f.Add(make([]byte, 400))
	f.Add([]byte{0xff, 0xff, 0x7f, 0xff, 0xff, 0x7f, 0xff, 0, 0, 0, 0xc0, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		var its []interp.Interpolator
		for _, k := range seeds {
			its = append(its, New(k, interp.Config{}))
		}
		m := NewMirrorEngine(0)
		next := func() (x uint64) {
			for range min(8, len(data)) {
				x, data = x<<8|uint64(data[0]), data[1:]
			}
			return x
		}
		float := func() float32 { return math.Float32frombits(uint32(next())) }
		vec := func() mgl32.Vec3 { return mgl32.Vec3{float(), float(), float()} }
		now := time.Duration(0)
		for len(data) > 0 {
			op := next()
			s := interp.Sample{Time: time.Duration(next()), Discontinuity: uint8(op), AtRest: op&2 != 0, Has: interp.Has(op >> 4 & 7)}
			s.Position, s.Velocity, s.Scale, s.Rotation = vec(), vec(), vec(), mgl32.Quat{W: float(), V: vec()}
			for _, it := range its {
				it.Push(now, s)
				it.At(now, now-time.Duration(op%1e9))
			}
			m.Arrive(now, s.Time)
			m.View(now)
			now += time.Duration(op % 1e9)
		}
	})
}

// A body grows from 1 to 3 in a second. All kinds show what the samples say, and one without a
// scale at 1.
func TestScales(t *testing.T) {
	for _, k := range seeds {
		it, last := New(k, interp.Config{}), float32(1)
		for now := time.Duration(0); now < 2*time.Second; now += step {
			s := at(now)
			if x := float32(min(now, time.Second).Seconds()); now > 0 {
				s.Scale, s.Has = mgl32.Vec3{1 + 2*x, 1, 0}, interp.HasScale
			}
			it.Push(now, s)
			got, _ := it.At(now, now-3*step)
			if got.Has != interp.HasScale || got.Scale[0] < last || got.Scale[0] > last+0.05 {
				t.Fatalf("%s: at %v the scale is %v, after %v", Name(k), now, got.Scale, last)
			}
			last = got.Scale[0]
		}
		if got, _ := it.At(2*time.Second, 2*time.Second); got.Scale != (mgl32.Vec3{3, 1, 0}) {
			t.Errorf("%s: ends at a scale of %v", Name(k), got.Scale)
		}
	}
}
