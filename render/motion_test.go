package render

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
)

func TestMotionPose(t *testing.T) {
	b := NewMotionBatch(Cube, Solid, Color{})
	const second = time.Second
	turned := components.At3D(4, 0, 0)
	turned.Rotation = mgl32.QuatRotate(mgl32.DegToRad(90), mgl32.Vec3{0, 1, 0})
	row := b.Add(Motion{From: components.At3D(0, 0, 0), To: turned, Start: second, End: 2 * second})
	jump := b.Add(Motion{From: components.At3D(7, 0, 0), To: components.At3D(9, 0, 0), Start: second, End: second})
	for _, test := range []struct {
		now time.Duration
		x   float32
		deg float32
	}{{0, 0, 0}, {second, 0, 0}, {second + second/4, 1, 22.5}, {second + second/2, 2, 45}, {2 * second, 4, 90}, {3 * second, 4, 90}, {20 * time.Hour, 4, 90}} {
		b.SetTime(test.now)
		p := b.Pose(row)
		want := mgl32.QuatRotate(mgl32.DegToRad(test.deg), mgl32.Vec3{0, 1, 0})
		// A tick is a microsecond: 4 units of way in a second are off by a few millionths.
		if !near(p.Position[0], test.x, 2e-5) || !p.Rotation.OrientationEqualThreshold(want, 1e-4) {
			t.Errorf("at %v: %v, want x %g and %g degrees", test.now, p, test.x, test.deg)
		}
		if p := b.Pose(jump); p.Position[0] != 9 {
			t.Errorf("at %v: a jump is drawn at %g, want 9", test.now, p.Position[0])
		}
	}
}

func TestMotionNormalisesRotations(t *testing.T) {
	b := NewMotionBatch(Cube, Solid, Color{})
	p := components.At3D(1, 2, 3)
	p.Rotation = mgl32.Quat{W: 0, V: mgl32.Vec3{0, 3, 0}}
	zero := components.At3D(1, 2, 3)
	zero.Rotation = mgl32.Quat{}
	b.Add(Still(p))
	b.Add(Still(zero))
	if got := b.Pose(0).Rotation; got != (mgl32.Quat{V: mgl32.Vec3{0, 1, 0}}) {
		t.Errorf("a long rotation is drawn as %v", got)
	}
	if got := b.Pose(1).Rotation; got != mgl32.QuatIdent() {
		t.Errorf("a rotation of zero is drawn as %v", got)
	}
}

// An instance at rest stays where it is for any time, though the stamps in the shader wrap around
// every 73 minutes.
func TestMotionRestsForHours(t *testing.T) {
	for _, start := range []time.Duration{0, 35 * time.Minute, 9 * time.Hour} {
		b := NewMotionBatch(Cube, Solid, Color{})
		b.Add(Motion{From: components.At3D(0, 0, 0), To: components.At3D(1, 0, 0), Start: start, End: start + 50*time.Millisecond})
		for now := start + time.Second; now < start+6*time.Hour; now += 7 * time.Second {
			b.SetTime(now)
			// As the shader sees it: without Pose's help.
			if x := b.Pose(0).Position[0]; x != 1 {
				t.Fatalf("started at %v, at %v it is drawn at %g", start, now, x)
			}
		}
	}
}

// One long gap between two frames (a suspended computer) wraps the stamps within a single SetTime.
func TestMotionAfterASuspend(t *testing.T) {
	for _, gap := range []time.Duration{30 * time.Minute, 40 * time.Minute, 60 * time.Minute, 74 * time.Minute, 25 * time.Hour} {
		b := NewMotionBatch(Cube, Solid, Color{})
		b.Add(Motion{From: components.At3D(0, 0, 0), To: components.At3D(1, 0, 0), End: 50 * time.Millisecond})
		b.SetTime(10 * time.Millisecond)
		b.SetTime(gap)
		if x := b.Pose(0).Position[0]; x != 1 {
			t.Errorf("after a gap of %v it is drawn at %g, want 1", gap, x)
		}
	}
}

