// Package hierarchy composes the local poses of entities with a Parent to world poses, in space and
// in the plane, for the simulation and for the picture.
//
//	tree := hierarchy.New3D()                       // or New2D; exported fields before Install
//	engine.Install(interpolation.New3D(), tree)
//	err := tree.Reparent(child, parent)             // the child keeps its place in the world
//	world := tree.VisualWorld(child)                // a column-major matrix
//
// Local poses are interpolated and world poses are composed from them, so a child on a turning
// parent keeps its distance all the way. A despawned parent takes its subtree along, unless
// KeepOrphans is set. Most users need [New3D], [New2D], [Of], and the methods of [Hierarchy].
package hierarchy
