//go:build amd64 && !purego

package kernel

//go:noescape
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// xgetbv reads XCR0, the register states that the operating system saves. It may be called only
// where cpuid says OSXSAVE.
//
//go:noescape
func xgetbv() (eax, edx uint32)

// detect reports whether the processor has AVX2 and AVX-512 and the operating system keeps the
// registers of each across a switch of threads; see "Detection of AVX2" and "Detection of AVX-512
// Foundation" in Intel's Software Developer's Manual, volume 1. The kernels for AVX2 also count
// bits, for which there is a flag of its own: every processor with AVX2 can, but a virtual machine
// may hide any of them.
//
// The kernels need the foundation of AVX-512, also for vectors of 256 bits (VL), and no more. But
// the first processors that have it, which lack VBMI2, lower their clock for a while when it is
// used, and so slow down all other code.
func detect() (avx2, avx512 bool) {
	const (
		popcnt        = 1 << 23 // leaf 1, ecx
		osxsave       = 1 << 27 // leaf 1, ecx
		avx           = 1 << 28 // leaf 1, ecx
		hasAVX2       = 1 << 5  // leaf 7, ebx
		hasFoundation = 1 << 16 // leaf 7, ebx
		hasVL         = 1 << 31 // leaf 7, ebx
		hasVBMI2      = 1 << 6  // leaf 7, ecx
		ymm           = 1<<1 | 1<<2
		zmm           = ymm | 1<<5 | 1<<6 | 1<<7 // masks, upper halves of ZMM0 to 15, ZMM16 to 31
	)
	if top, _, _, _ := cpuid(0, 0); top < 7 {
		return false, false
	}
	if _, _, c, _ := cpuid(1, 0); c&(popcnt|osxsave|avx) != popcnt|osxsave|avx {
		return false, false
	}
	state, _ := xgetbv()
	_, b, c, _ := cpuid(7, 0)
	avx2 = state&ymm == ymm && b&hasAVX2 != 0
	avx512 = avx2 && state&zmm == zmm && b&(hasFoundation|hasVL) == hasFoundation|hasVL && c&hasVBMI2 != 0
	return avx2, avx512
}
