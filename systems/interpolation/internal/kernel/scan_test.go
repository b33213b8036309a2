package kernel

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/internal/record"
)

type poseRecord = record.Record[pose]

func set(r *poseRecord, v pose) { r.Write(v, record.Moved, 0) }

func TestChanged(t *testing.T) {
	eachPath(t, func(t *testing.T, path Path) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(0, 50).Draw(t, "n")
			wordsApart := rapid.IntRange(1, 40).Draw(t, "stride")
			first := rapid.Uint32Range(0, 1<<20).Draw(t, "first")
			memory := make([]uint32, n*wordsApart+1)
			seen := make([]uint32, n)
			old := rapid.SliceOfN(rapid.Uint32(), 0, 3).Draw(t, "old rows")
			want := slices.Clone(old)
			for i := range seen {
				seen[i] = rapid.Uint32().Draw(t, "seen")
				memory[i*wordsApart] = seen[i]
				if rapid.Bool().Draw(t, "changed") {
					memory[i*wordsApart] += rapid.SampledFrom([]uint32{1, 1 << 31, 1<<32 - 1}).Draw(t, "by")
					want = append(want, first+uint32(i))
				}
			}
			got := path.Changed(first, unsafe.Pointer(&memory[0]), uintptr(4*wordsApart), seen, old)
			if !slices.Equal(got, want) {
				t.Fatalf("got %v, want %v", got, want)
			}
		})
	})
}

func TestChangedInLongColumns(t *testing.T) {
	eachPath(t, func(t *testing.T, path Path) {
		for _, n := range []int{scanCall - 1, scanCall, 2*scanCall + 11} {
			records, seen := make([]poseRecord, n), make([]uint32, n)
			var want []uint32
			for i := range records {
				if i%7 == 3 || i%scanCall < 20 {
					*records[i].RevisionCell() = uint32(i) + 1
					want = append(want, uint32(i))
				}
			}
			scratch := make([]uint32, 0, n)
			got := path.Changed(0, unsafe.Pointer(records[0].RevisionCell()), unsafe.Sizeof(records[0]), seen, scratch)
			if !slices.Equal(got, want) {
				t.Fatalf("%d rows: %d changed, want %d", n, len(got), len(want))
			}
			if allocated := testing.AllocsPerRun(5, func() {
				path.Changed(0, unsafe.Pointer(records[0].RevisionCell()), unsafe.Sizeof(records[0]), seen, scratch)
			}); allocated != 0 {
				t.Errorf("%d rows: %v allocations", n, allocated)
			}
		}
	})
}

func TestAllEqual(t *testing.T) {
	eachPath(t, func(t *testing.T, path Path) {
		for n := range 300 {
			stamps := slices.Repeat([]uint32{0xDEADBEEF}, n)
			if !path.AllEqual(stamps, 0xDEADBEEF) {
				t.Fatalf("%d equal stamps differ", n)
			}
			for i := range stamps {
				stamps[i] ^= 1 << (i % 32)
				if path.AllEqual(stamps, 0xDEADBEEF) {
					t.Fatalf("row %d of %d is not seen to differ", i, n)
				}
				stamps[i] = 0xDEADBEEF
			}
		}
		long := make([]uint32, 3*scanCall+5)
		long[len(long)-1] = 1
		if path.AllEqual(long, 0) || !path.AllEqual(long[:len(long)-1], 0) {
			t.Error("long columns are compared wrongly")
		}
	})
}

func TestAllEqualAt(t *testing.T) {
	eachPath(t, func(t *testing.T, path Path) {
		rapid.Check(t, func(t *rapid.T) {
			want := rapid.Uint32().Draw(t, "want")
			column := slices.Repeat([]uint32{want}, rapid.IntRange(1, 50).Draw(t, "rows of the column"))
			rows := rapid.SliceOfN(rapid.Uint32Range(0, uint32(len(column)-1)), 1, 60).Draw(t, "rows")
			if !path.AllEqualAt(rows, column, want) {
				t.Fatal("equal values differ")
			}
			which := rapid.IntRange(0, len(rows)-1).Draw(t, "which")
			flipped := uint32(1) << rapid.IntRange(0, 31).Draw(t, "bit")
			column[rows[which]] ^= flipped
			if path.AllEqualAt(rows, column, want) {
				t.Fatal("one that differs is not seen")
			}
			column[rows[which]] ^= flipped
			rows[which] = uint32(len(column)) + rapid.Uint32Range(0, math.MaxUint32-50).Draw(t, "beyond")
			if path.AllEqualAt(rows, column, want) {
				t.Fatalf("row %d of a column of %d has a value", rows[which], len(column))
			}
			if path.AllEqualAt(rows, nil, want) {
				t.Fatal("an empty column has values")
			}
		})
		rows := make([]uint32, 2*scanCall+11)
		column := []uint32{0, 7, 8}
		for k := range rows {
			rows[k] = 2
		}
		for _, n := range []int{0, 1, 8, scanCall, 2 * scanCall, len(rows)} {
			if !path.AllEqualAt(rows[:n], column, 8) {
				t.Errorf("%d equal values differ", n)
			}
			if n > 0 && path.AllEqualAt(rows[:n], column, 7) {
				t.Errorf("%d values have another one", n)
			}
		}
		for _, k := range []int{0, 7, 8, scanCall - 1, scanCall, 2 * scanCall, len(rows) - 1} {
			for _, r := range []uint32{1, 3, math.MaxUint32} {
				rows[k] = r
				if path.AllEqualAt(rows, column, 8) {
					t.Errorf("row %d in place %d of a long list is not seen to differ", r, k)
				}
				rows[k] = 2
			}
		}
		if path.AllEqualAt(rows, nil, 8) || !path.AllEqualAt(nil, nil, 8) {
			t.Error("an empty column has values, or an empty list none")
		}
		if n := testing.AllocsPerRun(5, func() { path.AllEqualAt(rows, column, 8) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}
