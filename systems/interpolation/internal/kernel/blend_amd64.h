// The common part of the blend kernels. A turn blends eight poses of ten floats,
//
//	float   0  1  2   3  4  5  6   7  8  9        byte   0        12            28     40
//	        position  rotation     scale                 position rotation wxyz scale
//
// in two ways at once. All eighty floats are interpolated as if they were positions, which needs no
// shuffling at all; the eight rotations are loaded once more, blended properly, and stored over the
// result. Only the weights of the rotations need lanes of their own: entity e has its in lane e of
// a YMM register, entities 0-3 in the lower half and 4-7 in the upper, because rotations are loaded
// in pairs e | e+4.
//
// The chain from the dot product to the weights takes some ninety cycles, with a square root and a
// division, and the processor cannot look far enough ahead to overlap it with the next turns. So
// the kernel overlaps them: while turn i is blended, turn i+1 is at its square root, turn i+2 at
// its polynomial and turn i+3 at its dot products. Each of the four stages reads the registers that
// the one before left one turn ago:
//
//	stage    reads      leaves
//	DOTS     memory     Y4   prev·cur
//	WEIGH    Y4         Y5   weight of prev       Y6  weight of cur, signed      Y7  squared length of their sum
//	UNIT     Y5 Y6 Y7   Y11  the same, divided    Y10 by the length
//	BLEND    Y10 Y11    memory
//
// Constants: Y13 ones, Y14 sign bits, Y15 t; c1, c2, c3 of the curve, eight times each, at 0, 32
// and 64(SP).
//
// No step is a fused multiply-add: each operation rounds by itself, as in blendScalar, whose bits
// these are. Fusing was measured to gain 9 percent in the first two levels of the cache, 5 in the
// third and nothing in memory; it would cost that every kind of processor has results of its own.
//
// Rotations are read in WEIGH's order w x y z; no pose is read or written outside its forty bytes;
// every float is read for the last time before it is written for the first time, so that dst may be
// prev or cur.

// CONSTANTS fills them from the curve at AX: t, c1, c2, c3.
#define CONSTANTS \
	VBROADCASTSS 0(AX), Y15           \
	VPCMPEQD     Y14, Y14, Y14        \ // all bits set
	VPSRLD       $25, Y14, Y13        \ // 0x7F
	VPSLLD       $23, Y13, Y13        \ // 0x3F800000: 1
	VPSLLD       $31, Y14, Y14        \ // 0x80000000: the sign
	VBROADCASTSS 4(AX), Y0            \
	VMOVUPS      Y0, 0(SP)            \
	VBROADCASTSS 8(AX), Y0            \
	VMOVUPS      Y0, 32(SP)           \
	VBROADCASTSS 12(AX), Y0           \
	VMOVUPS      Y0, 64(SP)

// PAIR multiplies the rotations of entities e and e+4 by component: Y = wxyz of e | wxyz of e+4.
// Clobbers Z.
#define PAIR(prev, prev4, cur, cur4, XY, Y, XZ, Z) \
	VMOVUPS     prev, XY        \
	VINSERTF128 $1, prev4, Y, Y \
	VMOVUPS     cur, XZ         \
	VINSERTF128 $1, cur4, Z, Z  \
	VMULPS      Z, Y, Y

// HALF adds, of A = the products of e | e+4 and B = those of e+1 | e+5, each w+y and x+z:
// A = A(w+y) B(w+y) A(x+z) B(x+z) | the same of the upper half. Clobbers Z.
#define HALF(A, B, Z) \
	VUNPCKLPS B, A, Z \ // Aw Bw Ax Bx |
	VUNPCKHPS B, A, A \ // Ay By Az Bz |
	VADDPS    A, Z, A

// JOIN makes the eight dots from HALF(e, e+1) in A and HALF(e+2, e+3) in B: D = (w+y)+(x+z) of 0 1
// 2 3 | 4 5 6 7. Clobbers A, Z.
#define JOIN(A, B, Z, D) \
	VSHUFPS $0x44, B, A, Z \ // w+y of 0 1 2 3 | 4 5 6 7
	VSHUFPS $0xEE, B, A, A \ // x+z of 0 1 2 3 | 4 5 6 7
	VADDPS  A, Z, D

