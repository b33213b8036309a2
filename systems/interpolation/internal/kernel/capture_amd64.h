// The common part of the two capture kernels. capture_amd64.s captures neighbouring rows,
// capturelist_amd64.s the rows of a list, both eight rows a turn. A turn is captured if all its
// rows were written and made an ordinary movement. Before the first turn of another kind the
// kernels stop, without a change of its rows.
//
// A record is 48 bytes: the pose, the revision at 40, the state at 44. Eight records are 384 bytes,
// eight samples 320. In vectors of eight, lane k belongs to row k.
//
// Both read the arguments at AX. Constants: Y13 ones, Y14 sign bits, Y15 how far a squared length
// may be from one.

#define CONSTANTS \
	MOVL         $0x34A10FB0, BX \ // 3e-7
	VMOVD        BX, X15         \
	VBROADCASTSS X15, Y15        \
	VPCMPEQD     Y14, Y14, Y14   \
	VPSRLD       $25, Y14, Y13   \
	VPSLLD       $23, Y13, Y13   \ // ones
	VPSLLD       $31, Y14, Y14      // sign bits

// ORDINARY finds, from revision and state of the rows 0 1, 2 3, 4 5 and 6 7 in X4 to X7, whether
// every row's movement is an ordinary one: then mask is 0xFF. Y12: the revisions. Y6: the marks.
// Clobbers Y4 to Y9.
#define ORDINARY(seen, motion, mask) \
	VINSERTF128  $1, X6, Y4, Y4     \ // 0 1 | 4 5
	VINSERTF128  $1, X7, Y5, Y5     \ // 2 3 | 6 7
	VSHUFPS      $0x88, Y5, Y4, Y12 \ // revisions of 0 1 2 3 | 4 5 6 7
	VSHUFPS      $0xDD, Y5, Y4, Y5  \ // states
	VPXOR        Y8, Y8, Y8         \
	VPSUBD       seen, Y12, Y4      \
	VPCMPEQD     Y8, Y4, Y9         \ // ones: not written
	VPSRLD       $8, Y4, Y4         \ // not zero: raised by 256 or more
	VPSLLD       $29, Y5, Y6        \ // not zero: one of the three low bits is set
	VPOR         Y6, Y4, Y4         \
	VPCMPEQD     Y8, Y4, Y4         \ // ones: neither
	VPCMPEQD     Y8, Y5, Y5         \ // ones: no state at all
	VMOVDQU      motion, Y6         \
	VPBROADCASTD 56(AX), Y7         \
	VPCMPEQD     Y7, Y6, Y7         \ // ones: timed
	VPOR         Y7, Y5, Y5         \
	VPOR         Y9, Y5, Y5         \
	VPANDN       Y4, Y5, Y4         \
	VMOVMSKPS    Y4, mask

// WENT makes bit k of mask say whether row k was in motion over the step before, from the marks in
// Y6. Clobbers Y7.
#define WENT(mask) \
	VPBROADCASTD 52(AX), Y7 \
	VPCMPEQD     Y7, Y6, Y7 \
	VMOVMSKPS    Y7, mask

// LENGTHS transposes the rotations wxyz of the rows 0 | 4, 1 | 5, 2 | 6 and 3 | 7 in Y0 to Y3 and
// tests their lengths as Go does, by ((ww + xx) + yy) + zz. Y4 to Y7: w x y z. Y8: ones for those
// that are of unit length, which mask has as bits. Clobbers Y0, Y1, Y9 to Y11.
#define LENGTHS(mask) \
	VUNPCKLPS Y1, Y0, Y8         \ // w0 w1 x0 x1 |
	VUNPCKHPS Y1, Y0, Y9         \ // y0 y1 z0 z1 |
	VUNPCKLPS Y3, Y2, Y10        \ // w2 w3 x2 x3 |
	VUNPCKHPS Y3, Y2, Y11        \ // y2 y3 z2 z3 |
	VSHUFPS   $0x44, Y10, Y8, Y4 \ // w
	VSHUFPS   $0xEE, Y10, Y8, Y5 \ // x
	VSHUFPS   $0x44, Y11, Y9, Y6 \ // y
	VSHUFPS   $0xEE, Y11, Y9, Y7 \ // z
	VMULPS    Y4, Y4, Y0         \
	VMULPS    Y5, Y5, Y1         \
	VADDPS    Y1, Y0, Y0         \
	VMULPS    Y6, Y6, Y1         \
	VADDPS    Y1, Y0, Y0         \
	VMULPS    Y7, Y7, Y1         \
	VADDPS    Y1, Y0, Y0         \
	VSUBPS    Y13, Y0, Y0        \ // squared length - 1
	VANDNPS   Y0, Y14, Y0        \
	VCMPPS    $0x11, Y15, Y0, Y8 \ // ones: less than 3e-7 off (and not a NaN)
	VMOVMSKPS Y8, mask

