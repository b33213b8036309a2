//go:build amd64 && !purego

#include "textflag.h"
#include "blend_amd64.h"

// The dense blend kernel for vectors of 512 bits: sixteen poses a turn, which are 640 bytes of
// every column, ten vectors.
//
// It differs from the one for 256 bits (blend_amd64.s) in two things. Rotations are blended within
// the flat vectors, so that BLEND loads every float once and stores it once:
//
//	position, scale   prev*1 + (cur-prev)*t
//	rotation          prev*a +  cur      *b    a, b: the weights of the entity that the lane belongs to
//
// Which lanes hold rotations repeats after five vectors, which are eight poses. So there are five
// sets of indices, which spread weights over the lanes, and five masks of the lanes that hold none.
// A table of weights is a register: those of eight entities, then, eight times, what the other
// lanes need, 1 or t.
//
// And the steps of the four stages stand between each other: the ten vectors of BLEND, after each
// of them a step of WEIGH or none, and a part of DOTS. With every stage in one piece, as there, it
// takes a tenth more time, and a fifth with another program on the core's other thread.
//
//	stage    reads         leaves
//	DOTS     memory        Z20  prev·cur
//	WEIGH    Z20           Z19  weight of prev      Z18  weight of cur, signed      Z17  squared length of their sum
//	UNIT     Z17 Z18 Z19   Z16 Z15  the same, divided by the length, of prev        Z14 Z13  of cur: tables of entities 0 to 7, 8 to 15
//	BLEND    Z13 to Z16    memory
//
// UNIT is in two parts, LENGTH before and TABLES after all others, since its square root and its
// division take long. Between them WEIGH would overwrite what TABLES still has to read; so it
// leaves its results in Z10, Z11 and Z12, and NEXT moves them.
//
// Constants, beside those of all: Z21 to Z25 indices, K1 to K5 masks.
//
// The operations are those of blendScalar in its order, each rounded by itself; a product with 1 is
// exact.
//
// DI, SI, DX: dst, prev, cur of the turn to blend. R9, R10: prev, cur of the turn three ahead; past
// the end they stay on the last turn, R11 and R12, whose dots are then computed once more for
// nothing. CX: turns left.

// The common part of blend kernels by AVX-512: the steps of WEIGH, and the constants. The
// registers are given, since one kernel weighs sixteen poses at once and the others eight. No step
// is a fused multiply-add; see blend_amd64.h.
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

// WEIGH in seven steps: x = 1-|dot|, wb = t + x(c1 + x(c2 + x c3)), wa = 1-wb, squared length 1 -
// ((x+x) wa) wb, which is x in the end; then wb gets the sign of the dot.
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

// LENGTH: r = 1/length. Square root and division are the exact ones: the fast estimates differ
// between manufacturers.
#define LENGTH(square, r, ones) \
	VSQRTPS square, r  \
	VDIVPS  r, ones, r

// BLEND blends the sixteen floats at n bytes, with tables of weights of prev and cur. The mask
// holds the lanes that are no rotation. Clobbers Z0 to Z3.
#define BLEND(n, indices, mask, prevs, curs) \
	VMOVUPS n(SI), Z0             \
	VMOVUPS n(DX), Z1             \
	VPERMPS curs, indices, Z2     \ // b, or t
	VPERMPS prevs, indices, Z3    \ // a, or 1
	VSUBPS  Z0, Z1, mask, Z1      \ // cur, or cur-prev
	VMULPS  Z0, Z3, Z3            \
	VMULPS  Z2, Z1, Z1            \
	VADDPS  Z1, Z3, Z3            \
	VMOVUPS Z3, n(DI)

#define WEIGH_X       STEP_X(Z20, Z12, Z29, Z30)
#define WEIGH_C3      STEP_C3(Z12, Z11, Z26, Z27)
#define WEIGH_C1      STEP_C(Z12, Z11, Z28)
#define WEIGH_T       STEP_C(Z12, Z11, Z31)
#define WEIGH_A       STEP_A(Z12, Z11, Z10, Z30)
#define WEIGH_PRODUCT STEP_PRODUCT(Z12, Z11, Z10)
#define WEIGH_SQUARE  STEP_SQUARE(Z12, Z11, Z20, Z29, Z30)

#define WEIGH_ALL WEIGH_X; WEIGH_C3; WEIGH_C1; WEIGH_T; WEIGH_A; WEIGH_PRODUCT; WEIGH_SQUARE

// NEXT makes WEIGH's results those of the turn before.
#define NEXT \
	VMOVAPS Z12, Z17 \
	VMOVAPS Z11, Z18 \
	VMOVAPS Z10, Z19

// TABLES: both weights times 1/length, as tables. Clobbers Z0, Z1.
#define TABLES \
	VMULPS       Z9, Z19, Z0         \
	VMULPS       Z9, Z18, Z1         \
	VINSERTF64X4 $1, Y30, Z0, Z16    \ // 0 to 7, ones
	VINSERTF64X4 $1, Y31, Z1, Z14    \ // 0 to 7, t
	VSHUFF64X2   $0xEE, Z30, Z0, Z15 \ // 8 to 15, ones
	VSHUFF64X2   $0xEE, Z31, Z1, Z13 // 8 to 15, t