// WEIGH: x = 1-|dot|, wb = t + x(c1 + x(c2 + x c3)), wa = 1-wb, squared length 1 - ((x+x) wa) wb;
// then wb gets the sign of the dot.
#define WEIGH \
	VANDPS  Y14, Y4, Y8     \ // sign of the dot
	VANDNPS Y4, Y14, Y4     \ // |dot|
	VSUBPS  Y4, Y13, Y4     \ // x
	VMULPS  64(SP), Y4, Y6  \
	VADDPS  32(SP), Y6, Y6  \
	VMULPS  Y4, Y6, Y6      \
	VADDPS  0(SP), Y6, Y6   \
	VMULPS  Y4, Y6, Y6      \
	VADDPS  Y15, Y6, Y6     \ // wb
	VSUBPS  Y6, Y13, Y5     \ // wa
	VADDPS  Y4, Y4, Y7      \
	VMULPS  Y5, Y7, Y7      \
	VMULPS  Y6, Y7, Y7      \
	VSUBPS  Y7, Y13, Y7     \ // squared length
	VXORPS  Y8, Y6, Y6

// UNIT: both weights times 1/length. Square root and division are the exact ones: the fast
// estimates differ between manufacturers.
#define UNIT \
	VSQRTPS Y7, Y7      \
	VDIVPS  Y7, Y13, Y7 \
	VMULPS  Y7, Y5, Y11 \
	VMULPS  Y7, Y6, Y10

// TURN blends the rotations of e and e+4: Y = wa prev + wb cur. The immediate picks e's weights out
// of each half: 0x55 times e. Clobbers Y8, Y9.
#define TURN(imm, prev, prev4, cur, cur4, XY, Y) \
	VMOVUPS     prev, XY         \
	VINSERTF128 $1, prev4, Y, Y  \
	VMOVUPS     cur, X8          \
	VINSERTF128 $1, cur4, Y8, Y8 \
	VPERMILPS   $imm, Y11, Y9    \
	VMULPS      Y9, Y, Y         \
	VPERMILPS   $imm, Y10, Y9    \
	VMULPS      Y9, Y8, Y8       \
	VADDPS      Y8, Y, Y

// LERP interpolates eight floats: prev + (cur-prev)t. Clobbers Y8, Y9.
#define LERP(prev, cur, dst) \
	VMOVUPS cur, Y8      \
	VMOVUPS prev, Y9     \
	VSUBPS  Y9, Y8, Y8   \
	VMULPS  Y15, Y8, Y8  \
	VADDPS  Y9, Y8, Y8   \
	VMOVUPS Y8, dst

// PUT stores the rotations of e and e+4.
#define PUT(XY, Y, dst, dst4) \
	VMOVUPS      XY, dst      \
	VEXTRACTF128 $1, Y, dst4

// FETCH prefetches the first and the last byte of the three poses of a row, which is at n bytes in
// the list at R14. DI, SI, DX: the columns. Clobbers R8.
#define FETCH(n) \
	MOVL       n(R14), R8       \
	LEAQ       (R8)(R8*4), R8   \
	PREFETCHT1 (SI)(R8*8)       \
	PREFETCHT1 39(SI)(R8*8)     \
	PREFETCHT1 (DX)(R8*8)       \
	PREFETCHT1 39(DX)(R8*8)     \
	PREFETCHT1 (DI)(R8*8)       \
	PREFETCHT1 39(DI)(R8*8)

// FETCH_RESULT does so for the result alone.
#define FETCH_RESULT(n) \
	MOVL       n(R14), R8       \
	LEAQ       (R8)(R8*4), R8   \
	PREFETCHT1 (DI)(R8*8)       \
	PREFETCHT1 39(DI)(R8*8)

// FETCH_TURN and FETCH_RESULTS do so for the eight rows of a turn.
#define FETCH_TURN    FETCH(0); FETCH(4); FETCH(8); FETCH(12); FETCH(16); FETCH(20); FETCH(24); FETCH(28)
#define FETCH_RESULTS FETCH_RESULT(0); FETCH_RESULT(4); FETCH_RESULT(8); FETCH_RESULT(12); FETCH_RESULT(16); FETCH_RESULT(20); FETCH_RESULT(24); FETCH_RESULT(28)
