//go:build amd64 && !purego

#include "textflag.h"
#include "blend_amd64.h"
#include "blend512_amd64.h"

// The blend kernels for rows of a list by AVX-512: blendListAVX512 finds their samples in the columns, blendPairsAVX512 side by side. See blend_amd64.s and
// blendpairs_amd64.s, which they are like but for two things.
//
// A row is blended as a whole. Eight floats fill a vector, the last two are left for another; in the first one, the lanes of the rotation, which K1 holds,
// get products with the row's weights over what the others get:
//
//	position, scale   prev   + (cur-prev)*t
//	rotation          prev*a +  cur      *b
//
// The weights come from memory, where UNIT has left them, one value for all lanes. So there are two stores to a row instead of three, and its rotations need
// not be loaded once more. Vectors of 512 bits, for all ten floats, were measured to gain half as much: three of eight lanes would be for nothing.
//
// And the steps of the stages stand between each other: after each of the eight rows of BLEND a step of WEIGH and a part of DOTS, as in blend512_amd64.s.
//
//	stage    reads         leaves
//	DOTS     memory        Y20  prev·cur
//	WEIGH    Y20           Y19  weight of prev      Y18  weight of cur, signed      Y17  squared length of their sum
//	UNIT     Y17 Y18 Y19   0(SP)  the same, divided by the length, of prev          32(SP)  of cur
//	BLEND    0(SP) 32(SP)  memory
//
// UNIT is in two parts, LENGTH before and WEIGHTS after all others. WEIGH leaves its results in Y10, Y11 and Y12, and NEXT moves them.

// BLEND blends row k of the turn. Its samples are at prev and cur, the result at dst; prev8 and so on are 32 bytes further. Clobbers Y0 to Y3, Y13.
#define BLEND(k, prev, prev8, cur, cur8, dst, dst8) \
	VMOVUPS     prev, Y0              \
	VMOVUPS     cur, Y1               \
	VMOVSD      prev8, X3             \
	VMOVSD      cur8, X2              \
	VSUBPS      Y0, Y1, Y13           \
	VSUBPS      X3, X2, X2            \
	VMULPS      Y31, Y13, Y13         \ // (cur-prev)*t
	VMULPS      X31, X2, X2           \
	VMULPS.BCST (32+4*k)(SP), Y1, K1, Y13 \ // or cur*b
	VMULPS.BCST (4*k)(SP), Y0, K1, Y0 \ // prev*a, or prev
	VADDPS      X2, X3, X3            \
	VADDPS      Y13, Y0, Y0           \
	VMOVUPS     Y0, dst               \
	VMOVSD      X3, dst8

#define WEIGH_X       STEP_X(Y20, Y12, Y29, Y30)
#define WEIGH_C3      STEP_C3(Y12, Y11, Y26, Y27)
#define WEIGH_C1      STEP_C(Y12, Y11, Y28)
#define WEIGH_T       STEP_C(Y12, Y11, Y31)
#define WEIGH_A       STEP_A(Y12, Y11, Y10, Y30)
#define WEIGH_PRODUCT STEP_PRODUCT(Y12, Y11, Y10)
#define WEIGH_SQUARE  STEP_SQUARE(Y12, Y11, Y20, Y29, Y30)

#define WEIGH_ALL WEIGH_X; WEIGH_C3; WEIGH_C1; WEIGH_T; WEIGH_A; WEIGH_PRODUCT; WEIGH_SQUARE

// NEXT makes WEIGH's results, and the dots, those of the turn before.
#define NEXT \
	VMOVAPS Y12, Y17 \
	VMOVAPS Y11, Y18 \
	VMOVAPS Y10, Y19 \
	VMOVAPS Y8, Y20

// WEIGHTS: both weights times 1/length. Clobbers Y0, Y1.
#define WEIGHTS \
	VMULPS  Y9, Y19, Y0 \
	VMULPS  Y9, Y18, Y1 \
	VMOVUPS Y0, 0(SP)   \
	VMOVUPS Y1, 32(SP)

// ROTATIONS are the lanes of a row that hold its rotation. Clobbers R8.
#define ROTATIONS \
	MOVL  $0x78, R8 \
	KMOVW R8, K1

// ---- list. DI, SI, DX: the columns. BX: the rows of the turn to blend. AX: those of the turn three ahead, which stays on the last turn, at 64(SP).
// CX: turns left.

