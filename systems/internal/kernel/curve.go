package kernel

// curve holds what the slerp of a whole batch shares: the fraction t and the three coefficients that bend the weight of a plain nlerp into that of
// a slerp. The assembly reads it by offset, so the order of the fields is fixed.
type curve struct {
	t, c1, c2, c3 float32
}

// curveAt returns the curve of fraction t.
//
// For unit quaternions a and b with d = |a·b| and x = 1-d, the weight of b in the normalised sum (1-w)a + wb is
//
//	w = t + x(c1 + x(c2 + x c3))
//
// where the c depend on t alone. A plain nlerp is w = t. The polynomials in (t-1/2)² were fitted over all arcs from 0 to 180 degrees of rotation; the
// largest error of the angle is 0.0042 degree. The factor k makes every coefficient exactly zero at t = 0 and t = 1, and its odd symmetry about 1/2
// makes a blend and its reverse agree.
//
// The idea, a cubic correction of the nlerp's parameter, is Jonathan Blow's ("Hacking Quaternions", 2002) and Arseny Kapoulkine's
// ("Approximating slerp", 2015); the fit with a third power of x, which widens it from 90 to 180 degrees, is our own.
//
// The conversions keep a compiler from fusing a product with a sum, so that every platform computes the same bits.
func curveAt(t float32) curve {
	s := float64(t) - 0.5
	z := float64(s * s)
	k := float64(s * (z - 0.25))
	return curve{
		t:  t,
		c1: float32(k * (0.68374997 + float64(z*(-0.06132597+float64(z*0.75047732))))),
		c2: float32(k * (0.06664478 + float64(z*(0.66724177-float64(z*2.91494655))))),
		c3: float32(k * (0.10921768 + float64(z*(0.19937133+float64(z*3.38322934))))),
	}
}
