package render

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
)

// way is a plain model of one instance of a MotionBatch: its start, its end, and their times.
type way struct {
	from, to   float32 // x
	start, end time.Duration
	step       bool // it goes with the step
	color      Color
}

func (w *way) at(now time.Duration) float64 {
	if now >= w.end || w.end <= w.start {
		return float64(w.to)
	}
	f := max(0, float64(now-w.start)/float64(w.end-w.start))
	return float64(w.from) + f*(float64(w.to)-float64(w.from))
}

// copies are a backend's copies of a batch: columns that are updated by the reported changes.
type copies struct {
	seen uint64
	view MotionView
}

func (c *copies) follow(t *rapid.T, b *MotionBatch) {
	if b.Revision() != c.seen {
		v := b.View()
		follow(t, b, MotionPoses0, c.seen, &c.view.Poses[0], v.Poses[0])
		follow(t, b, MotionPoses1, c.seen, &c.view.Poses[1], v.Poses[1])
		follow(t, b, MotionTimes, c.seen, &c.view.Times, v.Times)
		follow(t, b, MotionColors, c.seen, &c.view.Colors, v.Colors)
		c.seen = b.Revision()
	}
	v := b.View()
	c.view.Weight, c.view.Tick = v.Weight, v.Tick
}

// shaded returns the place at which the vertex shader draws a row of the copies.
func (c *copies) shaded(row int) float64 {
	v := &c.view
	f := float64(v.Weight)
	if at := v.Times[row]; at.Inverse != 0 {
		f = min(max(float64(float32(v.Tick-at.Start)*at.Inverse), 0), 1)
	}
	first, second := float64(v.Poses[0][row].Position[0]), float64(v.Poses[1][row].Position[0])
	return first + (second-first)*f
}

// Steps, motions of their own times, removals and times of drawing in any order, against the plain
// model; and two backends, one of which looks rarely.
func TestMotionAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := NewMotionBatch(Cube, Solid, Color{})
		var ways []way
		var often, rarely copies
		var start, end, now time.Duration
		x := float32(0)
		pose := func() components.Pose3D {
			x++
			return components.At3D(x, 0, 0)
		}
		motion := func() (Motion, way) {
			m := Motion{From: pose(), To: pose(), Start: start, End: end}
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				m.From = m.To
			case 1:
				m.End = m.Start - 1
			case 2, 3:
				m.Start += time.Duration(rapid.IntRange(-40, 40).Draw(t, "start")) * time.Millisecond
				m.End = m.Start + time.Duration(rapid.IntRange(1, 300).Draw(t, "lasts"))*time.Millisecond
			}
			w := way{from: m.From.Position[0], to: m.To.Position[0], start: m.Start, end: m.End}
			w.step = w.start == start && w.end == end && end > start && w.from != w.to
			return m, w
		}
		for range rapid.IntRange(1, 80).Draw(t, "operations") {
			switch op := rapid.IntRange(0, 11).Draw(t, "op"); {
			case op <= 1:
				for range rapid.IntRange(1, 70).Draw(t, "count") {
					m, w := motion()
					w.color = Color{R: uint8(x)}
					if row := b.AddColor(m, w.color); row != len(ways) {
						t.Fatalf("Add returns row %d, want %d", row, len(ways))
					}
					ways = append(ways, w)
				}
			case op == 2 && len(ways) > 0:
				row := rapid.IntRange(0, len(ways)-1).Draw(t, "row")
				m, w := motion()
				w.color = ways[row].color
				b.Set(row, m)
				ways[row] = w
			case op == 3 && len(ways) > 0:
				row := rapid.IntRange(0, len(ways)-1).Draw(t, "row")
				colors := make([]Color, rapid.IntRange(0, len(ways)-row).Draw(t, "colours"))
				for k := range colors {
					colors[k] = Color{G: uint8(rapid.IntRange(0, 2).Draw(t, "green"))}
					ways[row+k].color = colors[k]
				}
				b.SetColors(row, colors)
			case op == 4 && len(ways) > 0:
				row := rapid.IntRange(0, len(ways)-1).Draw(t, "row")
				ways[row] = ways[len(ways)-1]
				ways = ways[:len(ways)-1]
				if moved := b.Remove(row); moved != len(ways) {
					t.Fatalf("Remove returns %d, want %d", moved, len(ways))
				}
			case op == 5:
				start, end = end, end+time.Duration(rapid.IntRange(1, 100).Draw(t, "step"))*time.Millisecond
				b.Step(start, end)
				for k := range ways {
					if ways[k].step {
						ways[k].from, ways[k].end, ways[k].step = ways[k].to, ways[k].start, false
					}
				}
			case op <= 8 && len(ways) > 0:
				row := rapid.IntRange(0, len(ways)-1).Draw(t, "row")
				poses := make([]components.Pose3D, rapid.IntRange(0, len(ways)-row).Draw(t, "run"))
				for k := range poses {
					poses[k] = pose()
					w := &ways[row+k]
					if !w.step { // a second time in a step it still comes from where it was
						w.from = w.to
					}
					w.to, w.start, w.end, w.step = x, start, end, true
				}
				b.Move(row, poses)
			case op == 9:
				now = max(0, now+time.Duration(rapid.IntRange(-30, 80).Draw(t, "passes"))*time.Millisecond)
				b.SetTime(now)
				often.follow(t, b)
			case op == 10:
				rarely.follow(t, b)
			case op == 11 && rapid.IntRange(0, 9).Draw(t, "reset") == 0:
				b.Reset()
				ways = ways[:0]
			}
			if b.Len() != len(ways) {
				t.Fatalf("%d instances, want %d", b.Len(), len(ways))
			}
		}
		often.follow(t, b)
		rarely.follow(t, b)
		for row := range ways {
			w := &ways[row]
			want := w.at(now)
			// A row with a time of its own is exact to the tick, a microsecond: in that time a
			// motion of a millisecond covers a thousandth of its way.
			near := 1e-5 * float64(x)
			if !w.step && w.end > w.start {
				near += 3e-3 * math.Abs(float64(w.to-w.from))
			}
			for who, got := range map[string]float64{"Pose": float64(b.Pose(row).Position[0]), "who looks often": often.shaded(row), "who looks rarely": rarely.shaded(row)} {
				if math.Abs(got-want) > near {
					t.Fatalf("row %d at %v: %s has x = %v, want %v (%+v)", row, now, who, got, want, *w)
				}
			}
			if c := often.view.Colors[row]; c != w.color {
				t.Fatalf("row %d is %v, want %v", row, c, w.color)
			}
			if rests := !w.step && (w.from == w.to || w.end <= w.start); rests && often.view.Poses[0][row] != often.view.Poses[1][row] {
				t.Fatalf("row %d rests with two poses that differ", row)
			}
		}
	})
}

