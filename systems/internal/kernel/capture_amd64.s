//go:build amd64 && !purego

#include "textflag.h"

// func captureAVX2(a *captureArguments) (turns int)
//
// Captures rows that follow each other, eight a turn, and returns how many turns it did: it stops before the first eight of which one was not
// written, did not move or did not move ordinarily, having changed nothing of theirs.
//
// A record is 48 bytes: the pose, the revision at 40, the state at 44. Eight records are 384 bytes, eight samples 320.
//
// AX: arguments. SI, DI, DX, R8, R9: logical, prev, cur, seen, motion of the turn. CX: turns left. R10: turns done. R11: rows that were
// in motion over the step before. R12: the eight new poses, 48 bytes apart: the records themselves, or their copy at 0(SP) with normalised rotations.
// In vectors of eight, lane k belongs to row k.
TEXT ·captureAVX2(SB), NOSPLIT, $384-16
	MOVQ a+0(FP), AX
	MOVQ 0(AX), SI
	MOVQ 8(AX), DI
	MOVQ 16(AX), DX
	MOVQ 24(AX), R8
	MOVQ 32(AX), R9
	MOVQ 40(AX), CX
	XORQ R10, R10
	XORQ R11, R11

	MOVL         $0x34A10FB0, BX // 3e-7
	VMOVD        BX, X15
	VBROADCASTSS X15, Y15
	VPCMPEQD     Y14, Y14, Y14
	VPSRLD       $25, Y14, Y13
	VPSLLD       $23, Y13, Y13   // ones
	VPSLLD       $31, Y14, Y14   // sign bits

capture:
	// Is every row's movement an ordinary one?
	VMOVSD       40(SI), X0
	VMOVHPS      88(SI), X0, X0      // revision and state of rows 0 1
	VMOVSD       136(SI), X1
	VMOVHPS      184(SI), X1, X1     // 2 3
	VMOVSD       232(SI), X2
	VMOVHPS      280(SI), X2, X2     // 4 5
	VMOVSD       328(SI), X3
	VMOVHPS      376(SI), X3, X3     // 6 7
	VINSERTF128  $1, X2, Y0, Y0      // 0 1 | 4 5
	VINSERTF128  $1, X3, Y1, Y1      // 2 3 | 6 7
	VSHUFPS      $0x88, Y1, Y0, Y12  // revisions of 0 1 2 3 | 4 5 6 7
	VSHUFPS      $0xDD, Y1, Y0, Y1   // states
	VPXOR        Y4, Y4, Y4
	VPSUBD       (R8), Y12, Y0
	VPCMPEQD     Y4, Y0, Y5          // ones: not written
	VPSRLD       $8, Y0, Y0          // not zero: raised by 256 or more
	VPSLLD       $29, Y1, Y2         // not zero: one of the three low bits is set
	VPOR         Y2, Y0, Y0
	VPCMPEQD     Y4, Y0, Y0          // ones: neither
	VPCMPEQD     Y4, Y1, Y1          // ones: no state at all
	VMOVDQU      (R9), Y2
	VPBROADCASTD 56(AX), Y3
	VPCMPEQD     Y3, Y2, Y3          // ones: timed
	VPOR         Y3, Y1, Y1
	VPOR         Y5, Y1, Y1
	VPANDN       Y0, Y1, Y0
	VMOVMSKPS    Y0, BX
	CMPL         BX, $0xFF
	JNE          done
	VPBROADCASTD 52(AX), Y3
	VPCMPEQD     Y3, Y2, Y2
	VMOVMSKPS    Y2, R13             // bit k: row k was in motion over the step before

	// Transpose the rotations, to test their lengths as Go does: ((ww + xx) + yy) + zz.
	VMOVUPS     12(SI), X0
	VINSERTF128 $1, 204(SI), Y0, Y0 // wxyz of 0 | 4
	VMOVUPS     60(SI), X1
	VINSERTF128 $1, 252(SI), Y1, Y1 // 1 | 5
	VMOVUPS     108(SI), X2
	VINSERTF128 $1, 300(SI), Y2, Y2 // 2 | 6
	VMOVUPS     156(SI), X3
	VINSERTF128 $1, 348(SI), Y3, Y3 // 3 | 7
	VUNPCKLPS   Y1, Y0, Y8          // w0 w1 x0 x1 |
	VUNPCKHPS   Y1, Y0, Y9          // y0 y1 z0 z1 |
	VUNPCKLPS   Y3, Y2, Y10         // w2 w3 x2 x3 |
	VUNPCKHPS   Y3, Y2, Y11         // y2 y3 z2 z3 |
	VSHUFPS     $0x44, Y10, Y8, Y4  // w
	VSHUFPS     $0xEE, Y10, Y8, Y5  // x
	VSHUFPS     $0x44, Y11, Y9, Y6  // y
	VSHUFPS     $0xEE, Y11, Y9, Y7  // z
	VMULPS      Y4, Y4, Y0
	VMULPS      Y5, Y5, Y1
	VADDPS      Y1, Y0, Y0
	VMULPS      Y6, Y6, Y1
	VADDPS      Y1, Y0, Y0
	VMULPS      Y7, Y7, Y1
	VADDPS      Y1, Y0, Y0
	VSUBPS      Y13, Y0, Y0         // squared length - 1
	VANDNPS     Y0, Y14, Y0
	VCMPPS      $0x11, Y15, Y0, Y8  // ones: less than 3e-7 off (and not a NaN)
	VMOVMSKPS   Y8, BX
	MOVQ        SI, R12
	CMPL        BX, $0xFF
	JNE         normalize

