package snapshot_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

func schema(t testing.TB, c snapshot.Config) *snapshot.Schema {
	t.Helper()
	s, err := snapshot.NewSchema(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestQuantizedWithinHalfAStep(t *testing.T) {
	s := schema(t, snapshot.Config{
		Position: snapshot.Grid{Min: mgl32.Vec3{-100, 0, -7}, Max: mgl32.Vec3{100, 10, -7}, Resolution: 1.0 / 512},
		Velocity: snapshot.Range{Max: 20, Resolution: 0.125},
		Angular:  snapshot.Range{Max: 10, Resolution: 0.25},
	})
	rapid.Check(t, func(t *rapid.T) {
		vector := func(name string, low, high float32) (v mgl32.Vec3) {
			for k := range v {
				v[k] = rapid.Float32Range(low, high).Draw(t, name)
			}
			return v
		}
		in := snapshot.State{
			Position:      vector("position", -150, 150),
			Velocity:      vector("velocity", -30, 30),
			Angular:       vector("angular", -12, 12),
			Rotation:      mgl32.QuatIdent(),
			Discontinuity: rapid.Uint8().Draw(t, "discontinuity"),
			Age:           time.Duration(rapid.Int64Range(-10, 1000).Draw(t, "age")) * time.Millisecond,
		}
		out := s.Quantize(in)
		if again := s.Quantize(out); again != out {
			t.Fatalf("%+v is quantised once more to %+v", out, again)
		}
		near := func(name string, got, want, low, high, step float64) {
			if want = max(low, min(high, want)); math.Abs(got-want) > step/2*1.0001 {
				t.Fatalf("%s %v became %v", name, want, got)
			}
		}
		low, high := [3]float64{-100, 0, -7}, [3]float64{100, 10, -7}
		for k := range 3 {
			near("position", float64(out.Position[k]), float64(in.Position[k]), low[k], high[k], 1.0/512)
			near("velocity", float64(out.Velocity[k]), float64(in.Velocity[k]), -20, 20, 0.125)
			near("angular velocity", float64(out.Angular[k]), float64(in.Angular[k]), -10, 10, 0.25)
		}
		near("age", out.Age.Seconds(), in.Age.Seconds(), 0, 255.0/480, 1.0/480)
		if out.Discontinuity != in.Discontinuity {
			t.Fatal("the discontinuity changed")
		}
		in.AtRest = true
		if out := s.Quantize(in); out.Velocity != (mgl32.Vec3{}) || out.Angular != (mgl32.Vec3{}) || !out.AtRest {
			t.Fatalf("at rest: %+v", out)
		}
	})
}

// TestRotationBounds checks the greatest error of a rotation for each number of bits. It is
// greatest for rotations with four equal components.
func TestRotationBounds(t *testing.T) {
	for _, test := range []struct {
		bits int
		most float64 // degrees
	}{{9, 0.55}, {10, 0.28}, {11, 0.14}, {12, 0.068}, {13, 0.034}, {15, 0.0085}} {
		s := schema(t, snapshot.Config{RotationBits: test.bits})
		r := rand.New(rand.NewPCG(uint64(test.bits), 1))
		worst, sum := 0.0, 0.0
		const n = 100_000
		for i := range n {
			q := mgl32.Quat{W: float32(r.NormFloat64()), V: mgl32.Vec3{float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())}}
			if i%2 == 0 { // near the worst
				for k := range 3 {
					q.V[k] = 1 + 0.01*q.V[k]
				}
				q.W = -1 + 0.01*q.W
			}
			out := s.Quantize(snapshot.State{Rotation: q}).Rotation
			if l := out.Len(); math.Abs(float64(l)-1) > 1e-6 {
				t.Fatalf("%v became %v of length %v", q, out, l)
			}
			e := angle(q, out)
			worst = math.Max(worst, e)
			sum += e * e
		}
		t.Logf("%d bits: rms %.4f, max %.4f degrees", test.bits, math.Sqrt(sum/n), worst)
		if worst > test.most || worst < test.most*0.6 {
			t.Errorf("%d bits: off by up to %.4f degrees, stated is %.4f", test.bits, worst, test.most)
		}
	}
}

// TestAbsurdStates checks that states of a broken simulation do not break the wire.
func TestAbsurdStates(t *testing.T) {
	s := schema(t, snapshot.Config{Velocity: snapshot.Range{Max: 16, Resolution: 0.125}})
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range []float32{nan, inf, -inf, math.MaxFloat32, -math.MaxFloat32, 0} {
		for _, q := range []mgl32.Quat{{}, {W: v}, {W: 1, V: mgl32.Vec3{v, 0, 0}}, {V: mgl32.Vec3{v, v, v}}, {W: 1e-20}, {W: -5}} {
			out := s.Quantize(snapshot.State{Position: mgl32.Vec3{v, 0, v}, Velocity: mgl32.Vec3{v, v, v}, Rotation: q})
			for k := range 3 {
				if p := out.Position[k]; !(p >= -1024 && p <= 1024) || out.Velocity[k] < -16 || out.Velocity[k] > 16 {
					t.Errorf("%v, %v became %+v", v, q, out)
				}
			}
			if l := out.Rotation.Len(); !(math.Abs(float64(l)-1) < 1e-6) {
				t.Errorf("rotation %v became %v", q, out.Rotation)
			}
			if again := s.Quantize(out); again != out {
				t.Errorf("%+v is quantised once more to %+v", out, again)
			}
		}
	}
	if out := s.Quantize(snapshot.State{Position: mgl32.Vec3{nan, 0, 0}}); out.Position != (mgl32.Vec3{}) {
		t.Errorf("a position that is not a number became %v", out.Position)
	}
}

func TestConfigErrors(t *testing.T) {
	grid := func(f func(*snapshot.Grid)) snapshot.Config {
		g := snapshot.Grid{Min: mgl32.Vec3{-1, -1, -1}, Max: mgl32.Vec3{1, 1, 1}, Resolution: 0.01}
		f(&g)
		return snapshot.Config{Position: g}
	}
	nan := float32(math.NaN())
	for want, c := range map[string]snapshot.Config{
		"TickRate is -1":              {TickRate: -1},
		"TickRate is 2000":            {TickRate: 2000},
		"MaxEntities is 65536":        {MaxEntities: 65536},
		"MaxEntities is -5":           {MaxEntities: -5},
		"RotationBits is 8":           {RotationBits: 8},
		"RotationBits is 16":          {RotationBits: 16},
		"History is 1:":               {History: 1},
		"Revisions is 2000":           {Revisions: 2000},
		"Resolution is 0":             grid(func(g *snapshot.Grid) { g.Resolution = 0 }),
		"Resolution is NaN":           grid(func(g *snapshot.Grid) { g.Resolution = nan }),
		"Resolution is -1":            grid(func(g *snapshot.Grid) { g.Resolution = -1 }),
		"spans -1 to -2 on axis 0":    grid(func(g *snapshot.Grid) { g.Max[0] = -2 }),
		"spans NaN to 1 on axis 2":    grid(func(g *snapshot.Grid) { g.Min[2] = nan }),
		"spans -1 to 1e+09 on axis 1": grid(func(g *snapshot.Grid) { g.Max[1] = 1e9 }),
		"Config.Velocity is":          {Velocity: snapshot.Range{Max: 1}},
		"Config.Angular is":           {Angular: snapshot.Range{Max: 1e6, Resolution: 0.1}},
	} {
		if _, err := snapshot.NewSchema(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if c := schema(t, snapshot.Config{}).Config(); c.TickRate != 60 || c.MaxEntities != 4096 || c.RotationBits != 11 || c.History != 32 || c.Revisions != 64 || c.Position.Resolution != 1.0/512 {
		t.Errorf("defaults %+v", c)
	}
}
