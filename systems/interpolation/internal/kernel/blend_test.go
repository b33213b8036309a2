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

// A pose has the same bits in any column of any length, at any row of it, on any list, on any path,
// and alone.
func TestBitsDoNotDependOnThePlace(t *testing.T) {
	eachPath(t, func(t *testing.T, path Path) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 72).Draw(t, "n")
			drawn := rapid.SliceOfN(pairs(), n, n).Draw(t, "poses")
			at := fractions().Draw(t, "t")
			prev, cur, want := make([]pose, n), make([]pose, n), make([]pose, n)
			for i, p := range drawn {
				prev[i], cur[i] = p[0], p[1]
				want[i] = blendOne3D(&prev[i], &cur[i], at)
			}
			got := make([]pose, n)
			path.Blend3D(got, prev, cur, at)
			wantSame(t, "dense", got, want)

			clear(got)
			first := rapid.IntRange(0, n-1).Draw(t, "first")
			path.Blend3D(got[first:], prev[first:], cur[first:], at)
			wantSame(t, "the end of a column", got[first:], want[first:])

			rows := rapid.SliceOfN(rapid.Uint32Range(0, uint32(n-1)), 0, 2*n).Draw(t, "rows")
			clear(got)
			path.BlendList3D(rows, got, prev, cur, at)
			for i := range got {
				if !slices.Contains(rows, uint32(i)) {
					want[i] = pose{} // not on the list: not touched
				}
			}
			wantSame(t, "list", got, want)

		})
	})
}

// Columns long enough for several calls of assembly, for their tails, and for the prefetching of
// lists.
func TestLongColumns(t *testing.T) {
	for _, n := range []int{perCall - 1, perCall, perCall + 9, perCall + 25, 3*perCall + 7, 2*perListCall + 13, farRows + 3, farColumn + 15, farWideColumn + 31} {
		if n > farRows && testing.Short() {
			continue
		}
		prev, cur := samples(n, uint64(n))
		want := make([]pose, n)
		Scalar.Blend3D(want, prev, cur, 0.37)
		rows := make([]uint32, n)
		for i := range rows {
			rows[i] = uint32(i)
		}
		r := rand.New(rand.NewPCG(7, uint64(n)))
		r.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		// Scalar lists, and no row but those listed; few enough to be fetched ahead.
		few := rows[:n/5]
		listed := make([]pose, n)
		Scalar.BlendList3D(few, listed, prev, cur, 0.37)

		got := make([]pose, n)
		for _, path := range assemblies() {
			clear(got)
			path.Blend3D(got, prev, cur, 0.37)
			wantSame(t, "dense", got, want)
			clear(got)
			path.BlendList3D(rows, got, prev, cur, 0.37)
			wantSame(t, "shuffled list", got, want)
			clear(got)
			path.BlendList3D(few, got, prev, cur, 0.37)
			wantSame(t, "part of a list", got, listed)
		}
	}
}

func TestDstMayBePrevOrCur(t *testing.T) {
	eachPath(t, func(t *testing.T, path Path) {
		for n := range 90 {
			prev, cur := samples(n, 3)
			want := make([]pose, n)
			Scalar.Blend3D(want, prev, cur, 0.6)
			rows := make([]uint32, n)
			for i := range rows {
				rows[i] = uint32(n - 1 - i)
			}
			for _, list := range []bool{false, true} {
				a, b := slices.Clone(prev), slices.Clone(cur)
				if list {
					path.BlendList3D(rows, a, a, cur, 0.6)
					path.BlendList3D(rows, b, prev, b, 0.6)
				} else {
					path.Blend3D(a, a, cur, 0.6)
					path.Blend3D(b, prev, b, 0.6)
				}
				wantSame(t, "dst is prev", a, want)
				wantSame(t, "dst is cur", b, want)
			}
		}
	})
}

