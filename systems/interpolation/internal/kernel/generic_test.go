package kernel

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
)

func TestGenericBlend(t *testing.T) {
	mix := func(from, to string, t float32) string {
		if t < 0.5 {
			return from
		}
		return to
	}
	prev, cur, dst := []string{"a", "b", "c"}, []string{"x", "y", "z"}, make([]string, 3)
	Blend(dst, prev, cur, 0.25, mix)
	if dst[0] != "a" || dst[1] != "b" || dst[2] != "c" {
		t.Errorf("got %v at 0.25", dst)
	}
	BlendList([]uint32{2, 0}, dst, prev, cur, 0.75, mix)
	if dst[0] != "x" || dst[1] != "b" || dst[2] != "z" {
		t.Errorf("got %v after a list at 0.75", dst)
	}
}

func TestGenericBlendAllocatesNothing(t *testing.T) {
	prev, cur := samples(50, 1)
	dst, rows := make([]pose, 50), []uint32{3, 1, 4}
	if n := testing.AllocsPerRun(10, func() {
		Blend(dst, prev, cur, 0.5, components.Blend3D)
		BlendList(rows, dst, prev, cur, 0.5, components.Blend3D)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A batch function gets every row that is listed, in the list's order, as often as it stands there,
// in runs as long as can be, and cannot reach what is behind them.
func TestBatchesOfAList(t *testing.T) {
	for _, test := range []struct {
		rows []uint32
		want []int // the lengths of the batches
	}{
		{nil, nil},
		{[]uint32{4}, []int{1}},
		{[]uint32{0, 1, 2, 3, 4, 5, 6, 7}, []int{8}},
		{[]uint32{0, 2, 3, 4, 6, 7}, []int{1, 3, 2}},
		{[]uint32{3, 2, 1}, []int{1, 1, 1}},
		{[]uint32{5, 5, 6}, []int{1, 2}},
	} {
		prev, cur, dst := []int{0, 1, 2, 3, 4, 5, 6, 7}, []int{10, 11, 12, 13, 14, 15, 16, 17}, make([]int, 8)
		var lengths []int
		var rows []uint32
		BlendListBatch(test.rows, dst, prev, cur, 0.5, func(d, p, c []int, at float32) {
			if len(p) != len(d) || len(c) != len(d) || cap(d) != len(d) || cap(p) != len(p) || cap(c) != len(c) || at != 0.5 {
				t.Errorf("list %v: a batch of %d of %d, %d of %d and %d of %d at %v", test.rows, len(d), cap(d), len(p), cap(p), len(c), cap(c), at)
			}
			lengths = append(lengths, len(d))
			for k := range d {
				rows = append(rows, uint32(p[k]))
				d[k] = p[k] + c[k]
			}
		})
		if !slices.Equal(lengths, test.want) || !slices.Equal(rows, test.rows) {
			t.Errorf("list %v: batches of %v with the rows %v, want %v", test.rows, lengths, rows, test.want)
		}
		for r := range dst {
			if want := 2*r + 10; slices.Contains(test.rows, uint32(r)) != (dst[r] == want) {
				t.Errorf("list %v: row %d is %d", test.rows, r, dst[r])
			}
		}
	}
}

// By value, in a batch and in batches of a list, a function gives the same.
func TestBatchIsAsByValue(t *testing.T) {
	half := func(from, to [3]uint8, t float32) (v [3]uint8) {
		for k := range v {
			v[k] = from[k] + uint8(float32(to[k]-from[k])*t)
		}
		return v
	}
	batch := func(dst, from, to [][3]uint8, t float32) {
		for k := range dst {
			dst[k] = half(from[k], to[k], t)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(t, "rows")
		column := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [3]uint8 {
			return [3]uint8{rapid.Uint8().Draw(t, "x"), rapid.Uint8().Draw(t, "y"), rapid.Uint8().Draw(t, "z")}
		}), n, n)
		prev, cur, at := column.Draw(t, "prev"), column.Draw(t, "cur"), fractions().Draw(t, "t")
		want, got := make([][3]uint8, n), make([][3]uint8, n)
		Blend(want, prev, cur, at, half)
		BlendBatch(got, prev, cur, at, batch)
		if !slices.Equal(got, want) {
			t.Fatalf("a column in a batch: %v, want %v", got, want)
		}
		if n == 0 {
			return
		}
		rows := rapid.SliceOf(rapid.Uint32Range(0, uint32(n-1))).Draw(t, "list")
		clear(want)
		clear(got)
		BlendList(rows, want, prev, cur, at, half)
		BlendListBatch(rows, got, prev, cur, at, batch)
		if !slices.Equal(got, want) {
			t.Fatalf("a list in batches: %v, want %v", got, want)
		}
	})
}

func TestBatchMisuse(t *testing.T) {
	three := make([]int, 3)
	never := func(_, _, _ []int, _ float32) { t.Error("called") }
	BlendBatch(nil, nil, nil, 0.5, never)
	BlendBatch(three[:2], three[:2], three[:2], 0.5, func(dst, prev, cur []int, _ float32) {
		if cap(dst) != 2 || cap(prev) != 2 || cap(cur) != 2 {
			t.Errorf("slices of 2 have room for %d, %d and %d", cap(dst), cap(prev), cap(cur))
		}
	})
	const columns = "kernel: columns of 3 (dst), 2 (prev) and 3 (cur) poses; pass columns of one table, cut to its length"
	wantPanic(t, columns, func() { BlendBatch(three, three[:2], three, 0.5, never) })
	wantPanic(t, columns, func() { BlendListBatch(nil, three, three[:2], three, 0.5, never) })
	wantPanic(t, "kernel: row 3 in a list for a column of 3 rows; rebuild the list after every structural change", func() {
		BlendListBatch([]uint32{0, 3}, three, three, three, 0.5, never)
	})
}
