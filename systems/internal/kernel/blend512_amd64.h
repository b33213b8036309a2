// What the blend kernels by AVX-512 have in common: the steps of WEIGH, and the constants. The registers are given, since one kernel weighs sixteen poses
// at once and the others eight. No step is a fused multiply-add; see blend_amd64.h.
//
// Constants, in ZMM or YMM: 26 c3, 27 c2, 28 c1, 29 sign bits, 30 ones, 31 t.

// CONSTANTS512 fills them from the curve at AX: t, c1, c2, c3. Clobbers Z0.
#define CONSTANTS512 \
	VBROADCASTSS 0(AX), Z31           \
	VBROADCASTSS 4(AX), Z28           \
	VBROADCASTSS 8(AX), Z27           \
	VBROADCASTSS 12(AX), Z26          \
	VPTERNLOGD   $0xFF, Z0, Z0, Z0    \ // all bits set
	VPSRLD       $25, Z0, Z30         \ // 0x7F
	VPSLLD       $23, Z30, Z30        \ // 0x3F800000: 1
	VPSLLD       $31, Z0, Z29            // 0x80000000: the sign

// WEIGH in seven steps: x = 1-|dot|, wb = t + x(c1 + x(c2 + x c3)), wa = 1-wb, squared length 1 - ((x+x) wa) wb, which is x in the end; then wb gets the
// sign of the dot.
#define STEP_X(dot, x, sign, ones) \
	VPANDND dot, sign, x \ // |dot|
	VSUBPS  x, ones, x

#define STEP_C3(x, wb, c3, c2) \
	VMULPS c3, x, wb  \
	VADDPS c2, wb, wb

// STEP_C is two steps: for c1, and for t.
#define STEP_C(x, wb, c) \
	VMULPS x, wb, wb \
	VADDPS c, wb, wb

#define STEP_A(x, wb, wa, ones) \
	VSUBPS wb, ones, wa \
	VADDPS x, x, x

#define STEP_PRODUCT(x, wb, wa) \
	VMULPS wa, x, x \
	VMULPS wb, x, x

#define STEP_SQUARE(x, wb, dot, sign, ones) \
	VSUBPS     x, ones, x           \
	VPTERNLOGD $0x78, dot, sign, wb    // wb xor (dot and sign bits)

// LENGTH: r = 1/length. Square root and division are the exact ones: the fast estimates differ from maker to maker.
#define LENGTH(square, r, ones) \
	VSQRTPS square, r  \
	VDIVPS  r, ones, r
