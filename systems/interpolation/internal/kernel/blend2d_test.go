package kernel

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
)

func TestBlend2D(t *testing.T) {
	from := components.Pose2D{Position: mgl32.Vec2{1, 2}, Rotation: 3, Scale: mgl32.Vec2{1, 2}}
	to := components.Pose2D{Position: mgl32.Vec2{5, -2}, Rotation: -3, Scale: mgl32.Vec2{2, 2}}
	got := blendOne2D(&from, &to, 0.25)
	// From 3 to -3 radians the shorter way leads over half a turn.
	want := components.Pose2D{Position: mgl32.Vec2{2, 1}, Rotation: 3 + 0.25*(2*math.Pi-6), Scale: mgl32.Vec2{1.25, 2}}
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := blendOne2D(&from, &to, 0); got != from {
		t.Errorf("at 0: got %v, want %v", got, from)
	}
}

// The column, the list and the single pose agree, with each other to the bit, and with the public
// blend to a rounding where a compiler fuses that.
func TestBlend2DAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		prev, cur, dst := make([]components.Pose2D, n), make([]components.Pose2D, n), make([]components.Pose2D, n)
		f := rapid.Float32Range(-20, 20)
		for i := range prev {
			for _, p := range []*components.Pose2D{&prev[i], &cur[i]} {
				*p = components.Pose2D{
					Position: mgl32.Vec2{f.Draw(t, "x"), f.Draw(t, "y")}, Rotation: f.Draw(t, "angle"),
					Scale: mgl32.Vec2{f.Draw(t, "sx"), f.Draw(t, "sy")},
				}
			}
		}
		at := fractions().Draw(t, "t")
		Blend2D(dst, prev, cur, at)
		listed := make([]components.Pose2D, n)
		rows := rapid.SliceOf(rapid.Uint32Range(0, uint32(n-1))).Draw(t, "rows")
		BlendList2D(rows, listed, prev, cur, at)
		on := make([]bool, n)
		for _, r := range rows {
			on[r] = true
		}
		for i := range dst {
			if one := blendOne2D(&prev[i], &cur[i], at); one != dst[i] {
				t.Fatalf("row %d: %v alone, %v in a column", i, one, dst[i])
			}
			want := components.Pose2D{}
			if on[i] {
				want = dst[i]
			}
			if listed[i] != want {
				t.Fatalf("row %d: %v from a list, want %v", i, listed[i], want)
			}
			public := components.Blend2D(prev[i], cur[i], at)
			x, y := [5]float32{public.Position[0], public.Position[1], public.Rotation, public.Scale[0], public.Scale[1]},
				[5]float32{dst[i].Position[0], dst[i].Position[1], dst[i].Rotation, dst[i].Scale[0], dst[i].Scale[1]}
			for k := range x {
				if math.Abs(float64(x[k]-y[k])) > 1e-5 {
					t.Fatalf("row %d: %v, the public blend gives %v", i, dst[i], public)
				}
			}
		}
	})
}

func TestBlend2DMisuse(t *testing.T) {
	c := make([]components.Pose2D, 3)
	wantPanic(t, "kernel: columns of 3 (dst), 2 (prev) and 3 (cur) poses; pass columns of one table, cut to its length", func() { Blend2D(c, c[:2], c, 0.5) })
	wantPanic(t, "kernel: columns of 3 (dst), 3 (prev) and 2 (cur) poses; pass columns of one table, cut to its length", func() { BlendList2D(nil, c, c, c[:2], 0.5) })
	wantPanic(t, "kernel: row 3 in a list for a column of 3 rows; rebuild the list after every structural change", func() { BlendList2D([]uint32{0, 3}, c, c, c, 0.5) })
	if n := testing.AllocsPerRun(5, func() {
		Blend2D(c, c, c, 0.5)
		BlendList2D([]uint32{1}, c, c, c, 0.5)
		c[0] = blendOne2D(&c[1], &c[2], 0.5)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// blendOne2D blends a single pose as a column of one.
func blendOne2D(prev, cur *components.Pose2D, t float32) components.Pose2D {
	dst := [1]components.Pose2D{}
	Blend2D(dst[:], []components.Pose2D{*prev}, []components.Pose2D{*cur}, t)
	return dst[0]
}
