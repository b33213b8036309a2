//go:build amd64 && !purego

#include "textflag.h"
#include "capture_amd64.h"

// SI, DI, DX, R8, R9: logical, prev, cur, seen, motion of the turn. CX: turns left. R10: turns
// done. R11: rows that were in motion over the step before. R12: the eight new poses, 48 bytes
// apart: the records themselves, or their copy at 0(SP) with normalised rotations.

// func captureAVX2(a *captureArguments) (turns int)
TEXT ·captureAVX2(SB), NOSPLIT, $512-16
	MOVQ a+0(FP), AX
	MOVQ 0(AX), SI
	MOVQ 8(AX), DI
	MOVQ 16(AX), DX
	MOVQ 24(AX), R8
	MOVQ 32(AX), R9
	MOVQ 40(AX), CX
	XORQ R10, R10
	XORQ R11, R11
	CONSTANTS

capture:
	VMOVSD  40(SI), X4
	VMOVHPS 88(SI), X4, X4  // revision and state of rows 0 1
	VMOVSD  136(SI), X5
	VMOVHPS 184(SI), X5, X5 // 2 3
	VMOVSD  232(SI), X6
	VMOVHPS 280(SI), X6, X6 // 4 5
	VMOVSD  328(SI), X7
	VMOVHPS 376(SI), X7, X7 // 6 7
	ORDINARY((R8), (R9), BX)
	CMPL    BX, $0xFF
	JNE     done
	WENT(R13)

	VMOVUPS     12(SI), X0
	VINSERTF128 $1, 204(SI), Y0, Y0 // wxyz of 0 | 4
	VMOVUPS     60(SI), X1
	VINSERTF128 $1, 252(SI), Y1, Y1 // 1 | 5
	VMOVUPS     108(SI), X2
	VINSERTF128 $1, 300(SI), Y2, Y2 // 2 | 6
	VMOVUPS     156(SI), X3
	VINSERTF128 $1, 348(SI), Y3, Y3 // 3 | 7
	LENGTHS(BX)
	MOVQ        SI, R12
	CMPL        BX, $0xFF
	JNE         normalize

moved:
	// Has every row moved? A float differs from itself if it is a NaN, as in Go. Nearly always the
	// position or w has changed.
#define SHIFTED(new, old) \
	VMOVUPS   new(R12), X0        \
	VCMPPS    $4, old(DX), X0, X0 \
	VMOVMSKPS X0, BX              \
	TESTL     BX, BX              \
	JEQ       look

	SHIFTED(0, 0)
	SHIFTED(48, 40)
	SHIFTED(96, 80)
	SHIFTED(144, 120)
	SHIFTED(192, 160)
	SHIFTED(240, 200)
	SHIFTED(288, 240)
	SHIFTED(336, 280)

store:
	UNBOUNDED(R12, BX)
	TESTL BX, BX
	JNE   done

	// prev <- cur: ten vectors in a row.
	VMOVUPS (DX), Y0
	VMOVUPS 32(DX), Y1
	VMOVUPS 64(DX), Y2
	VMOVUPS 96(DX), Y3
	VMOVUPS 128(DX), Y4
	VMOVUPS 160(DX), Y5
	VMOVUPS 192(DX), Y6
	VMOVUPS 224(DX), Y7
	VMOVUPS 256(DX), Y8
	VMOVUPS 288(DX), Y9
	CMPL    60(AX), $0
	JNE     stream
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 160(DI)
	VMOVUPS Y6, 192(DI)
	VMOVUPS Y7, 224(DI)
	VMOVUPS Y8, 256(DI)
	VMOVUPS Y9, 288(DI)

take:
	// cur <- the new poses, 48 bytes apart there and 40 here.
#define TAKE(new, old) \
	VMOVUPS new(R12), Y0      \
	VMOVSD  new+32(R12), X1   \
	VMOVUPS Y0, old(DX)       \
	VMOVSD  X1, old+32(DX)

	TAKE(0, 0)
	TAKE(48, 40)
	TAKE(96, 80)
	TAKE(144, 120)
	TAKE(192, 160)
	TAKE(240, 200)
	TAKE(288, 240)
	TAKE(336, 280)

	VPBROADCASTD 48(AX), Y0
	VMOVDQU      Y0, (R9)  // motion <- now
	VMOVDQU      Y12, (R8) // seen <- revisions
	POPCNTL      R13, R13
	ADDQ         R13, R11

	ADDQ $384, SI
	ADDQ $320, DI
	ADDQ $320, DX
	ADDQ $32, R8
	ADDQ $32, R9
	INCQ R10
	DECQ CX
	JNZ  capture

done:
	CMPL 60(AX), $0
	JEQ  ordered
	SFENCE            // the streamed samples become visible before later stores

ordered:
	MOVQ R11, 64(AX)
	MOVQ R10, turns+8(FP)
	VZEROUPPER
	RET

stream:
	// In a table that only memory holds: ten vectors are five whole lines, which need not be read
	// before they are written.
	VMOVNTPS Y0, (DI)
	VMOVNTPS Y1, 32(DI)
	VMOVNTPS Y2, 64(DI)
	VMOVNTPS Y3, 96(DI)
	VMOVNTPS Y4, 128(DI)
	VMOVNTPS Y5, 160(DI)
	VMOVNTPS Y6, 192(DI)
	VMOVNTPS Y7, 224(DI)
	VMOVNTPS Y8, 256(DI)
	VMOVNTPS Y9, 288(DI)
	JMP      take

look:
	// All ten floats of every row.
#define MOVED(new, old) \
	VMOVUPS   new(R12), Y0        \
	VCMPPS    $4, old(DX), Y0, Y0 \
	VMOVSD    new+32(R12), X1     \
	VMOVSD    old+32(DX), X2      \
	VCMPPS    $4, X2, X1, X1      \
	VORPS     Y1, Y0, Y0          \
	VMOVMSKPS Y0, BX              \
	TESTL     BX, BX              \
	JEQ       done

	MOVED(0, 0)
	MOVED(48, 40)
	MOVED(96, 80)
	MOVED(144, 120)
	MOVED(192, 160)
	MOVED(240, 200)
	MOVED(288, 240)
	MOVED(336, 280)
	JMP store

normalize:
	ASKEW(BX)
	TESTL BX, BX
	JNE   done

	// Copy the poses, to put the rotations over theirs.
#define COPY(n) \
	VMOVUPS n(SI), Y0      \
	VMOVSD  n+32(SI), X1   \
	VMOVUPS Y0, n(SP)      \
	VMOVSD  X1, n+32(SP)

	COPY(0)
	COPY(48)
	COPY(96)
	COPY(144)
	COPY(192)
	COPY(240)
	COPY(288)
	COPY(336)
	NORMALIZE
	MOVQ SP, R12
	JMP  moved
