//go:build amd64 && !purego

#include "textflag.h"
#include "blend_amd64.h"

// The blend kernel for a list whose samples stand side by side, eight pairs of 80 bytes a turn: pair e has its older sample at 80e and the newer one 40 bytes on.
// So a turn reads ten lines in a row, where the list kernel reads two scattered ones for every sample.
//
// DI: the column of results. BX: the rows of the turn to blend, SI: its pairs. R9: the pairs of the turn three ahead. All stay on the last turn, at 104(SP) and
// 96(SP), which is that of the last eight rows, whatever the list's length: some of them for the second time, with the same result. CX: turns left.
//
// With far set, the kernel fetches the results' lines seven turns ahead: they are written without having been read.

#define PAIRS_DOTS \
	PAIR(12(R9), 332(R9), 52(R9), 372(R9), X0, Y0, X1, Y1)   \ // 0 | 4
	PAIR(92(R9), 412(R9), 132(R9), 452(R9), X1, Y1, X2, Y2)  \ // 1 | 5
	HALF(Y0, Y1, Y2)                                         \
	PAIR(172(R9), 492(R9), 212(R9), 532(R9), X1, Y1, X2, Y2) \ // 2 | 6
	PAIR(252(R9), 572(R9), 292(R9), 612(R9), X2, Y2, X3, Y3) \ // 3 | 7
	HALF(Y1, Y2, Y3)                                         \
	JOIN(Y0, Y1, Y2, Y4)

#define PAIRS_AHEAD \
	ADDQ    $640, R9   \
	CMPQ    R9, 96(SP) \
	CMOVQHI 96(SP), R9

// PAIR_ROW interpolates the ten floats of the pair at p, for the k-th row of the turn: eight and two. Clobbers Y8 to Y11, AX.
#define PAIR_ROW(p, k) \
	VMOVUPS p+40(SI), Y8    \
	VMOVUPS p(SI), Y9       \
	VMOVSD  p+72(SI), X10   \
	VMOVSD  p+32(SI), X11   \
	VSUBPS  Y9, Y8, Y8      \
	VMULPS  Y15, Y8, Y8     \
	VADDPS  Y9, Y8, Y8      \
	VSUBPS  X11, X10, X10   \
	VMULPS  X15, X10, X10   \
	VADDPS  X11, X10, X10   \
	MOVL    (k*4)(BX), AX   \
	LEAQ    (AX)(AX*4), AX  \
	VMOVUPS Y8, (DI)(AX*8)  \
	VMOVSD  X10, 32(DI)(AX*8)

// PUT_ROWS stores the rotations of the rows k and k+4 of the turn.
#define PUT_ROWS(k, X, Y) \
	MOVL         (k*4)(BX), AX      \
	LEAQ         (AX)(AX*4), AX     \
	VMOVUPS      X, 12(DI)(AX*8)    \
	MOVL         (k*4+16)(BX), AX   \
	LEAQ         (AX)(AX*4), AX     \
	VEXTRACTF128 $1, Y, 12(DI)(AX*8)

// func blendPairsAVX2(rows *uint32, n int, dst *components.Pose3D, pairs *Pair[components.Pose3D], c *curve, far bool)
TEXT ·blendPairsAVX2(SB), NOSPLIT, $112-41
	MOVQ n+8(FP), CX
	MOVQ dst+16(FP), DI
	MOVQ pairs+24(FP), SI
	MOVQ c+32(FP), AX
	CONSTANTS

	MOVQ rows+0(FP), BX
	LEAQ -32(BX)(CX*4), R8
	MOVQ R8, 104(SP)        // the last eight rows
	LEAQ -8(CX), R8
	IMUL3Q $80, R8, R8
	ADDQ SI, R8
	MOVQ R8, 96(SP)         // the last eight pairs
	ADDQ $7, CX
	SHRQ $3, CX
	MOVQ SI, R9

	PAIRS_DOTS
	WEIGH
	UNIT
	PAIRS_AHEAD
	PAIRS_DOTS
	WEIGH
	PAIRS_AHEAD
	PAIRS_DOTS

	PCALIGN $32

pairs:
	PAIRS_AHEAD
	CMPB    far+40(FP), $0
	JEQ     nearby
	LEAQ    224(BX), R14
	CMPQ    R14, 104(SP)
	CMOVQHI 104(SP), R14
	FETCH_RESULTS

nearby:
	TURN(0x00, 12(SI), 332(SI), 52(SI), 372(SI), X0, Y0)
	TURN(0x55, 92(SI), 412(SI), 132(SI), 452(SI), X1, Y1)
	TURN(0xAA, 172(SI), 492(SI), 212(SI), 532(SI), X2, Y2)
	TURN(0xFF, 252(SI), 572(SI), 292(SI), 612(SI), X3, Y3)
	PAIR_ROW(0, 0)
	PAIR_ROW(80, 1)
	PAIR_ROW(160, 2)
	PAIR_ROW(240, 3)
	PAIR_ROW(320, 4)
	PAIR_ROW(400, 5)
	PAIR_ROW(480, 6)
	PAIR_ROW(560, 7)
	PUT_ROWS(0, X0, Y0)
	PUT_ROWS(1, X1, Y1)
	PUT_ROWS(2, X2, Y2)
	PUT_ROWS(3, X3, Y3)

	UNIT
	WEIGH
	PAIRS_DOTS

	ADDQ    $32, BX
	CMPQ    BX, 104(SP)
	CMOVQHI 104(SP), BX
	ADDQ    $640, SI
	CMPQ    SI, 96(SP)
	CMOVQHI 96(SP), SI
	DECQ    CX
	JNZ     pairs
	VZEROUPPER
	RET