// LIST_PAIR multiplies the rotations of the rows e and e+4 of the turn three ahead. Clobbers R8, R9.
#define LIST_PAIR(e, XY, Y, XZ, Z) \
	MOVL (4*e)(AX), R8      \
	MOVL (4*e+16)(AX), R9   \
	LEAQ (R8)(R8*4), R8     \
	LEAQ (R9)(R9*4), R9     \
	PAIR(12(SI)(R8*8), 12(SI)(R9*8), 12(DX)(R8*8), 12(DX)(R9*8), XY, Y, XZ, Z)

#define LIST_DOTS \
	LIST_PAIR(0, X4, Y4, X5, Y5) \
	LIST_PAIR(1, X5, Y5, X6, Y6) \
	HALF(Y4, Y5, Y6)             \
	LIST_PAIR(2, X5, Y5, X6, Y6) \
	LIST_PAIR(3, X6, Y6, X7, Y7) \
	HALF(Y5, Y6, Y7)             \
	JOIN(Y4, Y5, Y6, Y8)

#define LIST_AHEAD \
	ADDQ    $32, AX    \
	CMPQ    AX, 64(SP) \
	CMOVQHI 64(SP), AX

// LIST_BLEND blends row k of the turn. Clobbers R8.
#define LIST_BLEND(k) \
	MOVL (4*k)(BX), R8  \
	LEAQ (R8)(R8*4), R8 \
	BLEND(k, (SI)(R8*8), 32(SI)(R8*8), (DX)(R8*8), 32(DX)(R8*8), (DI)(R8*8), 32(DI)(R8*8))

// func blendListAVX512(rows *uint32, n int, dst, prev, cur *components.Pose3D, c *curve, far bool)
TEXT ·blendListAVX512(SB), NOSPLIT, $72-49
	MOVQ n+8(FP), CX
	MOVQ dst+16(FP), DI
	MOVQ prev+24(FP), SI
	MOVQ cur+32(FP), DX
	MOVQ c+40(FP), AX
	CONSTANTS512
	ROTATIONS

	MOVQ rows+0(FP), AX
	MOVQ AX, BX
	LEAQ -32(AX)(CX*4), R8
	MOVQ R8, 64(SP)        // the last eight
	ADDQ $7, CX
	SHRQ $3, CX            // turns, the last one perhaps in part

	// Fill the pipeline: turn 0 up to UNIT, turn 1 up to WEIGH, turn 2 up to DOTS.
	LIST_DOTS
	VMOVAPS Y8, Y20
	WEIGH_ALL
	LIST_AHEAD
	LIST_DOTS
	NEXT
	LENGTH(Y17, Y9, Y30)
	WEIGHTS
	WEIGH_ALL
	LIST_AHEAD
	LIST_DOTS
	NEXT

	PCALIGN $64

list:
	LIST_AHEAD

	CMPB    far+48(FP), $0
	JEQ     near
	LEAQ    128(AX), R14 // four turns on from DOTS
	CMPQ    R14, 64(SP)
	CMOVQHI 64(SP), R14
	FETCH_TURN

near:
	LENGTH(Y17, Y9, Y30)
	LIST_BLEND(0)
	WEIGH_X
	LIST_PAIR(0, X4, Y4, X5, Y5)
	LIST_BLEND(1)
	WEIGH_C3
	LIST_PAIR(1, X5, Y5, X6, Y6)
	LIST_BLEND(2)
	WEIGH_C1
	HALF(Y4, Y5, Y6)
	LIST_BLEND(3)
	WEIGH_T
	LIST_PAIR(2, X5, Y5, X6, Y6)
	LIST_BLEND(4)
	WEIGH_A
	LIST_PAIR(3, X6, Y6, X7, Y7)
	LIST_BLEND(5)
	WEIGH_PRODUCT
	HALF(Y5, Y6, Y7)
	LIST_BLEND(6)
	WEIGH_SQUARE
	JOIN(Y4, Y5, Y6, Y8)
	LIST_BLEND(7)
	WEIGHTS
	NEXT

	ADDQ    $32, BX
	CMPQ    BX, 64(SP)
	CMOVQHI 64(SP), BX
	DECQ    CX
	JNZ     list
	VZEROUPPER
	RET

// ---- pairs. DI: the column of results. BX: the rows of the turn to blend, SI: its pairs. R9: the pairs of the turn three ahead. All stay on the last turn, at
// 72(SP) and 64(SP). CX: turns left.

