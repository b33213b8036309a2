//go:build amd64 && !purego

#include "textflag.h"
#include "blend_amd64.h"

// ---- dense: eight poses in a row are 320 bytes; rotation e is at 12 + 40e. DI, SI, DX: dst, prev,
// cur of the turn to blend. R9, R10: prev, cur of the turn three ahead; past the end they stay on
// the last turn, R11 and R12, whose dots are then computed once more for nothing. CX: turns left.

#define DENSE_DOTS \
	PAIR(12(R9), 172(R9), 12(R10), 172(R10), X0, Y0, X1, Y1)  \ // 0 | 4
	PAIR(52(R9), 212(R9), 52(R10), 212(R10), X1, Y1, X2, Y2)  \ // 1 | 5
	HALF(Y0, Y1, Y2)                                          \
	PAIR(92(R9), 252(R9), 92(R10), 252(R10), X1, Y1, X2, Y2)  \ // 2 | 6
	PAIR(132(R9), 292(R9), 132(R10), 292(R10), X2, Y2, X3, Y3) \ // 3 | 7
	HALF(Y1, Y2, Y3)                                          \
	JOIN(Y0, Y1, Y2, Y4)

#define DENSE_AHEAD \
	ADDQ    $320, R9  \
	ADDQ    $320, R10 \
	CMPQ    R9, R11   \
	CMOVQHI R11, R9   \
	CMOVQHI R12, R10

// func blendDenseAVX2(dst, prev, cur *components.Pose3D, turns int, c *curve)
TEXT ·blendDenseAVX2(SB), NOSPLIT, $96-40
	MOVQ dst+0(FP), DI
	MOVQ prev+8(FP), SI
	MOVQ cur+16(FP), DX
	MOVQ turns+24(FP), CX
	MOVQ c+32(FP), AX
	CONSTANTS

	MOVQ   SI, R9
	MOVQ   DX, R10
	LEAQ   -1(CX), R11
	IMUL3Q $320, R11, R11
	LEAQ   (DX)(R11*1), R12
	ADDQ   SI, R11

	// Fill the pipeline: turn 0 up to UNIT, turn 1 up to WEIGH, turn 2 up to DOTS.
	DENSE_DOTS
	WEIGH
	UNIT
	DENSE_AHEAD
	DENSE_DOTS
	WEIGH
	DENSE_AHEAD
	DENSE_DOTS

	PCALIGN $32

dense:
	DENSE_AHEAD

	TURN(0x00, 12(SI), 172(SI), 12(DX), 172(DX), X0, Y0)
	TURN(0x55, 52(SI), 212(SI), 52(DX), 212(DX), X1, Y1)
	TURN(0xAA, 92(SI), 252(SI), 92(DX), 252(DX), X2, Y2)
	TURN(0xFF, 132(SI), 292(SI), 132(DX), 292(DX), X3, Y3)
	LERP(0(SI), 0(DX), 0(DI))
	LERP(32(SI), 32(DX), 32(DI))
	LERP(64(SI), 64(DX), 64(DI))
	LERP(96(SI), 96(DX), 96(DI))
	LERP(128(SI), 128(DX), 128(DI))
	LERP(160(SI), 160(DX), 160(DI))
	LERP(192(SI), 192(DX), 192(DI))
	LERP(224(SI), 224(DX), 224(DI))
	LERP(256(SI), 256(DX), 256(DI))
	LERP(288(SI), 288(DX), 288(DI))
	PUT(X0, Y0, 12(DI), 172(DI))
	PUT(X1, Y1, 52(DI), 212(DI))
	PUT(X2, Y2, 92(DI), 252(DI))
	PUT(X3, Y3, 132(DI), 292(DI))

	UNIT
	WEIGH
	DENSE_DOTS

	ADDQ $320, DI
	ADDQ $320, SI
	ADDQ $320, DX
	DECQ CX
	JNZ  dense
	VZEROUPPER
	RET

// ---- list: the rows of eight poses come from the list; pose r is at 40r = 8(5r). DI, SI, DX: the
// columns. BX: the rows of the turn to blend. AX: those of the turn three ahead, which stays on the
// last turn, at 96(SP). R8 to R15: 5r of the eight rows at hand. CX: turns left.
//
// The last turn takes the last eight rows of the list, whatever its length: some of them for the
// second time, with the same result.
//
// In columns beyond the cache the rows of a sparse list come from memory one by one, which no
// prefetcher foresees; with far set, the kernel fetches all lines of a row seven turns ahead, into
// the second-level cache: twice as fast at a million rows of which every tenth moves, 1 ns slower
// in the cache.

#define OFFSETS(rows) \
	MOVL 0(rows), R8        \
	MOVL 4(rows), R9        \
	MOVL 8(rows), R10       \
	MOVL 12(rows), R11      \
	MOVL 16(rows), R12      \
	MOVL 20(rows), R13      \
	MOVL 24(rows), R14      \
	MOVL 28(rows), R15      \
	LEAQ (R8)(R8*4), R8     \
	LEAQ (R9)(R9*4), R9     \
	LEAQ (R10)(R10*4), R10  \
	LEAQ (R11)(R11*4), R11  \
	LEAQ (R12)(R12*4), R12  \
	LEAQ (R13)(R13*4), R13  \
	LEAQ (R14)(R14*4), R14  \
	LEAQ (R15)(R15*4), R15

