//go:build amd64 && !purego

#include "textflag.h"
#include "capture_amd64.h"

// SI, DI, DX: the columns logical, prev, cur. BX: the rows of the turn; 512(SP): the end of the
// list. R8 to R15: the eight rows, then five times that: sample r is at 40r = 8(5r). 0(SP): copies
// of the eight records, 48 bytes apart, with normalised rotations. 520(SP): how many of the eight
// were in motion over the step before. CX: scratch.

// STAGE copies a record to the stack; X gets its last four words, of which the upper two are
// revision and state. It leaves the record's offset in CX. Clobbers Y8.
#define STAGE(r, to, X) \
	IMUL3Q  $48, r, CX        \
	VMOVUPS (SI)(CX*1), Y8    \
	VMOVUPS 32(SI)(CX*1), X   \
	VMOVUPS Y8, to(SP)        \
	VMOVUPS X, to+32(SP)

// STAGE2 does so for the rows e and e+4; YR gets both rotations.
#define STAGE2(r, r4, to, to4, X, X4, XR, YR) \
	STAGE(r, to, X)                     \
	VMOVUPS     12(SI)(CX*1), XR        \
	STAGE(r4, to4, X4)                  \
	VINSERTF128 $1, 12(SI)(CX*1), YR, YR

// GATHER collects the eight rows' words of a column at CX in Y. Clobbers Y8.
#define GATHER(X, Y) \
	VMOVD       (CX)(R8*4), X          \
	VPINSRD     $1, (CX)(R9*4), X, X   \
	VPINSRD     $2, (CX)(R10*4), X, X  \
	VPINSRD     $3, (CX)(R11*4), X, X  \
	VMOVD       (CX)(R12*4), X8        \
	VPINSRD     $1, (CX)(R13*4), X8, X8 \
	VPINSRD     $2, (CX)(R14*4), X8, X8 \
	VPINSRD     $3, (CX)(R15*4), X8, X8 \
	VINSERTI128 $1, X8, Y, Y

// LIST_SHIFTED and LIST_MOVED are SHIFTED and MOVED for a row of the list.
#define LIST_SHIFTED(new, r) \
	VMOVUPS   new(SP), X0           \
	VCMPPS    $4, (DX)(r*8), X0, X0 \
	VMOVMSKPS X0, CX                \
	TESTL     CX, CX                \
	JEQ       look

#define LIST_MOVED(new, r) \
	VMOVUPS   new(SP), Y0           \
	VCMPPS    $4, (DX)(r*8), Y0, Y0 \
	VMOVSD    new+32(SP), X1        \
	VMOVSD    32(DX)(r*8), X2       \
	VCMPPS    $4, X2, X1, X1        \
	VORPS     Y1, Y0, Y0            \
	VMOVMSKPS Y0, CX                \
	TESTL     CX, CX                \
	JEQ       done

// LIST_TAKE: prev <- cur, cur <- the new pose.
#define LIST_TAKE(new, r) \
	VMOVUPS (DX)(r*8), Y0    \
	VMOVSD  32(DX)(r*8), X1  \
	VMOVUPS new(SP), Y2      \
	VMOVSD  new+32(SP), X3   \
	VMOVUPS Y0, (DI)(r*8)    \
	VMOVSD  X1, 32(DI)(r*8)  \
	VMOVUPS Y2, (DX)(r*8)    \
	VMOVSD  X3, 32(DX)(r*8)

// LIST_ROWS loads the turn's rows.
#define LIST_ROWS \
	MOVL 0(BX), R8 \
	MOVL 4(BX), R9 \
	MOVL 8(BX), R10 \
	MOVL 12(BX), R11 \
	MOVL 16(BX), R12 \
	MOVL 20(BX), R13 \
	MOVL 24(BX), R14 \
	MOVL 28(BX), R15

// FETCH_ROW fetches the mark and the first and last bytes of both samples of the row at n bytes
// from R9 into the second-level cache. R10: the marks. Clobbers R8.
#define FETCH_ROW(n) \
	MOVL       n(R9), R8      \
	PREFETCHT1 (R10)(R8*4)    \
	LEAQ       (R8)(R8*4), R8 \
	PREFETCHT1 (DX)(R8*8)     \
	PREFETCHT1 39(DX)(R8*8)   \
	PREFETCHT1 (DI)(R8*8)     \
	PREFETCHT1 39(DI)(R8*8)

// With far set, the kernel fetches four turns ahead, at most from the last turn: the records are
// there from the scan, but the rest is in memory, or its pages are unknown.

// func captureListAVX2(a *captureArguments, rows *uint32) (turns int)
TEXT ·captureListAVX2(SB), NOSPLIT, $528-24
	MOVQ a+0(FP), AX
	MOVQ 0(AX), SI
	MOVQ 8(AX), DI
	MOVQ 16(AX), DX
	MOVQ $0, 64(AX)
	CONSTANTS
	MOVQ rows+8(FP), BX
	MOVQ 40(AX), CX
	SHLQ $5, CX
	ADDQ BX, CX
	MOVQ CX, 512(SP)