// SUM_ROW adds positions and scales of the new pose at n(base) to X(a) and X(b). Rotations are in
// the sums, too.
#define SUM_ROW(n, base, a, b) \
	VADDPS n(base), a, a   \
	VADDPS n+24(base), b, b

// UNBOUNDED makes mask say whether a number of the eight new poses at base, 48 bytes apart, is
// infinite or not a number. It may say so, too, if the sums of some that are not overflow. Clobbers
// Y8 to Y11.
#define UNBOUNDED(base, mask) \
	VMOVUPS   0(base), X8          \
	VMOVUPS   24(base), X9         \
	VMOVUPS   48(base), X10        \
	VMOVUPS   72(base), X11        \
	SUM_ROW(96, base, X8, X9)      \
	SUM_ROW(144, base, X10, X11)   \
	SUM_ROW(192, base, X8, X9)     \
	SUM_ROW(240, base, X10, X11)   \
	SUM_ROW(288, base, X8, X9)     \
	SUM_ROW(336, base, X10, X11)   \
	VADDPS    X10, X8, X8          \
	VADDPS    X11, X9, X9          \
	VADDPS    X9, X8, X8           \
	VSUBPS    X8, X8, X8           \ // 0, or not a number
	VCMPPS    $3, X8, X8, X8       \
	VMOVMSKPS X8, mask

// ASKEW does so for the rotations in Y4 to Y7. Clobbers Y9 and Y10.
#define ASKEW(mask) \
	VADDPS    Y5, Y4, Y9   \
	VADDPS    Y7, Y6, Y10  \
	VADDPS    Y10, Y9, Y9  \
	VSUBPS    Y9, Y9, Y9   \
	VCMPPS    $3, Y9, Y9, Y9 \
	VMOVMSKPS Y9, mask

// LENGTH divides four rotations by their length in double precision; where that is zero, infinite
// or not a number they become 1 0 0 0. The result is in X0 to X3. Clobbers Y9 to Y11, Y13.
#define LENGTH(XW, XX, XY, XZ) \
	VCVTPS2PD  XW, Y0              \
	VCVTPS2PD  XX, Y1              \
	VCVTPS2PD  XY, Y2              \
	VCVTPS2PD  XZ, Y3              \
	VMULPD     Y0, Y0, Y9          \
	VMULPD     Y1, Y1, Y10         \
	VADDPD     Y10, Y9, Y9         \
	VMULPD     Y2, Y2, Y10         \
	VADDPD     Y10, Y9, Y9         \
	VMULPD     Y3, Y3, Y10         \
	VADDPD     Y10, Y9, Y9         \
	VSQRTPD    Y9, Y9              \ // the length
	VPCMPEQD   Y11, Y11, Y11       \
	VPSRLQ     $53, Y11, Y10       \
	VPSLLQ     $52, Y10, Y10       \ // infinity
	VCMPPD     $0x11, Y10, Y9, Y10 \ // ones: length < infinity
	VPXOR      Y13, Y13, Y13       \
	VCMPPD     $0x1E, Y13, Y9, Y13 \ // ones: length > 0
	VANDPD     Y13, Y10, Y10       \ // ones: it has a direction
	VPSRLQ     $54, Y11, Y11       \
	VPSLLQ     $52, Y11, Y11       \ // 1
	VANDNPD    Y11, Y10, Y11       \ // 1 where it has none
	VDIVPD     Y9, Y0, Y0          \
	VDIVPD     Y9, Y1, Y1          \
	VDIVPD     Y9, Y2, Y2          \
	VDIVPD     Y9, Y3, Y3          \
	VANDPD     Y10, Y0, Y0         \
	VORPD      Y11, Y0, Y0         \
	VANDPD     Y10, Y1, Y1         \
	VANDPD     Y10, Y2, Y2         \
	VANDPD     Y10, Y3, Y3         \
	VCVTPD2PSY Y0, X0              \
	VCVTPD2PSY Y1, X1              \
	VCVTPD2PSY Y2, X2              \
	VCVTPD2PSY Y3, X3

