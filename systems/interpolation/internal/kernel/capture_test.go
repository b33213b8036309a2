package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/column"
	"github.com/tandem-ecs/tandem/internal/record"
)

const (
	markTimed = 1
	markLast  = 8
	markNow   = 10
)

// newCapture returns a table of n entities that have been captured, move, and have rested since.
func newCapture(n int) *Capture3D {
	c := &Capture3D{
		Logical: make([]record.Record[pose], n),
		Seen:    make([]uint32, n), Motion: make([]uint32, n),
		Now: markNow, Last: markLast, Timed: markTimed,
	}
	c.Prev, c.Cur = samples(n, uint64(n))
	for i := range c.Logical {
		c.Logical[i] = record.New(c.Cur[i])
		c.Logical[i].Begin(record.OwnerOf(column.Entity(uint32(i), 0)))
		c.Seen[i] = c.Logical[i].Revision()
	}
	return c
}

func (c *Capture3D) clone() *Capture3D {
	d := *c
	d.Logical, d.Prev, d.Cur = slices.Clone(c.Logical), slices.Clone(c.Prev), slices.Clone(c.Cur)
	d.Seen, d.Motion = slices.Clone(c.Seen), slices.Clone(c.Motion)
	return &d
}

func TestCaptureOfOneRow(t *testing.T) {
	moved := components.At3D(1, 2, 3)
	long := components.At3D(4, 5, 6)
	long.Rotation = mgl32.Quat{W: 2}
	lost := moved
	lost.Rotation = mgl32.Quat{}
	for _, test := range []struct {
		name   string
		write  func(c *Capture3D)
		moving bool
		rested bool
		other  bool
		went   int
		cur    pose // if moving
	}{
		{name: "nothing", write: func(c *Capture3D) {}},
		{name: "a movement", write: func(c *Capture3D) { set(&c.Logical[0], moved) }, moving: true, cur: moved},
		{name: "two movements", write: func(c *Capture3D) { set(&c.Logical[0], long); set(&c.Logical[0], moved) }, moving: true, cur: moved},
		{name: "a movement after another", write: func(c *Capture3D) { set(&c.Logical[0], moved); c.Motion[0] = markLast }, moving: true, went: 1, cur: moved},
		{name: "an older mark", write: func(c *Capture3D) { set(&c.Logical[0], moved); c.Motion[0] = markLast - 2 }, moving: true, cur: moved},
		{name: "a rotation of length two", write: func(c *Capture3D) { set(&c.Logical[0], long) }, moving: true, cur: components.At3D(4, 5, 6)},
		{name: "a rotation of length zero", write: func(c *Capture3D) { set(&c.Logical[0], lost) }, moving: true, cur: moved},
		{name: "the same value", write: func(c *Capture3D) { set(&c.Logical[0], c.Cur[0]); c.Motion[0] = markLast }, rested: true, went: 1},
		{name: "the same value after normalising", write: func(c *Capture3D) {
			c.Cur[0] = components.At3D(4, 5, 6)
			set(&c.Logical[0], long)
		}, rested: true},
		{name: "a jump", write: func(c *Capture3D) { c.Logical[0].Write(moved, record.Teleported, 0) }, other: true},
		{name: "an arrival of its own", write: func(c *Capture3D) { c.Logical[0].Write(moved, record.Arrives, time.Second) }, other: true},
		{name: "a correction", write: func(c *Capture3D) { c.Logical[0].Write(moved, record.Corrected, 0) }, other: true},
		{name: "under way to its own arrival", write: func(c *Capture3D) { set(&c.Logical[0], moved); c.Motion[0] = markTimed }, other: true},
		{name: "a fresh value", write: func(c *Capture3D) { c.Logical[0] = record.New(moved) }, other: true},
		{name: "255 writes", write: func(c *Capture3D) {
			for range OwnWrites - 1 {
				set(&c.Logical[0], moved)
			}
		}, moving: true, cur: moved},
		{name: "256 writes", write: func(c *Capture3D) {
			for range OwnWrites {
				set(&c.Logical[0], moved)
			}
		}, other: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCapture(1)
			test.write(c)
			before := c.clone()
			var out Captured
			c.Run(Fastest, &out)
			if len(out.Moving) != bit(test.moving) || len(out.Rested) != bit(test.rested) || len(out.Others) != bit(test.other) || out.Went != test.went {
				t.Fatalf("%v moving, %v rested, %v others, %d went", out.Moving, out.Rested, out.Others, out.Went)
			}
			want := before.clone()
			switch {
			case test.moving:
				want.Prev[0], want.Cur[0], want.Motion[0] = before.Cur[0], test.cur, markNow
				want.Seen[0] = want.Logical[0].Revision()
			case test.rested:
				want.Motion[0] = 0
				want.Seen[0] = want.Logical[0].Revision()
			}
			wantSameTable(t, c, want)
		})
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func wantSameTable(t rapid.TB, got, want *Capture3D) {
	t.Helper()
	wantSame(t, "prev", got.Prev, want.Prev)
	wantSame(t, "cur", got.Cur, want.Cur)
	for i := range want.Logical {
		if got, want := &got.Logical[i], &want.Logical[i]; !sameBits(got.Value(), want.Value()) || got.Revision() != want.Revision() || got.Plain() != want.Plain() {
			t.Fatalf("the logical value of row %d was written: %v, want %v", i, got, want)
		}
		if got.Seen[i] != want.Seen[i] || got.Motion[i] != want.Motion[i] {
			t.Fatalf("row %d: seen %d, motion %d, want %d, %d", i, got.Seen[i], got.Motion[i], want.Seen[i], want.Motion[i])
		}
	}
}

// Assembly and Go do the same, and the same as the rows taken one by one, whatever stands next to
// what.
func TestCapturePaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 70).Draw(t, "n")
		c := newCapture(n)
		// Out of a hundred rows so many are what the assembly does not do.
		rare := rapid.SampledFrom([]int{0, 2, 30, 100}).Draw(t, "rare")
		still := rapid.SampledFrom([]int{0, 5, 50}).Draw(t, "still")
		percent := rapid.IntRange(0, 99)
		for i := range c.Logical {
			l := &c.Logical[i]
			c.Motion[i] = rapid.SampledFrom([]uint32{0, markLast, markLast - 2}).Draw(t, "mark")
			if percent.Draw(t, "still") < still {
				continue
			}
			v := *l.Value()
			v.Position[rapid.IntRange(0, 2).Draw(t, "axis")] += rapid.Float32Range(1, 2).Draw(t, "by")
			if percent.Draw(t, "rare") >= rare {
				set(l, v)
				continue
			}
			switch rapid.IntRange(0, 10).Draw(t, "kind") {
			case 0:
				l.Write(v, record.Teleported, 0)
			case 1:
				l.Write(v, record.Arrives, rapid.SampledFrom([]time.Duration{0, 1, time.Millisecond, time.Minute}).Draw(t, "over"))
			case 2:
				l.Write(v, record.Corrected, 0)
			case 3:
				c.Motion[i] = markTimed
				set(l, v)
			case 4:
				*l.RevisionCell() += rapid.SampledFrom([]uint32{255, 256, 1 << 31}).Draw(t, "jump")
			case 5:
				*l = record.New(v)
			case 6:
				set(l, *l.Value())
			case 7: // one float of ten differs, or none
				w := words(&c.Cur[i])
				w[rapid.IntRange(0, 9).Draw(t, "float")] = floats().Draw(t, "value")
				set(l, pose{
					Position: mgl32.Vec3{w[0], w[1], w[2]}, Rotation: mgl32.Quat{W: w[3], V: mgl32.Vec3{w[4], w[5], w[6]}},
					Scale: mgl32.Vec3{w[7], w[8], w[9]},
				})
			case 8: // anything but a unit rotation
				f := floats()
				v.Rotation = mgl32.Quat{W: f.Draw(t, "w"), V: mgl32.Vec3{f.Draw(t, "x"), f.Draw(t, "y"), f.Draw(t, "z")}}
				set(l, v)
			case 9: // next to a unit rotation
				v.Rotation = v.Rotation.Scale(1 + rapid.Float32Range(-1e-6, 1e-6).Draw(t, "off"))
				set(l, v)
			case 10: // the value that it had, not normalised
				v = c.Cur[i]
				v.Rotation = v.Rotation.Scale(2)
				set(l, v)
			}
		}
		want, byGo, byAssembly := c.clone(), c.clone(), c.clone()
		var wantOut, goOut, assemblyOut Captured
		for r := range want.Logical {
			if want.Logical[r].Revision() != want.Seen[r] {
				want.takeSingly([]uint32{uint32(r)}, &wantOut)
			}
		}
		byGo.Run(Scalar, &goOut)
		byAssembly.Run(Fastest, &assemblyOut)
		for _, got := range []struct {
			table *Capture3D
			out   Captured
		}{{byGo, goOut}, {byAssembly, assemblyOut}} {
			wantSameTable(t, got.table, want)
			if !slices.Equal(got.out.moving(len(want.Seen)), wantOut.Moving) || !slices.Equal(got.out.Rested, wantOut.Rested) ||
				!slices.Equal(got.out.Others, wantOut.Others) || got.out.Went != wantOut.Went {
				t.Fatalf("got %+v, want %+v", got.out, wantOut)
			}
		}
	})
}

