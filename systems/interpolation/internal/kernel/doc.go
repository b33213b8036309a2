// Package kernel holds the inner loops of the synchronizer: what is executed for every moving pose
// in every frame.
//
//   - [Blend3D], [BlendList3D] and [BlendOne3D] draw poses between two samples: a whole column, the
//     rows of a list, a single one.
//   - [Blend2D], [BlendList2D] and [BlendOne2D] do so in the plane, [BlendLinear] and
//     [BlendListLinear] for numbers and short arrays of them.
//   - [Blend] and [BlendList] do so for values of any type, by a function of two values,
//     [BlendBatch] and [BlendListBatch] by one of whole batches.
//   - [Capture3D] takes the ordinary movements of a fixed step into the samples.
//   - [Changed] finds the rows whose revision was raised, [AllEqual] verifies the marks of a whole
//     column, [AllEqualAt] those in the rows of a list.
//
// # One result
//
// A pose comes out with the same bits wherever it stands: in a column or on a list, first or last,
// alone or among a million, on whichever thread, and on whichever processor. On amd64 with AVX2 the
// loops are assembly, and where there is AVX-512 the one for whole columns uses it; that is chosen
// when the program starts. Elsewhere, and with the build tag purego, they are Go. All perform the
// same operations in the same order, each rounded by itself, so that golden pictures and recorded
// paths hold on every platform. For this the assembly does without fused multiply-adds, and the Go
// code converts every product explicitly, which by the language's rules keeps compilers from fusing
// it. (Only the payload of a NaN is the processor's own affair.) Because of it the rows that do not
// fill a vector are left to the Go code. The tests of this package pass on emulated processors with
// AVX2 and without, and on arm64, ppc64le, riscv64 and s390x, where compilers fuse.
//
// # The slerp
//
// Rotations turn along the shorter arc at constant angular speed, computed without trigonometry: a
// normalised sum of the two quaternions whose weights are polynomials in t and in the cosine of
// half the angle; see curve.go. It is off by at most 0.0042 degree for arcs up to 180 degrees.
// Between samples half a turn apart any one of the shortest arcs is taken, always the same one.
//
// # Layout
//
// Columns are arrays of structs, as the components are: the vectors run along all floats of eight
// poses, or sixteen, and only the weights of the rotations are transposed. Separate columns of x, y
// and z would be no faster; see blend_amd64.s and blend512_amd64.s.
//
// Columns of 32 KB and more begin on pages, as all large allocations of Go do, so that a row has
// the same place within its page in all three. That is good luck: if results lay 64 bytes further
// on than samples, loads would wait for stores whose addresses only look the same, and the dense
// kernel by AVX-512 would take 20 to 30 percent more time.
//
// # Measuring
//
// go test -bench . here measures every loop by assembly and by Go, in ns per row, for tables of a
// thousand to a million rows. On a Zen 4 core the dense kernel takes 1.2 ns per pose in the first
// two levels of the cache and 1.4 to 1.6 in the third, without AVX-512 1.6 and 1.7 to 2.0; the Go
// code takes 9. Where another program has the core's other thread, AVX-512 saves a quarter to a
// third.
//
// # What does not pay
//
// Tried on the same core, each in turn with what it was to replace:
//
//   - Fetching ahead in the dense kernel, 1 to 8 KB, into either level of the cache, the samples,
//     the results or both: nothing up to 10 000 poses, a tenth and more slower at 100 000, and
//     within the noise at a million.
//
//   - In the scan for changed revisions, which fetches one line of six into the second-level cache,
//     four pages ahead, and wins a sixth of its time at 100 000 rows and a fifth or more at a
//     million: all six, a tenth slower at 10 000, and nothing won at 100 000; three, 4 % slower up
//     to there; the one from only one page ahead, or into the first level: half as much is won, or
//     nothing. Two pages ahead or eight are as good as four.
//
//   - Blending rotations within the flat vectors by vectors of 256 bits, with weights spread by
//     permutations: a quarter fewer loads and half the stores, and 3 % slower to 10 % faster in one
//     to three runs each. With the masks and the 32 registers of AVX-512, but vectors of 256 bits:
//     5 to 15 % faster, where 512 bits gain 15 to 33.
//
//   - In the kernel for 512 bits: dot products from flat products, brought together by
//     permutations, 3 to 8 % slower; rotations loaded by masked broadcasts, up to 8 % slower; the
//     lines to be written fetched ahead, nothing; longer calls, 2 % at 10 000 poses. A kernel for
//     lists by AVX-512: a tenth faster, for 180 lines of its own.
//
//   - In the dense kernel by AVX2, the steps of the stages between each other, as in those by
//     AVX-512: with 16 registers some must wait in memory, and it is 2 to 6 % slower in the first
//     two levels of the cache, and within 2 % of what it was beyond.
//
//   - A stage of the pipeline more, which leaves square root and division a whole turn: 10 to 20 %
//     slower. Shorter encodings of the addresses: nothing.
//
//   - Going through the columns backwards in every other frame, to begin with what is still in the
//     cache: 2 % at 10 000 poses and nothing beyond; in calls as short as perFarCall a third
//     slower.
//
//   - Other distances of fetching in the list kernel: within 2 %. Into the first-level cache: 70 %
//     slower where every tenth of a million moves.
//
//   - Prefetching in the capture of neighbouring rows: up to 61 % slower at 10 000 rows, 16 to 32 %
//     at 100 000 and at a million; one line in six, as in the scan: nothing.
//
//   - In that of a list, which fetches into the second-level cache four turns ahead where the table
//     is large, and so takes two thirds to three quarters of the time where a tenth of a million
//     moves and 7 % less where a hundredth does: into the first-level cache, half as much is won;
//     two turns ahead, a little less; in tables of 10 000, 2 to 3 % is lost. All of a part ahead,
//     while the next one is scanned: 3 to 5 % at a million rows where a hundredth moves, nothing
//     below. The current samples alone into the first-level cache: up to a fifth slower where a
//     tenth of a million moves; all lines as ones that will be written (PREFETCHW): a fifth to a
//     quarter slower there; without the older samples: a third. The first turns of every call
//     ahead, or parts twice as long: within 2 %.
//
//   - Scanning backwards, part by part, in every other step, to begin with what is still in the
//     cache: nothing.
//
//   - [AllEqualAt] in Go, unrolled to four or eight rows a turn: a seventh to a third slower. In
//     general registers by assembly: a fifth faster, where gathering into vectors makes it two
//     fifths.
//
//   - Motion marks of one byte instead of four: where a hundredth moves, a capture that neither
//     reads nor writes marks at all takes 1 % less time at 10 000 rows, 1 to 6 % at 100 000 and 3
//     to 4 % at a million, and bytes would win less than that. Nor can the two samples of a row
//     change places instead of being copied: the newest is read, to see whether it has moved, and
//     the other written, either way.
//
//   - The scan in two to sixteen places by turns: 5 to 50 % slower at a million rows, where one
//     stream, when it fetched nothing yet, was as fast as a sum over the same memory.
//
//   - Arrays by value, in [Blend]: 11 to 12 ns for four numbers whatever was done. A function that
//     takes them by value and whose result nobody reads costs 5 to 8 already, and one that takes
//     pointers and returns an array 11. To read the result number by number, as it was stored,
//     gains a tenth to a third for the second and nothing for the first, and takes another type of
//     function than the user's. No second call can go ahead of the wait: both results have the same
//     place in memory, so each is copied out before the next call. By pointers alone it is 3 to 7
//     ns, by how the function is written; a loop over a batch takes 1.7 to 3.5 and is what there
//     is.
//
//   - The Go code of the blend in short loops over 64 rows each, from dot products to weights to
//     poses: 4 to 8 % faster than one loop in three stages where the core is ours alone, and as
//     much slower where somebody else has its other thread, which is how most machines are lent.
//
// Misuse that would touch foreign memory panics before anything is written. The package has no
// state but what the processor was found to support.
package kernel
