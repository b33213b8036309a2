package netcode_test

import (
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// motleyGame is a game that leaves everything out that has a default.
func motleyGame() netcode.Game[motley, input] {
	return netcode.Game[motley, input]{
		Step: func(m motley, _ input, _ netcode.Tick) motley { return m },
		Pose: func(m motley) components.Pose3D { return components.Pose3D{Position: m.At} },
	}
}

func motleyDistance(t testing.TB) func(a, b motley) float64 {
	t.Helper()
	p, err := netcode.NewProtocol(netcode.Config{}, motleyGame())
	if err != nil {
		t.Fatal(err)
	}
	distance, tolerance := p.DistanceForTest()
	if tolerance != 0.001 {
		t.Errorf("a Tolerance of %v, want 0.001", tolerance)
	}
	return distance
}

// The default Distance is the largest difference of a floating-point number, and infinite if
// another field differs.
func TestDefaultDistance(t *testing.T) {
	distance := motleyDistance(t)
	equal, near, infinite := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := drawMotley(t)
		b := a
		switch rapid.IntRange(0, 3).Draw(t, "differs") {
		case 0:
		case 1: // one number
			i := rapid.IntRange(0, 2).Draw(t, "axis")
			b.At[i] = rapid.Float32().Draw(t, "b")
		case 2:
			b.At = mgl32.Vec3{rapid.Float32().Draw(t, "b0"), a.At[1], rapid.Float32().Draw(t, "b2")}
			b.Wide.F = rapid.Float64().Draw(t, "bf")
		default:
			b = drawMotley(t)
		}
		rest, of := a, b
		want := 0.0
		for i := range a.At {
			want = max(want, math.Abs(float64(a.At[i])-float64(b.At[i])))
			rest.At[i], of.At[i] = 0, 0
		}
		want = max(want, math.Abs(a.Wide.F-b.Wide.F))
		rest.Wide.F, of.Wide.F = 0, 0
		if rest != of {
			want = math.Inf(1)
		}
		if got := distance(a, b); got != want || distance(b, a) != want {
			t.Fatalf("%+v and %+v: %v and %v, want %v", a, b, got, distance(b, a), want)
		}
		switch {
		case want == 0:
			equal++
		case math.IsInf(want, 1):
			infinite++
		default:
			near++
		}
	})
	if !testing.Short() && (equal == 0 || near == 0 || infinite == 0) {
		t.Errorf("%d equal pairs, %d near ones and %d infinitely apart; want some of each", equal, near, infinite)
	}
}

// Every field counts, also the last byte of each, and values that are not finite.
func TestDefaultDistanceSeesEveryField(t *testing.T) {
	distance := motleyDistance(t)
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for what, change := range map[string]func(m *motley){
		"On":     func(m *motley) { m.On = true },
		"Stick":  func(m *motley) { m.Stick[1] = 1 },
		"HP":     func(m *motley) { m.HP = 256 },
		"Ammo":   func(m *motley) { m.Ammo = 1 },
		"Still":  func(m *motley) { m.Still = 1 << 24 },
		"Stance": func(m *motley) { m.Stance = 1 },
		"D":      func(m *motley) { m.Wide.D = 1 << 56 },
		"U":      func(m *motley) { m.Wide.U = 1 << 56 },
		"I":      func(m *motley) { m.Wide.I = 1 << 24 },
		"N":      func(m *motley) { m.Wide.N = 1 << 24 },
		"small":  func(m *motley) { m.small = 256 },
		"NaN":    func(m *motley) { m.At[1] = nan },
		"NaN 64": func(m *motley) { m.Wide.F = math.NaN() },
		"Inf":    func(m *motley) { m.At[2] = inf },
	} {
		var a, b motley
		change(&b)
		if d := distance(a, b); !math.IsInf(d, 1) {
			t.Errorf("%s: %v, want infinity", what, d)
		}
		if d := distance(b, b); d != 0 {
			t.Errorf("%s: %v from itself", what, d)
		}
	}
	a, b := motley{}, motley{At: mgl32.Vec3{0, -0.25, 0}}
	b.Wide.F = 0.5
	if d := distance(a, b); d != 0.5 {
		t.Errorf("a half: %v", d)
	}
}

func TestDefaultDistanceAllocatesNothing(t *testing.T) {
	distance := motleyDistance(t)
	a, b := motley{HP: 1}, motley{HP: 1, At: mgl32.Vec3{1, 2, 3}}
	if n := testing.AllocsPerRun(100, func() { distance(a, b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A Tolerance beside a nil Distance stays. A Distance beside a zero Tolerance means zero.
func TestTolerancesAreKept(t *testing.T) {
	game := motleyGame()
	game.Tolerance = 0.5
	p, err := netcode.NewProtocol(netcode.Config{}, game)
	if err != nil {
		t.Fatal(err)
	}
	if _, tolerance := p.DistanceForTest(); tolerance != 0.5 {
		t.Errorf("a Tolerance of %v, want 0.5", tolerance)
	}
	game.Tolerance, game.Distance = 0, func(a, b motley) float64 { return 1 }
	if p, err = netcode.NewProtocol(netcode.Config{}, game); err != nil {
		t.Fatal(err)
	}
	if distance, tolerance := p.DistanceForTest(); tolerance != 0 || distance(motley{}, motley{}) != 1 {
		t.Errorf("a Tolerance of %v, want 0 beside a Distance", tolerance)
	}
}

type nameCodec struct{}

func (nameCodec) Write(*netcode.Writer, labelled) {}
func (nameCodec) Read(*netcode.Reader) labelled   { return labelled{} }

type labelled struct {
	HP   int
	Name string
}

// A state that is not numbers needs a Distance of its own, and the error names the field.
func TestDistanceForOtherStatesIsRequired(t *testing.T) {
	game := netcode.Game[labelled, input]{
		Step:   func(n labelled, _ input, _ netcode.Tick) labelled { return n },
		Pose:   func(labelled) components.Pose3D { return components.Pose3D{} },
		States: nameCodec{},
	}
	_, err := netcode.NewProtocol(netcode.Config{}, game)
	if err == nil || !strings.Contains(err.Error(), "Name string") || !strings.Contains(err.Error(), "set Distance") {
		t.Errorf("a state with a string: %v", err)
	}
	game.Distance = func(a, b labelled) float64 { return math.Abs(float64(a.HP - b.HP)) }
	if _, err := netcode.NewProtocol(netcode.Config{}, game); err != nil {
		t.Error(err)
	}
	if _, err := netcode.NewProtocol(netcode.Config{}, netcode.Game[motley, input]{}); err == nil || !strings.Contains(err.Error(), "Step and Pose") {
		t.Errorf("an empty Game: %v", err)
	}
}

func BenchmarkDefaultDistance(b *testing.B) {
	distance := motleyDistance(b)
	x, y := motley{HP: 1}, motley{HP: 1, At: mgl32.Vec3{1, 2, 3}}
	for range b.N {
		distance(x, y)
	}
}
