package kernel

import (
	"slices"
	"testing"
	"unsafe"
)

func TestCaptureOfLongTables(t *testing.T) {
	lengths := []int{512, 513, part, part + 1, 3*part + 11, farRows + 11}
	if testing.Short() {
		lengths = lengths[:4] // a seam of two parts
	}
	for _, n := range lengths {
		for _, every := range []int{1, 2, 7, 90} {
			c := newCapture(n)
			move := func() (moved int) {
				for i := range c.Logical {
					if i%every == 0 && i%1000 != 720 {
						v := *c.Logical[i].Value()
						v.Position[0]++
						set(&c.Logical[i], v)
						moved++
					}
				}
				return moved
			}
			moved := move()
			byGo := c.clone()
			var out, goOut Captured
			c.Run(Fastest, &out)
			byGo.Run(Scalar, &goOut)
			wantSameTable(t, c, byGo)
			if !slices.Equal(out.moving(n), goOut.Moving) || len(goOut.Moving) != moved || out.All != (moved == n && hasAVX2) {
				t.Errorf("every %d. of %d rows: %d moving by assembly, %d by Go, want %d", every, n, len(out.moving(n)), len(goOut.Moving), moved)
			}
			if testing.Short() {
				continue
			}
			if n := testing.AllocsPerRun(3, func() {
				move()
				out.Moving, out.Rested, out.Others = out.Moving[:0], out.Rested[:0], out.Others[:0]
				c.Run(Fastest, &out)
			}); n != 0 {
				t.Errorf("%v allocations", n)
			}
		}
	}
}

// Tables that only memory holds are written past the caches, wherever their columns begin.
func TestCaptureOfFarTables(t *testing.T) {
	if testing.Short() {
		t.Skip("only assembly writes past the caches, and neither the race detector nor a browser sees that")
	}
	const n = farColumn + 21
	whole := newCapture(n + 1)
	for i := range whole.Logical {
		v := *whole.Logical[i].Value()
		v.Position[0] += float32(i + 1)
		if i != n-100 {
			set(&whole.Logical[i], v)
		}
	}
	for from := range 2 { // on a boundary of a line, and not
		all := whole.clone()
		byGo := all.clone()
		for _, c := range []*Capture3D{all, byGo} {
			c.Logical, c.Prev, c.Cur, c.Seen, c.Motion = c.Logical[from:][:n], c.Prev[from:][:n], c.Cur[from:][:n], c.Seen[from:][:n], c.Motion[from:][:n]
		}
		if on := uintptr(unsafe.Pointer(&all.Prev[0]))%cacheLine == 0; on != (from == 0) {
			t.Skipf("the column from row %d on begins elsewhere than expected", from)
		}
		var out, goOut Captured
		all.Run(Fastest, &out)
		byGo.Run(Scalar, &goOut)
		wantSameTable(t, all, byGo)
		if !slices.Equal(out.moving(n), goOut.Moving) || len(goOut.Moving) != n-1 {
			t.Errorf("from row %d: %d moving by the fastest path, %d by Go, want %d", from, len(out.moving(n)), len(goOut.Moving), n-1)
		}
	}
}
