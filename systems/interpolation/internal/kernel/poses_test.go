package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
)

type pose = components.Pose3D

// samples returns n pairs of poses like those that the peers are measured with: arcs uniform in 0
// to 90 degrees, every 32nd cur with the opposite sign.
func samples(n int, seed uint64) (prev, cur []pose) {
	r := rand.New(rand.NewPCG(seed, 0))
	prev, cur = make([]pose, n), make([]pose, n)
	normal := func() float32 { return float32(r.NormFloat64()) }
	for i := range prev {
		a, b := &prev[i], &cur[i]
		for k := range 3 {
			a.Position[k] = normal() * 100
			b.Position[k] = a.Position[k] + normal()
			a.Scale[k] = 1 + r.Float32()
			b.Scale[k] = a.Scale[k] * 1.01
		}
		a.Rotation = mgl32.Quat{W: normal(), V: mgl32.Vec3{normal(), normal(), normal()}}
		*a = a.Normalize()
		axis := mgl32.Vec3{normal(), normal(), normal()}.Normalize()
		b.Rotation = mgl32.QuatRotate(r.Float32()*mgl32.DegToRad(90), axis).Mul(a.Rotation)
		*b = b.Normalize()
		if i%32 == 31 {
			b.Rotation = b.Rotation.Scale(-1)
		}
	}
	return prev, cur
}

// awkward floats: everything that arithmetic treats in a way of its own.
var awkward = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 1e6, -1e6, 1e6 + 0.0625, math.MaxFloat32, -math.MaxFloat32,
	math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 1e-39, 1.17549435e-38, 3e38, 1 - 1.0/(1<<24),
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
}

func floats() *rapid.Generator[float32] {
	return rapid.OneOf(rapid.Float32Range(-10, 10), rapid.SampledFrom(awkward), rapid.Float32())
}

// fractions generates t in [0, 1).
func fractions() *rapid.Generator[float32] {
	below := math.Nextafter32(1, 0)
	return rapid.OneOf(rapid.Float32Range(0, below), rapid.SampledFrom([]float32{0, 0.25, 0.5, below, 1e-40, math.SmallestNonzeroFloat32}))
}

// rotations generates unit quaternions, among them those along the axes.
func rotations() *rapid.Generator[mgl32.Quat] {
	return rapid.Custom(func(t *rapid.T) mgl32.Quat {
		c := rapid.OneOf(rapid.Float32Range(-1, 1), rapid.SampledFrom([]float32{0, 1, -1, 1e-20}))
		q := mgl32.Quat{W: c.Draw(t, "w"), V: mgl32.Vec3{c.Draw(t, "x"), c.Draw(t, "y"), c.Draw(t, "z")}}
		return components.NormalizeQuat(q)
	})
}

// pairs generates two poses: unit rotations at any angle, in particular equal, of opposite sign and
// half a turn apart; sometimes complete garbage.
func pairs() *rapid.Generator[[2]pose] {
	return rapid.Custom(func(t *rapid.T) [2]pose {
		var p [2]pose
		f := floats()
		for k := range p {
			for j := range 3 {
				p[k].Position[j] = f.Draw(t, "position")
				p[k].Scale[j] = f.Draw(t, "scale")
			}
			p[k].Rotation = rotations().Draw(t, "rotation")
		}
		a, b := &p[0].Rotation, &p[1].Rotation
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			p[1] = p[0]
		case 1:
			*b = a.Scale(-1)
		case 2: // half a turn about x: the dot product is zero or next to it
			*b = mgl32.Quat{W: -a.V[0], V: mgl32.Vec3{a.W, a.V[2], -a.V[1]}}
		case 3: // a hair's breadth
			*b = *a
			b.W = math.Nextafter32(b.W, 2)
		case 4:
			*b = mgl32.Quat{W: f.Draw(t, "w"), V: mgl32.Vec3{f.Draw(t, "x"), f.Draw(t, "y"), f.Draw(t, "z")}}
		}
		return p
	})
}

func words(p *pose) [10]float32 {
	return [10]float32{
		p.Position[0], p.Position[1], p.Position[2], p.Rotation.W, p.Rotation.V[0], p.Rotation.V[1], p.Rotation.V[2],
		p.Scale[0], p.Scale[1], p.Scale[2],
	}
}

// sameBits compares bit for bit, but takes one NaN for another.
func sameBits(a, b *pose) bool {
	x, y := words(a), words(b)
	for k := range x {
		if math.Float32bits(x[k]) != math.Float32bits(y[k]) && (x[k] == x[k] || y[k] == y[k]) {
			return false
		}
	}
	return true
}

func wantSame(t rapid.TB, what string, got, want []pose) {
	t.Helper()
	for i := range want {
		if !sameBits(&got[i], &want[i]) {
			t.Fatalf("%s, row %d of %d:\n got %v\nwant %v", what, i, len(want), got[i], want[i])
		}
	}
}

func wantPanic(t *testing.T, text string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if r := recover(); r != text {
			t.Errorf("panic %v, want %q", r, text)
		}
	}()
	f()
}

// assemblies are the paths by assembly that the processor can execute, from the narrowest vectors
// to the widest.
func assemblies() (paths []Path) {
	if hasAVX2 {
		paths = append(paths, AVX2)
	}
	if hasAVX512 {
		paths = append(paths, Fastest)
	}
	return paths
}

// eachPath runs a test by Go and by every assembly.
func eachPath(t *testing.T, f func(t *testing.T, p Path)) {
	t.Run("scalar", func(t *testing.T) { f(t, Scalar) })
	for path, name := range map[Path]string{AVX2: "avx2", Fastest: "avx512"} {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains(assemblies(), path) {
				t.Skip("the processor has no " + name)
			}
			f(t, path)
		})
	}
}

// blendOne3D blends a single pose as a column of one.
func blendOne3D(prev, cur *pose, t float32) pose {
	dst := [1]pose{}
	Fastest.Blend3D(dst[:], []pose{*prev}, []pose{*cur}, t)
	return dst[0]
}