// PAIRS_PAIR multiplies the rotations that are n bytes from R9 with those of their cur, and the same four pairs on.
#define PAIRS_PAIR(n, XY, Y, XZ, Z) PAIR(n+12(R9), n+332(R9), n+52(R9), n+372(R9), XY, Y, XZ, Z)

#define PAIRS_DOTS \
	PAIRS_PAIR(0, X4, Y4, X5, Y5)   \
	PAIRS_PAIR(80, X5, Y5, X6, Y6)  \
	HALF(Y4, Y5, Y6)                \
	PAIRS_PAIR(160, X5, Y5, X6, Y6) \
	PAIRS_PAIR(240, X6, Y6, X7, Y7) \
	HALF(Y5, Y6, Y7)                \
	JOIN(Y4, Y5, Y6, Y8)

#define PAIRS_AHEAD \
	ADDQ    $640, R9   \
	CMPQ    R9, 64(SP) \
	CMOVQHI 64(SP), R9

// PAIRS_BLEND blends row k of the turn. Clobbers AX.
#define PAIRS_BLEND(k) \
	MOVL (4*k)(BX), AX  \
	LEAQ (AX)(AX*4), AX \
	BLEND(k, (80*k)(SI), (80*k+32)(SI), (80*k+40)(SI), (80*k+72)(SI), (DI)(AX*8), 32(DI)(AX*8))

// func blendPairsAVX512(rows *uint32, n int, dst *components.Pose3D, pairs *Pair[components.Pose3D], c *curve, far bool)
TEXT ·blendPairsAVX512(SB), NOSPLIT, $80-41
	MOVQ n+8(FP), CX
	MOVQ dst+16(FP), DI
	MOVQ pairs+24(FP), SI
	MOVQ c+32(FP), AX
	CONSTANTS512
	ROTATIONS

	MOVQ   rows+0(FP), BX
	LEAQ   -32(BX)(CX*4), R8
	MOVQ   R8, 72(SP)        // the last eight rows
	LEAQ   -8(CX), R8
	IMUL3Q $80, R8, R8
	ADDQ   SI, R8
	MOVQ   R8, 64(SP)        // the last eight pairs
	ADDQ   $7, CX
	SHRQ   $3, CX
	MOVQ   SI, R9

	// Fill the pipeline.
	PAIRS_DOTS
	VMOVAPS Y8, Y20
	WEIGH_ALL
	PAIRS_AHEAD
	PAIRS_DOTS
	NEXT
	LENGTH(Y17, Y9, Y30)
	WEIGHTS
	WEIGH_ALL
	PAIRS_AHEAD
	PAIRS_DOTS
	NEXT

	PCALIGN $64

pairs:
	PAIRS_AHEAD
	CMPB    far+40(FP), $0
	JEQ     nearby
	LEAQ    224(BX), R14
	CMPQ    R14, 72(SP)
	CMOVQHI 72(SP), R14
	FETCH_RESULTS

nearby:
	LENGTH(Y17, Y9, Y30)
	PAIRS_BLEND(0)
	WEIGH_X
	PAIRS_PAIR(0, X4, Y4, X5, Y5)
	PAIRS_BLEND(1)
	WEIGH_C3
	PAIRS_PAIR(80, X5, Y5, X6, Y6)
	PAIRS_BLEND(2)
	WEIGH_C1
	HALF(Y4, Y5, Y6)
	PAIRS_BLEND(3)
	WEIGH_T
	PAIRS_PAIR(160, X5, Y5, X6, Y6)
	PAIRS_BLEND(4)
	WEIGH_A
	PAIRS_PAIR(240, X6, Y6, X7, Y7)
	PAIRS_BLEND(5)
	WEIGH_PRODUCT
	HALF(Y5, Y6, Y7)
	PAIRS_BLEND(6)
	WEIGH_SQUARE
	JOIN(Y4, Y5, Y6, Y8)
	PAIRS_BLEND(7)
	WEIGHTS
	NEXT

	ADDQ    $32, BX
	CMPQ    BX, 72(SP)
	CMOVQHI 72(SP), BX
	ADDQ    $640, SI
	CMPQ    SI, 64(SP)
	CMOVQHI 64(SP), SI
	DECQ    CX
	JNZ     pairs
	VZEROUPPER
	RET