// DOTS are made eight by eight, as there, of the poses from n bytes on: PAIR0 to PAIR3 multiply the
// rotations 0 | 4 to 3 | 7. They clobber Y4 to Y7.
#define PAIR0(n) PAIR(n+12(R9), n+172(R9), n+12(R10), n+172(R10), X4, Y4, X5, Y5)
#define PAIR1(n) PAIR(n+52(R9), n+212(R9), n+52(R10), n+212(R10), X5, Y5, X6, Y6)
#define PAIR2(n) PAIR(n+92(R9), n+252(R9), n+92(R10), n+252(R10), X5, Y5, X6, Y6)
#define PAIR3(n) PAIR(n+132(R9), n+292(R9), n+132(R10), n+292(R10), X6, Y6, X7, Y7)

// LOW joins them to the dots of 0 to 7, Y8; HIGH to those of 8 to 15, and both to Z20.
#define LOW  JOIN(Y4, Y5, Y6, Y8)
#define HIGH \
	JOIN(Y4, Y5, Y6, Y4)        \
	VINSERTF64X4 $1, Y4, Z8, Z20

#define DOTS_ALL \
	PAIR0(0)         \
	PAIR1(0)         \
	HALF(Y4, Y5, Y6) \
	PAIR2(0)         \
	PAIR3(0)         \
	HALF(Y5, Y6, Y7) \
	LOW              \
	PAIR0(320)       \
	PAIR1(320)       \
	HALF(Y4, Y5, Y6) \
	PAIR2(320)       \
	PAIR3(320)       \
	HALF(Y5, Y6, Y7) \
	HIGH

#define AHEAD \
	ADDQ    $640, R9  \
	ADDQ    $640, R10 \
	CMPQ    R9, R11   \
	CMOVQHI R11, R9   \
	CMOVQHI R12, R10

// func blendDenseAVX512(dst, prev, cur *components.Pose3D, turns int, c *curve, spread
// *[5][16]uint32)
TEXT ·blendDenseAVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ prev+8(FP), SI
	MOVQ cur+16(FP), DX
	MOVQ turns+24(FP), CX
	MOVQ c+32(FP), AX
	MOVQ spread+40(FP), BX

	CONSTANTS512
	VMOVDQU32    0(BX), Z21
	VMOVDQU32    64(BX), Z22
	VMOVDQU32    128(BX), Z23
	VMOVDQU32    192(BX), Z24
	VMOVDQU32    256(BX), Z25
	MOVL         $8, R8
	VPBROADCASTD R8, Z0
	VPCMPEQD     Z0, Z21, K1       // the index of a lane that is no rotation is 8
	VPCMPEQD     Z0, Z22, K2
	VPCMPEQD     Z0, Z23, K3
	VPCMPEQD     Z0, Z24, K4
	VPCMPEQD     Z0, Z25, K5

	MOVQ   SI, R9
	MOVQ   DX, R10
	LEAQ   -1(CX), R11
	IMUL3Q $640, R11, R11
	LEAQ   (DX)(R11*1), R12
	ADDQ   SI, R11

	// Fill the pipeline: turn 0 up to UNIT, turn 1 up to WEIGH, turn 2 up to DOTS.
	DOTS_ALL
	WEIGH_ALL
	NEXT
	LENGTH(Z17, Z9, Z30)
	TABLES
	AHEAD
	DOTS_ALL
	WEIGH_ALL
	NEXT
	AHEAD
	DOTS_ALL

	PCALIGN $64

turn:
	AHEAD
	LENGTH(Z17, Z9, Z30)

	BLEND(0, Z21, K1, Z16, Z14)
	WEIGH_X
	PAIR0(0)
	BLEND(64, Z22, K2, Z16, Z14)
	WEIGH_C3
	PAIR1(0)
	HALF(Y4, Y5, Y6)
	BLEND(128, Z23, K3, Z16, Z14)
	WEIGH_C1
	PAIR2(0)
	BLEND(192, Z24, K4, Z16, Z14)
	PAIR3(0)
	HALF(Y5, Y6, Y7)
	BLEND(256, Z25, K5, Z16, Z14)
	WEIGH_T
	LOW

	BLEND(320, Z21, K1, Z15, Z13)
	WEIGH_A
	PAIR0(320)
	BLEND(384, Z22, K2, Z15, Z13)
	PAIR1(320)
	HALF(Y4, Y5, Y6)
	BLEND(448, Z23, K3, Z15, Z13)
	WEIGH_PRODUCT
	PAIR2(320)
	BLEND(512, Z24, K4, Z15, Z13)
	PAIR3(320)
	HALF(Y5, Y6, Y7)
	BLEND(576, Z25, K5, Z15, Z13)
	WEIGH_SQUARE
	HIGH

	TABLES
	NEXT

	ADDQ $640, DI
	ADDQ $640, SI
	ADDQ $640, DX
	DECQ CX
	JNZ  turn
	VZEROUPPER
	RET