moved:
	// Has every row moved? A float differs from itself if it is a NaN, as in Go. Nearly always the position or w has changed.
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
	SFENCE            // the streamed samples come before whatever tells others of them

ordered:
	MOVQ R11, 64(AX)
	MOVQ R10, turns+8(FP)
	VZEROUPPER
	RET

stream:
	// In a table that only memory holds: ten vectors are five whole lines, which need not be read before they are written.
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
	// Y4 to Y7: w x y z of the eight rows. Y8: ones for those that stay as they are. The others are divided by their length in double precision,
	// and become 1 0 0 0 where it is zero, infinite or not a number. Half of the lanes at a time.
#define LENGTH(XW, XX, XY, XZ) \
	VCVTPS2PD XW, Y0            \
	VCVTPS2PD XX, Y1            \
	VCVTPS2PD XY, Y2            \
	VCVTPS2PD XZ, Y3            \
	VMULPD    Y0, Y0, Y9        \
	VMULPD    Y1, Y1, Y10       \
	VADDPD    Y10, Y9, Y9       \
	VMULPD    Y2, Y2, Y10       \
	VADDPD    Y10, Y9, Y9       \
	VMULPD    Y3, Y3, Y10       \
	VADDPD    Y10, Y9, Y9       \
	VSQRTPD   Y9, Y9            \ // the length
	VPCMPEQD  Y11, Y11, Y11     \
	VPSRLQ    $53, Y11, Y10     \
	VPSLLQ    $52, Y10, Y10     \ // infinity
	VCMPPD    $0x11, Y10, Y9, Y10 \ // ones: length < infinity
	VPXOR     Y13, Y13, Y13     \
	VCMPPD    $0x1E, Y13, Y9, Y13 \ // ones: length > 0
	VANDPD    Y13, Y10, Y10     \ // ones: it has a direction
	VPSRLQ    $54, Y11, Y11     \
	VPSLLQ    $52, Y11, Y11     \ // 1
	VANDNPD   Y11, Y10, Y11     \ // 1 where it has none
	VDIVPD    Y9, Y0, Y0        \
	VDIVPD    Y9, Y1, Y1        \
	VDIVPD    Y9, Y2, Y2        \
	VDIVPD    Y9, Y3, Y3        \
	VANDPD    Y10, Y0, Y0       \
	VORPD     Y11, Y0, Y0       \
	VANDPD    Y10, Y1, Y1       \
	VANDPD    Y10, Y2, Y2       \
	VANDPD    Y10, Y3, Y3       \
	VCVTPD2PSY Y0, X0           \
	VCVTPD2PSY Y1, X1           \
	VCVTPD2PSY Y2, X2           \
	VCVTPD2PSY Y3, X3

	LENGTH(X4, X5, X6, X7) // rows 0 to 3
	VMOVUPS X0, 0(SP)
	VMOVUPS X1, 32(SP)
	VMOVUPS X2, 64(SP)
	VMOVUPS X3, 96(SP)
	VEXTRACTF128 $1, Y4, X0
	VEXTRACTF128 $1, Y5, X1
	VEXTRACTF128 $1, Y6, X2
	VEXTRACTF128 $1, Y7, X3
	LENGTH(X0, X1, X2, X3) // rows 4 to 7
	VMOVUPS X0, 16(SP)
	VMOVUPS X1, 48(SP)
	VMOVUPS X2, 80(SP)
	VMOVUPS X3, 112(SP)
	VMOVUPS 0(SP), Y0
	VMOVUPS 32(SP), Y1
	VMOVUPS 64(SP), Y2
	VMOVUPS 96(SP), Y3
	VBLENDVPS Y8, Y4, Y0, Y4 // the old w where it may stay
	VBLENDVPS Y8, Y5, Y1, Y5
	VBLENDVPS Y8, Y6, Y2, Y6
	VBLENDVPS Y8, Y7, Y3, Y7

	// Copy the poses, then put the rotations over theirs.
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
	VUNPCKLPS    Y5, Y4, Y0        // w0 x0 w1 x1 | w4 x4 w5 x5
	VUNPCKHPS    Y5, Y4, Y1        // w2 x2 w3 x3 |
	VUNPCKLPS    Y7, Y6, Y2        // y0 z0 y1 z1 |
	VUNPCKHPS    Y7, Y6, Y3        // y2 z2 y3 z3 |
	VSHUFPS      $0x44, Y2, Y0, Y4 // wxyz of 0 | 4
	VSHUFPS      $0xEE, Y2, Y0, Y5 // 1 | 5
	VSHUFPS      $0x44, Y3, Y1, Y6 // 2 | 6
	VSHUFPS      $0xEE, Y3, Y1, Y7 // 3 | 7
	VMOVUPS      X4, 12(SP)
	VEXTRACTF128 $1, Y4, 204(SP)
	VMOVUPS      X5, 60(SP)
	VEXTRACTF128 $1, Y5, 252(SP)
	VMOVUPS      X6, 108(SP)
	VEXTRACTF128 $1, Y6, 300(SP)
	VMOVUPS      X7, 156(SP)
	VEXTRACTF128 $1, Y7, 348(SP)

	MOVQ     SP, R12
	VPCMPEQD Y13, Y13, Y13
	VPSRLD   $25, Y13, Y13
	VPSLLD   $23, Y13, Y13 // ones again
	JMP      moved

// func prefetchAVX2(rows *uint32, n int, prev, cur *components.Pose3D, motion *uint32)
TEXT ·prefetchAVX2(SB), NOSPLIT, $0-40
	MOVQ rows+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ prev+16(FP), DI
	MOVQ cur+24(FP), DX
	MOVQ motion+32(FP), R8

prefetch:
	MOVL       (SI), AX
	PREFETCHT0 (R8)(AX*4)
	LEAQ       (AX)(AX*4), AX
	PREFETCHT0 (DX)(AX*8)
	PREFETCHT0 39(DX)(AX*8)
	PREFETCHT0 (DI)(AX*8)
	PREFETCHT0 39(DI)(AX*8)
	ADDQ       $4, SI
	DECQ       CX
	JNZ        prefetch
	RET
