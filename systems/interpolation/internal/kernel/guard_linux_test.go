package kernel

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/tandem-ecs/tandem/internal/record"
)

// guarded returns a column whose last, or first, byte borders on memory that may not be touched.
func guarded[T any](t *testing.T, n int, atEnd bool) []T {
	t.Helper()
	page := syscall.Getpagesize()
	size := n * int(unsafe.Sizeof(*new(T)))
	middle := max(1, (size+page-1)/page) * page
	memory, err := syscall.Mmap(-1, 0, middle+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("no memory map: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	for _, edge := range [][]byte{memory[:page], memory[page+middle:]} {
		if err := syscall.Mprotect(edge, syscall.PROT_NONE); err != nil {
			t.Skipf("no page protection: %v", err)
		}
	}
	start := page
	if atEnd {
		start += middle - size
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&memory[start])), n)
}

// Neither the assembly nor the Go code, which finds poses by their distance in bytes, reads or
// writes a byte outside of its columns: a touch of the pages around them would end the process.
func TestStaysInsideItsColumns(t *testing.T) {
	for _, atEnd := range []bool{true, false} {
		for _, n := range []int{1, 7, 8, 9, 16, 24, 31, 33, 48, 64, 100, perCall + 8, perCall + 16} {
			prev, cur, dst := guarded[pose](t, n, atEnd), guarded[pose](t, n, atEnd), guarded[pose](t, n, atEnd)
			a, b := samples(n, 12)
			copy(prev, a)
			copy(cur, b)
			rows := guarded[uint32](t, n, atEnd)
			for i := range rows {
				rows[i] = uint32(n - 1 - i)
			}
			want := make([]pose, n)
			Scalar.Blend3D(want, a, b, 0.7)
			for _, path := range append(assemblies(), Scalar) {
				clear(dst)
				path.Blend3D(dst, prev, cur, 0.7)
				wantSame(t, "dense", dst, want)
				clear(dst)
				path.BlendList3D(rows, dst, prev, cur, 0.7)
				wantSame(t, "list", dst, want)
			}

			records, seen := guarded[poseRecord](t, n, atEnd), guarded[uint32](t, n, atEnd)
			for i := range records {
				*records[i].RevisionCell() = uint32(i % 2)
			}
			found := guarded[uint32](t, n, atEnd)[:0]
			if got := Fastest.Changed(0, unsafe.Pointer(records[0].RevisionCell()), unsafe.Sizeof(records[0]), seen, found); len(got) != n/2 {
				t.Errorf("%d of %d rows changed, want every other", len(got), n)
			}
			if Fastest.AllEqual(seen, 1) || !Fastest.AllEqual(seen, 0) {
				t.Errorf("%d stamps compared wrongly", n)
			}
			if !Fastest.AllEqualAt(rows, seen, 0) {
				t.Errorf("%d stamps of a list compared wrongly", n)
			}
			rows[n/2] = uint32(n)
			if Fastest.AllEqualAt(rows, seen, 0) {
				t.Errorf("of %d stamps there is one more", n)
			}
			rows[n/2] = 1 << 30
			if Fastest.AllEqualAt(rows, seen, 0) {
				t.Errorf("of %d stamps there are many more", n)
			}

			for _, every := range []int{1, 2} { // neighbours, and a list
				inside := newCapture(n)
				for i := range inside.Logical {
					if i%every != 0 && i != n-1 {
						continue
					}
					p := inside.Cur[n-1-i]
					p.Rotation.W *= 1.01 // some are not of unit length, so that both ways are taken
					if i%16 < 8 {
						p = inside.Cur[n-1-i]
					}
					p.Position[0]++
					set(&inside.Logical[i], p)
				}
				bordering := inside.clone()
				bordering.Logical, bordering.Motion, bordering.Seen = guarded[record.Record[pose]](t, n, atEnd), guarded[uint32](t, n, atEnd), seen
				bordering.Prev, bordering.Cur = prev, cur
				copy(bordering.Logical, inside.Logical)
				copy(bordering.Seen, inside.Seen)
				copy(prev, inside.Prev)
				copy(cur, inside.Cur)
				var out, guardedOut Captured
				inside.Run(Scalar, &out)
				bordering.Run(Fastest, &guardedOut)
				wantSameTable(t, bordering, inside)
			}
		}
	}
}
