//go:build amd64 && !purego

package kernel

//go:noescape
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// xgetbv reads XCR0, the register states that the operating system saves. It may be called only where cpuid says OSXSAVE.
//
//go:noescape
func xgetbv() (eax, edx uint32)

// detectAVX2 reports whether the processor has AVX2 and the operating system keeps the upper halves of the YMM registers across a switch of threads;
// see "Detection of AVX2" in Intel's Software Developer's Manual, volume 1.
func detectAVX2() bool {
	const (
		osxsave = 1 << 27 // leaf 1, ecx
		avx     = 1 << 28 // leaf 1, ecx
		avx2    = 1 << 5  // leaf 7, ebx
		ymm     = 1<<1 | 1<<2
	)
	if top, _, _, _ := cpuid(0, 0); top < 7 {
		return false
	}
	if _, _, c, _ := cpuid(1, 0); c&(osxsave|avx) != osxsave|avx {
		return false
	}
	if state, _ := xgetbv(); state&ymm != ymm {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&avx2 != 0
}