#define LIST_DOTS \
	OFFSETS(AX)                                                                         \
	PAIR(12(SI)(R8*8), 12(SI)(R12*8), 12(DX)(R8*8), 12(DX)(R12*8), X0, Y0, X1, Y1)      \ // 0 | 4
	PAIR(12(SI)(R9*8), 12(SI)(R13*8), 12(DX)(R9*8), 12(DX)(R13*8), X1, Y1, X2, Y2)      \ // 1 | 5
	HALF(Y0, Y1, Y2)                                                                    \
	PAIR(12(SI)(R10*8), 12(SI)(R14*8), 12(DX)(R10*8), 12(DX)(R14*8), X1, Y1, X2, Y2)    \ // 2 | 6
	PAIR(12(SI)(R11*8), 12(SI)(R15*8), 12(DX)(R11*8), 12(DX)(R15*8), X2, Y2, X3, Y3)    \ // 3 | 7
	HALF(Y1, Y2, Y3)                                                                    \
	JOIN(Y0, Y1, Y2, Y4)

#define LIST_AHEAD \
	ADDQ    $32, AX    \
	CMPQ    AX, 96(SP) \
	CMOVQHI 96(SP), AX

// ROW interpolates the ten floats of one pose: eight and two. Clobbers Y8 to Y11.
#define ROW(r) \
	VMOVUPS (DX)(r*8), Y8    \
	VMOVUPS (SI)(r*8), Y9    \
	VMOVSD  32(DX)(r*8), X10 \
	VMOVSD  32(SI)(r*8), X11 \
	VSUBPS  Y9, Y8, Y8       \
	VMULPS  Y15, Y8, Y8      \
	VADDPS  Y9, Y8, Y8       \
	VSUBPS  X11, X10, X10    \
	VMULPS  X15, X10, X10    \
	VADDPS  X11, X10, X10    \
	VMOVUPS Y8, (DI)(r*8)    \
	VMOVSD  X10, 32(DI)(r*8)

// func blendListAVX2(rows *uint32, n int, dst, prev, cur *components.Pose3D, c *curve, far bool)
TEXT ·blendListAVX2(SB), NOSPLIT, $104-49
	MOVQ n+8(FP), CX
	MOVQ dst+16(FP), DI
	MOVQ prev+24(FP), SI
	MOVQ cur+32(FP), DX
	MOVQ c+40(FP), AX
	CONSTANTS

	MOVQ rows+0(FP), AX
	MOVQ AX, BX
	LEAQ -32(AX)(CX*4), R8
	MOVQ R8, 96(SP)        // the last eight
	ADDQ $7, CX
	SHRQ $3, CX            // turns, the last one perhaps in part

	LIST_DOTS
	WEIGH
	UNIT
	LIST_AHEAD
	LIST_DOTS
	WEIGH
	LIST_AHEAD
	LIST_DOTS

	PCALIGN $32

list:
	LIST_AHEAD

	CMPB    far+48(FP), $0
	JEQ     near
	LEAQ    128(AX), R14 // four turns on from DOTS
	CMPQ    R14, 96(SP)
	CMOVQHI 96(SP), R14
	FETCH_TURN

near:
	OFFSETS(BX)
	TURN(0x00, 12(SI)(R8*8), 12(SI)(R12*8), 12(DX)(R8*8), 12(DX)(R12*8), X0, Y0)
	TURN(0x55, 12(SI)(R9*8), 12(SI)(R13*8), 12(DX)(R9*8), 12(DX)(R13*8), X1, Y1)
	TURN(0xAA, 12(SI)(R10*8), 12(SI)(R14*8), 12(DX)(R10*8), 12(DX)(R14*8), X2, Y2)
	TURN(0xFF, 12(SI)(R11*8), 12(SI)(R15*8), 12(DX)(R11*8), 12(DX)(R15*8), X3, Y3)
	ROW(R8)
	ROW(R9)
	ROW(R10)
	ROW(R11)
	ROW(R12)
	ROW(R13)
	ROW(R14)
	ROW(R15)
	PUT(X0, Y0, 12(DI)(R8*8), 12(DI)(R12*8))
	PUT(X1, Y1, 12(DI)(R9*8), 12(DI)(R13*8))
	PUT(X2, Y2, 12(DI)(R10*8), 12(DI)(R14*8))
	PUT(X3, Y3, 12(DI)(R11*8), 12(DI)(R15*8))

	UNIT
	WEIGH
	LIST_DOTS

	ADDQ    $32, BX
	CMPQ    BX, 96(SP)
	CMOVQHI 96(SP), BX
	DECQ    CX
	JNZ     list
	VZEROUPPER
	RET

// func maxRowAVX2(rows *uint32, turns int) uint32
TEXT ·maxRowAVX2(SB), NOSPLIT, $0-20
	MOVQ  rows+0(FP), SI
	MOVQ  turns+8(FP), CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1

max: // 16 rows a turn
	VPMAXUD (SI), Y0, Y0
	VPMAXUD 32(SI), Y1, Y1
	ADDQ    $64, SI
	DECQ    CX
	JNZ     max

	VPMAXUD      Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPMAXUD      X1, X0, X0
	VPSHUFD      $0x4E, X0, X1 // 2 3 0 1
	VPMAXUD      X1, X0, X0
	VPSHUFD      $0xB1, X0, X1 // 1 0 3 2
	VPMAXUD      X1, X0, X0
	VMOVD        X0, AX
	MOVL         AX, ret+16(FP)
	VZEROUPPER
	RET