// NORMALIZE brings to unit length those of the eight rotations in Y4 to Y7 that Y8 says are not,
// and puts them all over those of the poses at 0(SP), 48 bytes apart. Clobbers Y0 to Y11 and 384 to
// 511(SP).
#define NORMALIZE \
	LENGTH(X4, X5, X6, X7)         \ // rows 0 to 3
	VMOVUPS      X0, 384(SP)       \
	VMOVUPS      X1, 416(SP)       \
	VMOVUPS      X2, 448(SP)       \
	VMOVUPS      X3, 480(SP)       \
	VEXTRACTF128 $1, Y4, X0        \
	VEXTRACTF128 $1, Y5, X1        \
	VEXTRACTF128 $1, Y6, X2        \
	VEXTRACTF128 $1, Y7, X3        \
	LENGTH(X0, X1, X2, X3)         \ // rows 4 to 7
	VMOVUPS      X0, 400(SP)       \
	VMOVUPS      X1, 432(SP)       \
	VMOVUPS      X2, 464(SP)       \
	VMOVUPS      X3, 496(SP)       \
	VMOVUPS      384(SP), Y0       \
	VMOVUPS      416(SP), Y1       \
	VMOVUPS      448(SP), Y2       \
	VMOVUPS      480(SP), Y3       \
	VBLENDVPS    Y8, Y4, Y0, Y4    \ // the old w where it may stay
	VBLENDVPS    Y8, Y5, Y1, Y5    \
	VBLENDVPS    Y8, Y6, Y2, Y6    \
	VBLENDVPS    Y8, Y7, Y3, Y7    \
	VUNPCKLPS    Y5, Y4, Y0        \ // w0 x0 w1 x1 | w4 x4 w5 x5
	VUNPCKHPS    Y5, Y4, Y1        \ // w2 x2 w3 x3 |
	VUNPCKLPS    Y7, Y6, Y2        \ // y0 z0 y1 z1 |
	VUNPCKHPS    Y7, Y6, Y3        \ // y2 z2 y3 z3 |
	VSHUFPS      $0x44, Y2, Y0, Y4 \ // wxyz of 0 | 4
	VSHUFPS      $0xEE, Y2, Y0, Y5 \ // 1 | 5
	VSHUFPS      $0x44, Y3, Y1, Y6 \ // 2 | 6
	VSHUFPS      $0xEE, Y3, Y1, Y7 \ // 3 | 7
	VMOVUPS      X4, 12(SP)        \
	VEXTRACTF128 $1, Y4, 204(SP)   \
	VMOVUPS      X5, 60(SP)        \
	VEXTRACTF128 $1, Y5, 252(SP)   \
	VMOVUPS      X6, 108(SP)       \
	VEXTRACTF128 $1, Y6, 300(SP)   \
	VMOVUPS      X7, 156(SP)       \
	VEXTRACTF128 $1, Y7, 348(SP)   \
	VPCMPEQD     Y13, Y13, Y13     \
	VPSRLD       $25, Y13, Y13     \
	VPSLLD       $23, Y13, Y13        // ones again