// Rows, changes and removals against a plain model: a backend that asks for the changes since a
// revision has the same rows in the end.
func TestMotionChangesAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := NewMotionBatch(Cube, Solid, Color{})
		var copied MotionView // what a renderer would hold
		seen := uint64(0)
		x := float32(0)
		for range rapid.IntRange(1, 60).Draw(t, "operations") {
			switch op := rapid.IntRange(0, 9).Draw(t, "op"); {
			case op <= 3:
				for range rapid.IntRange(1, 70).Draw(t, "count") {
					x++
					b.AddColor(Still(components.At3D(x, 0, 0)), Color{R: uint8(x)})
				}
			case op <= 5 && b.Len() > 0:
				x++
				b.Set(rapid.IntRange(0, b.Len()-1).Draw(t, "row"), Still(components.At3D(x, 0, 0)))
			case op == 6 && b.Len() > 0:
				b.SetColor(rapid.IntRange(0, b.Len()-1).Draw(t, "row"), Color{G: uint8(x)})
			case op == 7 && b.Len() > 0:
				row := rapid.IntRange(0, b.Len()-1).Draw(t, "row")
				last := b.Pose(b.Len() - 1)
				moved := b.Remove(row)
				if moved != b.Len() {
					t.Fatalf("Remove returns %d, want the last row %d", moved, b.Len())
				}
				if row < b.Len() && b.Pose(row) != last {
					t.Fatalf("row %d holds %v after a removal, want the last one's %v", row, b.Pose(row), last)
				}
			case op == 8:
				if b.Revision() == seen {
					break
				}
				v := b.View()
				follow(t, b, MotionPoses0, seen, &copied.Poses[0], v.Poses[0])
				follow(t, b, MotionPoses1, seen, &copied.Poses[1], v.Poses[1])
				follow(t, b, MotionTimes, seen, &copied.Times, v.Times)
				follow(t, b, MotionColors, seen, &copied.Colors, v.Colors)
				seen = b.Revision()
			case op == 9 && rapid.Bool().Draw(t, "reset"):
				b.Reset()
			}
		}
	})
}

// follow copies the changed rows of a column, and fails if the copy differs from the column.
func follow[T comparable](t *rapid.T, b *MotionBatch, column MotionColumn, since uint64, copied *[]T, rows []T) {
	if len(rows) > len(*copied) {
		*copied = append(*copied, make([]T, len(rows)-len(*copied))...)
	}
	last := -1
	for from, to := b.NextChange(column, since, 0); from < to; from, to = b.NextChange(column, since, to) {
		if from <= last || to > len(rows) {
			t.Fatalf("column %d: range %d to %d after one that ended at %d, of %d rows", column, from, to, last, len(rows))
		}
		last = to - 1
		copy((*copied)[from:to], rows[from:to])
	}
	for i := range rows {
		if (*copied)[i] != rows[i] {
			t.Fatalf("column %d: row %d of %d was not reported as changed", column, i, len(rows))
		}
	}
}

func TestMotionRemovePanicsWithTheRemedy(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Remove of a row that does not exist went through")
		}
	}()
	NewMotionBatch(Cube, Solid, Color{}).Remove(0)
}

func TestMotionSetAllocatesNothing(t *testing.T) {
	b := NewMotionBatch(Cube, Solid, Color{})
	for i := 0; i < 1000; i++ {
		b.Add(Still(components.Identity3D()))
	}
	now := time.Duration(0)
	if n := testing.AllocsPerRun(100, func() {
		now += time.Second / 60
		for i := 0; i < b.Len(); i++ {
			b.Set(i, Motion{From: components.Identity3D(), To: components.At3D(1, 0, 0), Start: now, End: now + time.Second})
		}
		b.SetTime(now)
	}); n != 0 {
		t.Errorf("a step makes %v allocations", n)
	}
}
