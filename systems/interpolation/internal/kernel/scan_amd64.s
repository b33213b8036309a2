//go:build amd64 && !purego

#include "textflag.h"

// func changedAVX2(revisions unsafe.Pointer, stride uintptr, seen *uint32, turns int, first uint32,
// rows *uint32, lanes *[256]uint64) int
//
// Eight rows a turn and without branches: the eight comparisons become eight bits, which select
// from a table the numbers of the lanes that differ, packed to the front; all eight are stored, but
// only as many as differ are kept. So a turn costs the same whether nothing or everything has
// changed, and scattered changes are not mispredicted. The list is never longer than the rows
// before the turn are many, so the eight never pass the end of its room.
//
// One of a turn's six lines is fetched into the second-level cache four pages ahead, which may be
// behind the last record. It is not for the line: the page's address has been looked up when the
// turn comes there, and the processor's own prefetcher, which stops at the end of a page, has begun
// with it.
//
// SI: the record of the turn's first row; R8 stride, R9 3 strides, R10 5 strides, R11 7 strides.
// DX: seen. DI: the list's end. BX: table. CX: turns left. Y7: the number of the turn's first row,
// in all lanes.
TEXT ·changedAVX2(SB), NOSPLIT, $0-64
	MOVQ         revisions+0(FP), SI
	MOVQ         stride+8(FP), R8
	MOVQ         seen+16(FP), DX
	MOVQ         turns+24(FP), CX
	MOVL         first+32(FP), AX
	VMOVD        AX, X7
	VPBROADCASTD X7, Y7
	MOVQ         rows+40(FP), DI
	MOVQ         lanes+48(FP), BX
	LEAQ         (R8)(R8*2), R9
	LEAQ         (R8)(R8*4), R10
	LEAQ         (R9)(R8*4), R11
	VPCMPEQD     Y6, Y6, Y6
	VPSRLD       $31, Y6, Y6
	VPSLLD       $3, Y6, Y6            // eight, in all lanes

changed:
	PREFETCHT1  16384(SI)
	VMOVD       (SI), X0
	VPINSRD     $1, (SI)(R8*1), X0, X0
	VPINSRD     $2, (SI)(R8*2), X0, X0
	VPINSRD     $3, (SI)(R9*1), X0, X0 // revisions of rows 0 1 2 3
	VMOVD       (SI)(R8*4), X1
	VPINSRD     $1, (SI)(R10*1), X1, X1
	VPINSRD     $2, (SI)(R9*2), X1, X1
	VPINSRD     $3, (SI)(R11*1), X1, X1 // 4 5 6 7
	VINSERTI128 $1, X1, Y0, Y0
	VPCMPEQD    (DX), Y0, Y0
	VMOVMSKPS   Y0, AX
	XORL        $0xFF, AX              // bit k: row k differs
	VPMOVZXBD   (BX)(AX*8), Y2         // the numbers of the set bits, in front
	VPADDD      Y7, Y2, Y2
	VMOVDQU     Y2, (DI)
	POPCNTL     AX, AX
	LEAQ        (DI)(AX*4), DI
	VPADDD      Y6, Y7, Y7
	ADDQ        $32, DX
	LEAQ        (SI)(R8*8), SI
	DECQ        CX
	JNZ         changed

	MOVQ rows+40(FP), AX
	SUBQ AX, DI
	SHRQ $2, DI
	MOVQ DI, ret+56(FP)
	VZEROUPPER
	RET

// func allEqualAVX2(stamps *uint32, turns int, want uint32) bool
//
// 32 stamps a turn: the comparisons of four vectors are anded, and any lane left zero ends the
// search.
TEXT ·allEqualAVX2(SB), NOSPLIT, $0-25
	MOVQ         stamps+0(FP), SI
	MOVQ         turns+8(FP), CX
	MOVL         want+16(FP), AX
	VMOVD        AX, X4
	VPBROADCASTD X4, Y4

equal:
	VPCMPEQD  (SI), Y4, Y0
	VPCMPEQD  32(SI), Y4, Y1
	VPCMPEQD  64(SI), Y4, Y2
	VPCMPEQD  96(SI), Y4, Y3
	VPAND     Y1, Y0, Y0
	VPAND     Y3, Y2, Y2
	VPAND     Y2, Y0, Y0
	VMOVMSKPS Y0, AX
	CMPL      AX, $0xFF
	JNE       differs
	ADDQ      $128, SI
	DECQ      CX
	JNZ       equal

	MOVB $1, ret+24(FP)
	VZEROUPPER
	RET

differs:
	MOVB $0, ret+24(FP)
	VZEROUPPER
	RET

// func allEqualAtAVX2(rows *uint32, turns int, column *uint32, last, want uint32) bool
//
// Eight rows a turn, gathered one by one: the instruction for it is slower on many processors. None
// beyond the last is followed.
//
// SI: the rows of the turn. X5: the value wanted, in all lanes. DI: the column. Y7: the last row,
// in all lanes. X6: not zero if a row has differed. CX: turns left.
TEXT ·allEqualAtAVX2(SB), NOSPLIT, $0-33
	MOVQ         rows+0(FP), SI
	MOVQ         turns+8(FP), CX
	MOVQ         column+16(FP), DI
	MOVL         last+24(FP), AX
	VMOVD        AX, X7
	VPBROADCASTD X7, Y7
	MOVL         want+28(FP), AX
	VMOVD        AX, X5
	VPBROADCASTD X5, X5
	VPXOR        Y6, Y6, Y6

gather:
	VMOVDQU   (SI), Y0
	VPMINUD   Y7, Y0, Y1
	VPCMPEQD  Y0, Y1, Y1 // ones: not beyond the last
	VMOVMSKPS Y1, AX
	CMPL      AX, $0xFF
	JNE       beyond

	MOVL    (SI), AX
	MOVL    4(SI), BX
	MOVL    8(SI), R8
	MOVL    12(SI), R9
	VMOVD   (DI)(AX*4), X0
	VPINSRD $1, (DI)(BX*4), X0, X0
	VPINSRD $2, (DI)(R8*4), X0, X0
	VPINSRD $3, (DI)(R9*4), X0, X0
	MOVL    16(SI), AX
	MOVL    20(SI), BX
	MOVL    24(SI), R8
	MOVL    28(SI), R9
	VMOVD   (DI)(AX*4), X1
	VPINSRD $1, (DI)(BX*4), X1, X1
	VPINSRD $2, (DI)(R8*4), X1, X1
	VPINSRD $3, (DI)(R9*4), X1, X1
	VPXOR   X5, X0, X0
	VPXOR   X5, X1, X1
	VPOR    X0, X6, X6
	VPOR    X1, X6, X6
	ADDQ    $32, SI
	DECQ    CX
	JNZ     gather

	VPTEST X6, X6
	SETEQ  ret+32(FP)
	VZEROUPPER
	RET

beyond:
	MOVB $0, ret+32(FP)
	VZEROUPPER
	RET
