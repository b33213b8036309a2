// Package interpolation carries the logical values of a fixed-step simulation to the screen: the
// visual synchronizer. An [Interpolator] is a plugin for values of one type:
//
//	FixedUpdate   gameplay writes Logical values                  revision++
//	FixedEnd      capture of the changes of the step              prev <- value at its start, cur <- value at its end
//	VisualSync    visual = blend(prev, cur) at the normal time    only entities in motion
//
// [New3D] and [New2D] are for poses. For values of your own:
//
//   - [NewLinear] for numbers and arrays of two to four of them that are blended component by
//     component, such as mgl32.Vec3;
//   - [New] for everything that a function of two values blends: above all small structs of
//     numbers;
//   - [NewBatch] for arrays and for structs that hold some. Go passes those to a function several
//     times slower than a loop blends them.
//
// Other plugins read samples by [Interpolator.At] and [Interpolator.Samples], follow changes
// through a [Feed], and take values to other coordinates by [Interpolator.Reframe] and
// [Interpolator.Shift].
//
// # Rules that hold
//
//   - The visual value at a time is a pure function of the samples and that time: frame times
//     before do not matter.
//   - A constant velocity is exactly linear from its first step on.
//   - A teleport, a spawn or a value that was overwritten whole is never interpolated.
//   - A pose that is not finite is never drawn: the last one that was stays.
//   - A value that has arrived rests. It costs nothing per frame, and does not change by a single
//     bit.
//   - Code in fixed stages never sees anything visual, so the simulation does not depend on the
//     frame rate.
//
// # Memory
//
// An interpolator adds hidden components to every entity that has both the Logical and the Visual
// of its type: two samples and some bookkeeping, 112 bytes for a pose in space. It does so before
// FixedUpdate and at the end of FixedEnd, as structural changes of arche; a pointer to a component
// must not be kept across them.
package interpolation
