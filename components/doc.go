// Package components holds the plain data of Tandem: the logical values of the simulation and the
// visual values of the picture.
//
// Every object has a logical and a visual value. Fixed-step systems write the logical one
// ([Logical], [Transform3D]); package interpolation carries it to the visual one
// ([Visual], [Visual3D]), which normal systems and the renderer read. Nothing flows back.
//
// # Frames and units
//
// Coordinates are right-handed with Y up; lengths are in whatever unit the game chooses, angles in
// radians, velocities per second of simulated time. Poses are local to the entity in [Parent], or
// to the world without one. In the plane nothing depends on Y being up: where it points down, as on
// most screens, angles count clockwise.
//
// The components contain no pointers and may be copied and stored by arche. In JSON and in gobs a
// Logical and a Visual are their value alone; docs/recipes.md says what a saved world needs.
package components