// One row among many that move is special: in every lane, and in every way. The assembly must stop
// at its eight, having touched none of them.
func TestCaptureOfASpecialRow(t *testing.T) {
	if !hasAVX2 {
		t.Skip("no AVX2 here")
	}
	const n = 24
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	type special struct {
		name  string
		write func(c *Capture3D, i int)
		stops bool
	}
	specials := []special{
		{"not written", func(c *Capture3D, i int) { c.Seen[i] = c.Logical[i].Revision() }, true},
		{"a jump", func(c *Capture3D, i int) { c.Logical[i].Write(c.Cur[0], record.Teleported, 0) }, true},
		{"an arrival of its own", func(c *Capture3D, i int) { c.Logical[i].Write(c.Cur[0], record.Arrives, time.Second) }, true},
		{"a long arrival of its own", func(c *Capture3D, i int) { c.Logical[i].Write(c.Cur[0], record.Arrives, time.Hour) }, true},
		{"a correction", func(c *Capture3D, i int) { c.Logical[i].Write(c.Cur[0], record.Corrected, 0) }, true},
		{"no state", func(c *Capture3D, i int) {
			c.Logical[i] = record.New(*c.Logical[i].Value())
			*c.Logical[i].RevisionCell() = c.Seen[i] + 1
		}, true},
		{"under way to its own arrival", func(c *Capture3D, i int) { c.Motion[i] = markTimed }, true},
		{"in motion before", func(c *Capture3D, i int) { c.Motion[i] = markLast }, false},
		{"255 revisions", func(c *Capture3D, i int) { *c.Logical[i].RevisionCell() = c.Seen[i] + 255 }, false},
		{"256 revisions", func(c *Capture3D, i int) { *c.Logical[i].RevisionCell() = c.Seen[i] + 256 }, true},
		{"a revision behind", func(c *Capture3D, i int) { *c.Logical[i].RevisionCell() = c.Seen[i] - 1 }, true},
		{"the old value", func(c *Capture3D, i int) { *c.Logical[i].Value() = c.Cur[i] }, true},
		{"the old value, doubled", func(c *Capture3D, i int) {
			c.Cur[i].Rotation = mgl32.Quat{W: 0.6, V: mgl32.Vec3{0, 0.8, 0}}
			*c.Logical[i].Value() = c.Cur[i]
			c.Logical[i].Value().Rotation = c.Cur[i].Rotation.Scale(2)
		}, true},
		{"large numbers, whose sum is infinite", func(c *Capture3D, i int) {
			c.Logical[i].Value().Position = mgl32.Vec3{math.MaxFloat32, math.MaxFloat32, -math.MaxFloat32}
		}, false},
		{"a negative zero", func(c *Capture3D, i int) {
			c.Cur[i].Position[1] = 0
			*c.Logical[i].Value() = c.Cur[i]
			c.Logical[i].Value().Position[1] = float32(math.Copysign(0, -1))
		}, true},
	}
	for _, q := range []mgl32.Quat{
		{}, {W: 1e-40}, {V: mgl32.Vec3{1e-40, -1e-41, 2e-45}}, {W: 1, V: mgl32.Vec3{1, 1, 1}}, {W: 1 + 3e-7}, {W: 1 + 1.2e-7}, {W: 1 - 1.2e-7}, {W: 1 - 1.8e-7}, {W: 1 - 3e-7},
	} {
		specials = append(specials, special{fmt.Sprint("rotation ", q), func(c *Capture3D, i int) { c.Logical[i].Value().Rotation = q }, false})
	}
	for _, q := range []mgl32.Quat{
		{W: nan}, {W: 1, V: mgl32.Vec3{nan}}, {W: inf}, {V: mgl32.Vec3{0, 0, -inf}}, {W: math.MaxFloat32, V: mgl32.Vec3{math.MaxFloat32}},
	} {
		specials = append(specials, special{fmt.Sprint("rotation ", q), func(c *Capture3D, i int) { c.Logical[i].Value().Rotation = q }, true})
	}
	for k := range 6 {
		for _, v := range []float32{nan, inf, -inf} {
			specials = append(specials, special{fmt.Sprint(v, " at ", k), func(c *Capture3D, i int) {
				p := c.Logical[i].Value()
				if k < 3 {
					p.Position[k] = v
				} else {
					p.Scale[k-3] = v
				}
			}, true})
		}
	}
	for k := range 10 {
		specials = append(specials, special{fmt.Sprint("only float ", k), func(c *Capture3D, i int) {
			w := words(&c.Cur[i])
			c.Cur[i].Rotation = mgl32.QuatIdent()
			v := c.Cur[i]
			for j, f := range []*float32{
				&v.Position[0], &v.Position[1], &v.Position[2], &v.Rotation.W, &v.Rotation.V[0], &v.Rotation.V[1], &v.Rotation.V[2],
				&v.Scale[0], &v.Scale[1], &v.Scale[2],
			} {
				if j == k {
					*f = math.Nextafter32(w[j], 5)
				}
			}
			if k == 3 { // still of unit length, to the test
				v.Rotation.W = math.Nextafter32(1, 0)
			} else if k > 3 && k < 7 {
				v.Rotation.V[k-4] = 1e-5
			}
			*c.Logical[i].Value() = v
		}, false})
	}
	neighbouring, scattered := make([]uint32, n), make([]uint32, n)
	for i := range neighbouring {
		neighbouring[i], scattered[i] = uint32(i), uint32(3*i+1)
	}
	for _, special := range specials {
		for lane := range n {
			testSpecialRow(t, neighbouring, lane, special.name, special.write, special.stops, func(c *Capture3D, out *Captured) int {
				return c.takeTurns(0, n/perTurn, out)
			})
			testSpecialRow(t, scattered, lane, special.name, special.write, special.stops, func(c *Capture3D, out *Captured) int {
				return c.takeListTurns(scattered, out)
			})
		}
	}
}

