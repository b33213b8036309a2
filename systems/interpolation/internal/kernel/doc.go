// Package kernel holds the inner loops of the synchronizer, which run for every moving pose in
// every frame.
//
//   - [Path.Blend3D] and [Path.BlendList3D] draw poses between two samples: a whole column, the
//     rows of a list. A single pose is a column of one.
//   - [Blend2D] and [BlendList2D] do so in the plane, [BlendLinear] and
//     [BlendListLinear] for numbers and short arrays of them.
//   - [Blend] and [BlendList] do so for values of any type, by a function of two values,
//     [BlendBatch] and [BlendListBatch] by one of whole batches.
//   - [Capture3D] takes the ordinary movements of a fixed step into the samples.
//   - [Path.Changed] finds the rows whose revision was raised, [Path.AllEqual] verifies the marks
//     of a whole column, [Path.AllEqualAt] those in the rows of a list.
//
// # One result
//
// The result for a pose has the same bits at every place: in a column or on a list, first or last,
// alone or among a million, on whichever thread, and on whichever processor. On amd64 with AVX2 the
// loops are assembly, and with AVX-512 the one for whole columns uses it. The choice is made when
// the program starts. Elsewhere, and with the build tag purego, they are Go. All perform the same
// operations in the same order, each rounded by itself, so that golden pictures and recorded paths
// hold on every platform. So the assembly has no fused multiply-adds, and the Go code converts
// every product explicitly, which by the language's rules keeps compilers from fusing it. (Only the
// payload of a NaN depends on the processor.) So the Go code can take the rows that do not fill a
// vector. The tests of this package pass on emulated processors with AVX2 and without, and on
// arm64, ppc64le, riscv64 and s390x, where compilers fuse.
//
// # The slerp
//
// Rotations turn along the shorter arc at constant angular speed, computed without trigonometry: a
// normalised sum of the two quaternions whose weights are polynomials in t and in the cosine of
// half the angle; see curveAt. It is off by at most 0.0042 degree for arcs up to 180 degrees.
// Between samples half a turn apart it is one of the shortest arcs, always the same one.
//
// # Layout
//
// Columns are arrays of structs, as the components are: the vectors run along all floats of eight
// poses, or sixteen, and only the weights of the rotations are transposed. Separate columns of x, y
// and z would be no faster; see blend_amd64.s and blend512_amd64.s.
//
// Columns of 32 KB and more begin on pages, as all large allocations of Go do, so that a row has
// the same place within its page in all three. If results lay 64 bytes further on than samples,
// loads would wait for stores whose addresses only look the same, and the dense kernel by AVX-512
// would take 20 to 30 percent more time.
//
// # Measuring
//
// go test -bench . here measures every loop by assembly and by Go, in ns per row, for tables of a
// thousand to a million rows. On a Zen 4 core the dense kernel takes 1.2 ns per pose in the first
// two levels of the cache and 1.4 to 1.6 in the third, without AVX-512 1.6 and 1.7 to 2.0; the Go
// code takes 9. With another program on the core's other thread, AVX-512 saves a quarter to a
// third.
//
// docs/kernels.md lists the experiments that did not pay.
//
// Misuse that would touch foreign memory panics before anything is written. The only state of the
// package is the set of instructions that the processor supports.
package kernel
