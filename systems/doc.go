// Package systems holds what works on Tandem's components: interpolation of visual values, hierarchies, and simple motion.
//
// An [Interpolator] carries logical values to the screen:
//
//	FixedUpdate   gameplay writes Logical values                         revision++
//	FixedEnd      capture: who changed in this step?                     prev <- value at its start, cur <- value at its end
//	VisualSync    visual = blend(prev, cur) at the normal time           only what is in motion
//
// A [Hierarchy] composes the local poses, logical and visual, of entities with a Parent. [Motion3D] and [Motion2D] integrate velocities.
// Everything here is a plugin of an engine; plugins may be installed in any order.
//
// # Values
//
// [Interpolation3D] and [Interpolation2D] are for poses. For values of your own:
//
//   - [InterpolationLinear] for numbers and arrays of two to four of them that are blended component by component, such as mgl32.Vec3;
//   - [Interpolation] for all that a function of two values blends: small structs of numbers above all;
//   - [InterpolationBatch] for arrays and for structs that hold some, which Go passes to such a function several times slower than a loop blends them.
//
// # Rules that hold
//
//   - The visual value at a time is a pure function of the samples and that time: frame times before do not matter.
//   - A constant velocity is exactly linear from its first step on.
//   - A teleport, a spawn, a value overwritten whole is never smeared.
//   - What has arrived rests: it costs nothing per frame, and does not change by a single bit.
//   - Fixed-stage code never sees anything visual, so the simulation does not depend on the frame rate.
//
// # Memory
//
// An interpolator adds hidden components to every entity that has both the Logical and the Visual of its type: two samples and some
// bookkeeping, 112 bytes for a pose in space. It does so before FixedUpdate and at the end of FixedEnd, as structural changes of arche; a pointer to a component
// must not be kept across them.
package systems