// Instances at rest cost nothing. In each step one pose is uploaded for each moving instance, and
// in the step after it has stopped one more.
func TestMotionChangesOfSteps(t *testing.T) {
	const n, moving = 40 * changeBlock, 8 * changeBlock
	b := NewMotionBatch(Cube, Solid, Color{})
	for k := range n {
		b.Add(Still(components.At3D(float32(k), 0, 0)))
	}
	poses := make([]components.Pose3D, moving)
	x := float32(0)
	since := b.Revision()
	changed := func() (counts [motionColumns]int) {
		for c := range counts {
			for from, to := b.NextChange(MotionColumn(c), since, 0); from < to; from, to = b.NextChange(MotionColumn(c), since, to) {
				counts[c] += to - from
			}
		}
		since = b.Revision()
		return counts
	}
	step := func(k int, moves bool) {
		b.Step(time.Duration(k)*time.Second, time.Duration(k+1)*time.Second)
		if moves {
			for r := range poses {
				x++
				poses[r] = components.At3D(x, 1, 0)
			}
			b.Move(4*changeBlock, poses)
		}
	}
	for k := range 5 {
		step(k, true)
		want := [motionColumns]int{}
		want[b.newer] = moving
		if got := changed(); got != want {
			t.Errorf("step %d: rows %v of the columns change, want %v", k, got, want)
		}
		for f := range 4 {
			b.SetTime(time.Duration(k)*time.Second + time.Duration(f)*time.Second/4)
			if got := changed(); got != ([motionColumns]int{}) {
				t.Errorf("step %d, frame %d: rows %v of the columns change, want none", k, f, got)
			}
		}
	}
	step(5, false)
	want := [motionColumns]int{}
	want[b.newer] = moving
	if got := changed(); got != want {
		t.Errorf("in the step after they have stopped rows %v of the columns change, want %v", got, want)
	}
	for k := 6; k < 9; k++ {
		step(k, false)
		if got := changed(); got != ([motionColumns]int{}) {
			t.Errorf("at rest, step %d: rows %v of the columns change, want none", k, got)
		}
	}
}

func TestMotionStepAllocatesNothing(t *testing.T) {
	b := NewMotionBatch(Cube, Solid, Color{})
	poses, colors := make([]components.Pose3D, 1000), make([]Color, 1000)
	for range poses {
		b.Add(Still(components.Identity3D()))
	}
	now := time.Duration(0)
	if n := testing.AllocsPerRun(100, func() {
		b.Step(now, now+time.Second)
		now += time.Second
		for k := range poses {
			poses[k] = components.At3D(float32(now), 0, 0)
			colors[k].R++
		}
		b.Move(0, poses[:500])
		b.SetColors(500, colors[:500])
		b.SetTime(now)
		for c := range MotionColumn(motionColumns) {
			b.NextChange(c, 0, 0)
		}
		_ = b.View()
	}); n != 0 {
		t.Errorf("a step makes %v allocations", n)
	}
}

func TestMotionRunsBeyondTheEndPanic(t *testing.T) {
	b := NewMotionBatch(Cube, Solid, Color{})
	for range 3 {
		b.Add(Still(components.Identity3D()))
	}
	b.Remove(0) // so that there is room behind the last row
	for name, misuse := range map[string]func(){
		"Move":              func() { b.Move(1, make([]components.Pose3D, 2)) },
		"Move before 0":     func() { b.Move(-1, make([]components.Pose3D, 2)) },
		"SetColors":         func() { b.SetColors(2, make([]Color, 1)) },
		"SetColors, at all": func() { b.SetColors(3, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s beyond the end went through", name)
				}
			}()
			misuse()
		}()
	}
}