list:
	CMPL    60(AX), $0
	JEQ     near
	LEAQ    128(BX), R9
	MOVQ    512(SP), R10
	SUBQ    $32, R10
	CMPQ    R9, R10
	CMOVQHI R10, R9
	MOVQ    32(AX), R10
	FETCH_ROW(0)
	FETCH_ROW(4)
	FETCH_ROW(8)
	FETCH_ROW(12)
	FETCH_ROW(16)
	FETCH_ROW(20)
	FETCH_ROW(24)
	FETCH_ROW(28)

near:
	LIST_ROWS

	STAGE2(R8, R12, 0, 192, X4, X6, X0, Y0)
	STAGE2(R9, R13, 48, 240, X5, X7, X1, Y1)
	VUNPCKHPD X5, X4, X4  // revision and state of rows 0 1
	VUNPCKHPD X7, X6, X6  // 4 5
	STAGE2(R10, R14, 96, 288, X5, X7, X2, Y2)
	STAGE2(R11, R15, 144, 336, X9, X10, X3, Y3)
	VUNPCKHPD X9, X5, X5  // 2 3
	VUNPCKHPD X10, X7, X7 // 6 7
	MOVQ      24(AX), CX
	GATHER(X10, Y10)      // seen
	MOVQ      32(AX), CX
	GATHER(X11, Y11)      // motion
	ORDINARY(Y10, Y11, CX)
	CMPL      CX, $0xFF
	JNE       done
	WENT(CX)
	POPCNTL   CX, CX
	MOVQ      CX, 520(SP)

	LEAQ (R8)(R8*4), R8
	LEAQ (R9)(R9*4), R9
	LEAQ (R10)(R10*4), R10
	LEAQ (R11)(R11*4), R11
	LEAQ (R12)(R12*4), R12
	LEAQ (R13)(R13*4), R13
	LEAQ (R14)(R14*4), R14
	LEAQ (R15)(R15*4), R15
	LENGTHS(CX)
	CMPL CX, $0xFF
	JNE  normalize

moved:
	LIST_SHIFTED(0, R8)
	LIST_SHIFTED(48, R9)
	LIST_SHIFTED(96, R10)
	LIST_SHIFTED(144, R11)
	LIST_SHIFTED(192, R12)
	LIST_SHIFTED(240, R13)
	LIST_SHIFTED(288, R14)
	LIST_SHIFTED(336, R15)

store:
	UNBOUNDED(SP, CX)
	TESTL CX, CX
	JNE   done

	LIST_TAKE(0, R8)
	LIST_TAKE(48, R9)
	LIST_TAKE(96, R10)
	LIST_TAKE(144, R11)
	LIST_TAKE(192, R12)
	LIST_TAKE(240, R13)
	LIST_TAKE(288, R14)
	LIST_TAKE(336, R15)

	LIST_ROWS

	MOVQ         24(AX), CX           // seen <- revisions
	VMOVD        X12, (CX)(R8*4)
	VPEXTRD      $1, X12, (CX)(R9*4)
	VPEXTRD      $2, X12, (CX)(R10*4)
	VPEXTRD      $3, X12, (CX)(R11*4)
	VEXTRACTI128 $1, Y12, X0
	VMOVD        X0, (CX)(R12*4)
	VPEXTRD      $1, X0, (CX)(R13*4)
	VPEXTRD      $2, X0, (CX)(R14*4)
	VPEXTRD      $3, X0, (CX)(R15*4)

	MOVQ  32(AX), CX      // motion <- now
	VMOVD 48(AX), X0
	VMOVD X0, (CX)(R8*4)
	VMOVD X0, (CX)(R9*4)
	VMOVD X0, (CX)(R10*4)
	VMOVD X0, (CX)(R11*4)
	VMOVD X0, (CX)(R12*4)
	VMOVD X0, (CX)(R13*4)
	VMOVD X0, (CX)(R14*4)
	VMOVD X0, (CX)(R15*4)

	MOVQ 520(SP), CX
	ADDQ CX, 64(AX)
	ADDQ $32, BX
	CMPQ BX, 512(SP)
	JNE  list

done:
	SUBQ rows+8(FP), BX
	SHRQ $5, BX
	MOVQ BX, turns+16(FP)
	VZEROUPPER
	RET

look:
	LIST_MOVED(0, R8)
	LIST_MOVED(48, R9)
	LIST_MOVED(96, R10)
	LIST_MOVED(144, R11)
	LIST_MOVED(192, R12)
	LIST_MOVED(240, R13)
	LIST_MOVED(288, R14)
	LIST_MOVED(336, R15)
	JMP store

normalize:
	ASKEW(CX)
	TESTL CX, CX
	JNE   done
	NORMALIZE
	JMP moved
