package kernel

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestBlendLinear(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	zero := float32(math.Copysign(0, -1))
	for _, test := range []struct{ prev, cur, t, want float32 }{
		{0, 1, 0.25, 0.25},
		{-3, 5, 0.5, 1},
		{8, 0, 0.75, 2},
		{1e6, 1e6 + 1, 0.5, 1e6 + 0.5},
		{7, 7, 0.3, 7},
		{zero, 1, 0, zero}, // the older sample itself
		{1, inf, 0, 1},
		{inf, -inf, 0, inf},
		{nan, 1, 0, nan},
		{1, nan, 0, 1},
		{1, inf, 0.5, inf},
		{inf, 1, 0.5, inf - inf}, // not a number
		{zero, zero, 0.5, 0},
		{0, math.SmallestNonzeroFloat32, 0.25, 0},
	} {
		for n := range 11 { // in whichever place of a group of four it stands
			prev, cur, got := make([]float32, n+1), make([]float32, n+1), make([]float32, n+1)
			prev[n], cur[n] = test.prev, test.cur
			BlendLinear(got, prev, cur, test.t)
			if !sameFloat(got[n], test.want) {
				t.Errorf("%v to %v at %v, the last of %d: %v, want %v", test.prev, test.cur, test.t, n+1, got[n], test.want)
			}
		}
	}
}

// sameFloat compares bit for bit, but takes one NaN for another.
func sameFloat(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// A number of each kind is drawn the same wherever it stands, in a column, on a list, in values of
// one to four components, whatever it is.
func TestLinearListGivesTheSameBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		components, n := rapid.IntRange(1, 4).Draw(t, "components"), rapid.IntRange(1, 40).Draw(t, "rows")
		column := rapid.SliceOfN(floats(), n*components, n*components)
		prev, cur, at := column.Draw(t, "prev"), column.Draw(t, "cur"), fractions().Draw(t, "t")
		rows := rapid.SliceOf(rapid.Uint32Range(0, uint32(n-1))).Draw(t, "list")

		whole := make([]float32, len(prev))
		BlendLinear(whole, prev, cur, at)
		for k := range whole {
			want := prev[k]
			if at != 0 {
				want += float32((cur[k] - prev[k]) * at)
			}
			if !sameFloat(whole[k], want) {
				t.Fatalf("%v to %v at %v: %v, want %v", prev[k], cur[k], at, whole[k], want)
			}
		}
		const untouched = 4711
		got := slices.Repeat([]float32{untouched}, len(prev))
		BlendListLinear(rows, got, prev, cur, components, at)
		for k := range got {
			want := float32(untouched)
			if slices.Contains(rows, uint32(k/components)) {
				want = whole[k]
			}
			if !sameFloat(got[k], want) {
				t.Fatalf("number %d on the list: %v, want %v", k, got[k], want)
			}
		}
		overPrev, overCur := slices.Clone(prev), slices.Clone(cur)
		BlendLinear(overPrev, overPrev, cur, at)
		BlendLinear(overCur, prev, overCur, at)
		if !slices.EqualFunc(overPrev, whole, sameFloat) || !slices.EqualFunc(overCur, whole, sameFloat) {
			t.Fatalf("over the older sample %v, over the newer %v, want %v", overPrev, overCur, whole)
		}
	})
}

// Between finite numbers that are not too far apart it is what exact arithmetic says, to a rounding
// error: relative, and next to zero the distance of two numbers.
func TestBlendLinearIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64Range(-1e6, 1e6)
		prev, cur, at := f.Draw(t, "prev"), f.Draw(t, "cur"), fractions().Draw(t, "t")
		size := math.Abs(prev) + math.Abs(cur)
		var small [1]float32
		p, c := float32(prev), float32(cur)
		BlendLinear(small[:], []float32{p}, []float32{c}, at)
		if want := float64(p) + (float64(c)-float64(p))*float64(at); math.Abs(float64(small[0])-want) > size/(1<<22)+math.SmallestNonzeroFloat32 {
			t.Fatalf("%v to %v at %v: %v, want %v", p, c, at, small[0], want)
		}
		var large [1]float64
		BlendLinear(large[:], []float64{prev}, []float64{cur}, float64(at))
		if want := prev*(1-float64(at)) + cur*float64(at); math.Abs(large[0]-want) > size/(1<<50)+math.SmallestNonzeroFloat64 {
			t.Fatalf("%v to %v at %v: %v, want %v", prev, cur, at, large[0], want)
		}
	})
}

// TestSameLinearBitsOnEveryPlatform is TestSameBitsOnEveryPlatform for linear values of both kinds.
func TestSameLinearBitsOnEveryPlatform(t *testing.T) {
	const n = 997
	r := rand.New(rand.NewPCG(1, 2))
	var prev, cur, dst [n]float32
	var prev64, cur64, dst64 [n]float64
	for i := range prev {
		prev[i], cur[i] = r.Float32(), r.Float32()
		prev64[i], cur64[i] = r.Float64(), r.Float64()
	}
	sum := fnv.New64a()
	for step := range 10 {
		BlendLinear(dst[:], prev[:], cur[:], float32(step)/10)
		BlendLinear(dst64[:], prev64[:], cur64[:], float64(step)/10)
		_ = binary.Write(sum, binary.LittleEndian, dst[:]) // a hash does not fail
		_ = binary.Write(sum, binary.LittleEndian, dst64[:])
	}
	const want = 0x73c19c567b00ab56
	if got := sum.Sum64(); got != want {
		t.Errorf("checksum %#x, want %#x", got, uint64(want))
	}
}

func TestLinearMisuse(t *testing.T) {
	three := make([]float32, 3)
	wantPanic(t, "kernel: columns of 3 (dst), 2 (prev) and 3 (cur) poses; pass columns of one table, cut to its length", func() {
		BlendLinear(three, three[:2], three, 0.5)
	})
	wantPanic(t, "kernel: row 1 in a list for a column of 1 rows; rebuild the list after every structural change", func() {
		BlendListLinear([]uint32{0, 1}, three, three, three, 2, 0.5)
	})
	for _, at := range []float32{0, 0.5} {
		wantPanic(t, "kernel: values of 5 components; blend a list of more than four in runs", func() {
			BlendListLinear(nil, three, three, three, 5, at)
		})
	}
}

func TestBlendLinearAllocatesNothing(t *testing.T) {
	prev, cur, dst := make([]float64, 50), make([]float64, 50), make([]float64, 50)
	rows := []uint32{3, 1, 4}
	if n := testing.AllocsPerRun(10, func() {
		BlendLinear(dst, prev, cur, 0.5)
		BlendListLinear(rows, dst, prev, cur, 4, 0.5)
		BlendListLinear(rows, dst, prev, cur, 3, 0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