// slerp64 is the textbook formula in double precision, along the shorter arc, with the arc's angle
// of rotation in degrees.
func slerp64(a, b mgl32.Quat, t float64) (q [4]float64, degrees float64) {
	x := [4]float64{float64(a.W), float64(a.V[0]), float64(a.V[1]), float64(a.V[2])}
	y := [4]float64{float64(b.W), float64(b.V[0]), float64(b.V[1]), float64(b.V[2])}
	dot, lx, ly := 0.0, 0.0, 0.0
	for k := range x {
		dot += x[k] * y[k]
		lx += x[k] * x[k]
		ly += y[k] * y[k]
	}
	sign := math.Copysign(1, dot)
	// atan2 of the lengths of difference and sum is exact for small angles, where acos is not.
	diff, sum := 0.0, 0.0
	for k := range x {
		x[k] /= math.Sqrt(lx)
		y[k] *= sign / math.Sqrt(ly)
		diff += (x[k] - y[k]) * (x[k] - y[k])
		sum += (x[k] + y[k]) * (x[k] + y[k])
	}
	half := 2 * math.Atan2(math.Sqrt(diff), math.Sqrt(sum))
	wa, wb := 1-t, t
	if half > 1e-9 {
		wa, wb = math.Sin((1-t)*half)/math.Sin(half), math.Sin(t*half)/math.Sin(half)
	}
	for k := range q {
		q[k] = wa*x[k] + wb*y[k]
	}
	return q, 2 * half * 180 / math.Pi
}

// angleBetween returns by how many degrees of rotation q is off, and by how much its length differs
// from 1.
func angleBetween(q mgl32.Quat, want [4]float64) (degrees, length float64) {
	p := [4]float64{float64(q.W), float64(q.V[0]), float64(q.V[1]), float64(q.V[2])}
	n := math.Sqrt(p[0]*p[0] + p[1]*p[1] + p[2]*p[2] + p[3]*p[3])
	diff := 0.0
	for k := range p {
		d := p[k]/n - want[k]
		diff += d * d
	}
	return 4 * math.Asin(math.Sqrt(diff)/2) * 180 / math.Pi, math.Abs(n - 1)
}

func TestAgainstSlerp(t *testing.T) {
	const n = 3600
	r := rand.New(rand.NewPCG(5, 6))
	prev, cur := make([]pose, n), make([]pose, n)
	normal := func() float64 { return r.NormFloat64() }
	for i := range prev {
		// Arcs evenly from 0 to just below 180 degrees, about random axes, from random rotations;
		// computed in double precision.
		half := float64(i) / n * math.Pi / 2
		a := [4]float64{normal(), normal(), normal(), normal()}
		u := [3]float64{normal(), normal(), normal()}
		la := math.Sqrt(a[0]*a[0] + a[1]*a[1] + a[2]*a[2] + a[3]*a[3])
		lu := math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2])
		for k := range a {
			a[k] /= la
		}
		s, c := math.Sincos(half)
		x, y, z := u[0]/lu*s, u[1]/lu*s, u[2]/lu*s
		b := [4]float64{
			c*a[0] - x*a[1] - y*a[2] - z*a[3], c*a[1] + x*a[0] + y*a[3] - z*a[2],
			c*a[2] - x*a[3] + y*a[0] + z*a[1], c*a[3] + x*a[2] - y*a[1] + z*a[0],
		}
		f := float32(1 - 2*(i%2))
		prev[i].Rotation = mgl32.Quat{W: float32(a[0]), V: mgl32.Vec3{float32(a[1]), float32(a[2]), float32(a[3])}}
		cur[i].Rotation = mgl32.Quat{W: f * float32(b[0]), V: mgl32.Vec3{f * float32(b[1]), f * float32(b[2]), f * float32(b[3])}}
	}
	eachPath(t, func(t *testing.T, path Path) {
		var to90, to180, length float64
		got := make([]pose, n)
		for step := range 64 {
			at := float32(step) / 64
			path.Blend3D(got, prev, cur, at)
			for i := range got {
				want, arc := slerp64(prev[i].Rotation, cur[i].Rotation, float64(at))
				off, l := angleBetween(got[i].Rotation, want)
				length = max(length, l)
				if arc <= 90 {
					to90 = max(to90, off)
				}
				to180 = max(to180, off)
			}
		}
		t.Logf("largest error %.5f degrees for arcs to 90, %.5f to 180; length off by at most %.2g", to90, to180, length)
		if to90 > 0.005 || to180 > 0.005 || length > 1e-6 {
			t.Errorf("errors of %.5f and %.5f degrees and %.2g in length, want at most 0.005, 0.005 and 1e-6", to90, to180, length)
		}
	})
}