// testSpecialRow moves rows, makes one of them special, and compares Go, assembly and the turns
// that assembly by itself takes.
func testSpecialRow(t *testing.T, rows []uint32, lane int, name string, write func(*Capture3D, int), stops bool, take func(*Capture3D, *Captured) int) {
	t.Helper()
	n := int(rows[len(rows)-1]) + 2 // one more, which rests
	c := newCapture(n)
	for _, r := range rows {
		v := c.Cur[r]
		v.Position[2]++
		v.Scale[0]--
		set(&c.Logical[r], v)
	}
	write(c, int(rows[lane]))
	byGo, direct := c.clone(), c.clone()
	var out, goOut, directOut, referenceOut Captured
	c.Run(Fastest, &out)
	byGo.Run(Scalar, &goOut)
	wantSameTable(t, c, byGo)
	if !slices.Equal(out.moving(n), goOut.Moving) || !slices.Equal(out.Rested, goOut.Rested) || !slices.Equal(out.Others, goOut.Others) || out.Went != goOut.Went {
		t.Fatalf("%s in row %d: got %+v, want %+v", name, rows[lane], out, goOut)
	}
	// The assembly by itself: how far it goes, and that it leaves the rest alone.
	want := len(rows) / perTurn
	if stops {
		want = lane / perTurn
	}
	reference := direct.clone()
	if done := take(direct, &directOut); done != want {
		t.Fatalf("%s in row %d: %d turns by assembly, want %d", name, rows[lane], done, want)
	}
	reference.takeSingly(rows[:want*perTurn], &referenceOut)
	wantSameTable(t, direct, reference)
	if directOut.Went != referenceOut.Went {
		t.Fatalf("%s in row %d: %d were in motion before, want %d", name, rows[lane], directOut.Went, referenceOut.Went)
	}
}

// moving is the list of a table of n rows written out.
func (c *Captured) moving(n int) []uint32 {
	if !c.All {
		return c.Moving
	}
	return appendRun(nil, n)
}

func TestNeighbours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := []uint32{rapid.Uint32Range(0, 1000).Draw(t, "first")}
		for range rapid.IntRange(0, 40).Draw(t, "more") {
			rows = append(rows, rows[len(rows)-1]+rapid.SampledFrom([]uint32{1, 1, 1, 1, 1, 1, 1, 2, 100}).Draw(t, "step"))
		}
		want := 1
		for want < len(rows) && rows[want] == rows[want-1]+1 {
			want++
		}
		if got := neighbours(rows); got != want {
			t.Fatalf("%d neighbours in %v, want %d", got, rows, want)
		}
	})
}