// The pose at t = 0 is prev exactly, so that a frame at a step's very start shows the sample.
func TestStartIsExact(t *testing.T) {
	prev, cur := samples(1000, 8)
	for i := range prev {
		switch i % 4 {
		case 0: // half a turn apart
			q := prev[i].Rotation
			cur[i].Rotation = mgl32.Quat{W: -q.V[0], V: mgl32.Vec3{q.W, q.V[2], -q.V[1]}}
		case 1:
			prev[i].Position = prev[i].Position.Mul(1e6)
		case 2:
			cur[i].Position = cur[i].Position.Mul(1e30)
		}
	}
	eachPath(t, func(t *testing.T, path Path) {
		got := make([]pose, len(prev))
		path.Blend3D(got, prev, cur, 0)
		for i := range got {
			if got[i] != prev[i] {
				t.Fatalf("row %d: %v, want %v", i, got[i], prev[i])
			}
		}
	})
}

// A part that is equal in both samples is the same in every blend, bit for bit: position and scale
// always, the rotation if it is the identity.
func TestConstantStaysConstant(t *testing.T) {
	eachPath(t, func(t *testing.T, path Path) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 40).Draw(t, "n")
			prev, cur := samples(n, rapid.Uint64().Draw(t, "seed"))
			got := make([]pose, n)
			for i := range prev {
				cur[i] = prev[i]
				prev[i].Rotation, cur[i].Rotation = mgl32.QuatIdent(), mgl32.QuatIdent()
			}
			path.Blend3D(got, prev, cur, fractions().Draw(t, "t"))
			wantSame(t, "constant", got, prev)
		})
	})
}

// Positions never run backwards or past the ends, however close together two frames are.
func TestPositionsAreMonotone(t *testing.T) {
	eachPath(t, func(t *testing.T, path Path) {
		rapid.Check(t, func(t *rapid.T) {
			far := rapid.Float32Range(-1e7, 1e7)
			from, to := far.Draw(t, "from"), far.Draw(t, "to")
			if from > to {
				from, to = to, from
			}
			t0, t1 := fractions().Draw(t, "t0"), fractions().Draw(t, "t1")
			if t0 > t1 {
				t0, t1 = t1, t0
			}
			prev, cur := slices.Repeat([]pose{components.At3D(from, 0, 0)}, 16), slices.Repeat([]pose{components.At3D(to, 0, 0)}, 16)
			x, y := make([]pose, 16), make([]pose, 16)
			path.Blend3D(x, prev, cur, t0)
			path.Blend3D(y, prev, cur, t1)
			if a, b := x[3].Position[0], y[3].Position[0]; !(from <= a && a <= b && b <= to) {
				t.Fatalf("from %v to %v: %v at %v, %v at %v", from, to, a, t0, b, t1)
			}
		})
	})
}

// The public blend of package components is written for reading and rounds a little differently.
func TestAgreesWithComponents(t *testing.T) {
	prev, cur := samples(2000, 9)
	for step := range 16 {
		at := float32(step) / 16
		for i := range prev {
			got, want := blendOne3D(&prev[i], &cur[i], at), components.Blend3D(prev[i], cur[i], at)
			x, y := words(&got), words(&want)
			for _, part := range [][2]int{{0, 3}, {3, 7}, {7, 10}} {
				largest := float32(0)
				for k := part[0]; k < part[1]; k++ {
					largest = max(largest, float32(math.Abs(float64(y[k]))))
				}
				unit := math.Nextafter32(largest, math.MaxFloat32) - largest
				for k := part[0]; k < part[1]; k++ {
					if off := float32(math.Abs(float64(x[k] - y[k]))); off > 4*unit {
						t.Fatalf("row %d at %v, float %d: %v, want %v to within 4 units in the last place of %v", i, at, k, x[k], y[k], largest)
					}
				}
			}
		}
	}
}

func TestMisusePanicsBeforeAnythingIsWritten(t *testing.T) {
	eachPath(t, func(t *testing.T, path Path) {
		prev, cur := samples(20, 10)
		dst := make([]pose, 20)
		columns := "kernel: columns of 20 (dst), 19 (prev) and 20 (cur) poses; pass columns of one table, cut to its length"
		wantPanic(t, columns, func() { path.Blend3D(dst, prev[:19], cur, 0.5) })
		wantPanic(t, columns, func() { path.BlendList3D(nil, dst, prev[:19], cur, 0.5) })
		wantPanic(t, columns, func() { Blend(dst, prev[:19], cur, 0.5, components.Blend3D) })
		wantPanic(t, columns, func() { BlendList(nil, dst, prev[:19], cur, 0.5, components.Blend3D) })
		for length := 1; length < 40; length++ {
			for at := range length {
				rows := make([]uint32, length)
				rows[at] = 20
				text := "kernel: row 20 in a list for a column of 20 rows; rebuild the list after every structural change"
				wantPanic(t, text, func() { path.BlendList3D(rows, dst, prev, cur, 0.5) })
				wantPanic(t, text, func() { BlendList(rows, dst, prev, cur, 0.5, components.Blend3D) })
				rows[at] = math.MaxUint32
				text = "kernel: row 4294967295 in a list for a column of 20 rows; rebuild the list after every structural change"
				wantPanic(t, text, func() { path.BlendList3D(rows, dst, prev, cur, 0.5) })
			}
		}
		wantSame(t, "after misuse", dst, make([]pose, 20))
		wantPanic(t, "kernel: row 0 in a list for a column of 0 rows; rebuild the list after every structural change",
			func() { path.BlendList3D([]uint32{0}, nil, nil, nil, 0.5) })
		path.Blend3D(nil, nil, nil, 0.5)
		path.BlendList3D(nil, nil, nil, nil, 0.5)
	})
}

func TestBlendingAllocatesNothing(t *testing.T) {
	eachPath(t, func(t *testing.T, path Path) {
		prev, cur := samples(300, 11)
		dst := make([]pose, 300)
		rows := make([]uint32, 100)
		for i := range rows {
			rows[i] = uint32(i * 3)
		}
		if n := testing.AllocsPerRun(10, func() {
			path.Blend3D(dst, prev, cur, 0.5)
			path.BlendList3D(rows, dst, prev, cur, 0.5)
			dst[0] = blendOne3D(&prev[0], &cur[0], 0.5)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// FuzzBlend compares the paths over raw bits.
func FuzzBlend(f *testing.F) {
	f.Add([]byte("\x00\x00\x80\x3f"), float32(0.5), uint8(9))
	f.Add([]byte("\x00\x00\x80\x7f\x01\x00\x00\x00\xff\xff\xff\xff"), float32(0.999), uint8(8))
	f.Fuzz(func(t *testing.T, raw []byte, at float32, length uint8) {
		n := int(length) % 73 // up to four turns of the widest kernel, and a tail
		if n == 0 || len(raw) < 4 {
			return
		}
		next := 0
		float := func() float32 {
			v := uint32(0)
			for k := range 4 {
				v |= uint32(raw[(next+k)%len(raw)]) << (8 * k)
			}
			next = (next + 4) % len(raw)
			return math.Float32frombits(v)
		}
		fill := func() []pose {
			column := make([]pose, n)
			for i := range column {
				column[i] = pose{
					Position: mgl32.Vec3{float(), float(), float()},
					Rotation: mgl32.Quat{W: float(), V: mgl32.Vec3{float(), float(), float()}},
					Scale:    mgl32.Vec3{float(), float(), float()},
				}
			}
			return column
		}
		prev, cur := fill(), fill()
		want, got := make([]pose, n), make([]pose, n)
		Scalar.Blend3D(want, prev, cur, at)
		rows := make([]uint32, n)
		for i := range rows {
			rows[i] = uint32(n - 1 - i)
		}
		for _, path := range assemblies() {
			clear(got)
			path.Blend3D(got, prev, cur, at)
			wantSame(t, "dense", got, want)
			clear(got)
			path.BlendList3D(rows, got, prev, cur, at)
			wantSame(t, "list", got, want)
		}
	})
}
