package components

import (
	"github.com/go-gl/mathgl/mgl32"
	"github.com/mlange-42/arche/ecs"
)

// The transforms of objects in space and in the plane.
type (
	// Transform3D is an object's logical pose in space, local to its [Parent]. The zero value holds
	// a pose without size: make it with [NewLogical].
	Transform3D = Logical[Pose3D]
	// Visual3D is an object's drawn pose in space, local to its [Parent]. hierarchy.New3D composes
	// the pose in the world. Without an interpolation.New3D in the engine it is not written.
	Visual3D = Visual[Pose3D]
	// Transform2D is an object's logical pose in the plane, local to its [Parent].
	Transform2D = Logical[Pose2D]
	// Visual2D is an object's drawn pose in the plane, local to its [Parent]. hierarchy.New2D
	// composes the pose in the world. Without an interpolation.New2D in the engine it is not
	// written.
	Visual2D = Visual[Pose2D]
)

// Parent makes an entity's poses local to another entity. The zero entity means no parent.
//
// It may be written directly, which keeps the local pose; Hierarchy.Reparent keeps the world pose.
// It is a plain component and not an arche relation, because a relation makes one table per target.
//
// An entity that this world does not know, from a saved game or another world, counts as a dead
// parent; see hierarchy.Hierarchy for the effect on its children. To save a world with its
// entities, use arche's World.DumpEntities and LoadEntities, which keep identities. Otherwise write
// Parents anew when loading.
type Parent struct {
	Entity ecs.Entity // the parent; zero: the world
}

// NoInterpolation is a marker: an entity that has it shows its logical value as of the newest fixed
// step, without interpolation. It may be added and removed at any time. If a fixed stage removes
// it, the entity glides in that step already. If a normal stage removes it, the entity stays at the
// newest step's end until the picture has reached that, and glides from then on. So it never jumps
// back.
type NoInterpolation struct{}

// InterpolateOnGPU is a marker: the renderer of the entity blends its samples itself (an
// interpolation.Feed reports new samples to it), so that frames without a fixed step cost the
// processor nothing for it. Its Visual holds the newest sample, up to a fixed step ahead of the
// picture; use an entity without the marker for cameras to follow and for children. It may be added
// and removed at any time. An entity with a [Parent] is blended by the processor, marked or not:
// blending the parts of a hierarchy is not blending their composition.
type InterpolateOnGPU struct{}

// Velocity3D holds an object's velocity in the frame of its [Parent]. motion.New3D integrates it.
// The zero value rests.
type Velocity3D struct {
	Linear mgl32.Vec3 // units per second of simulated time
	// radians per second of simulated time, about the axis of its direction, right-handed
	Angular mgl32.Vec3
}

// Velocity2D holds an object's velocity in the plane. motion.New2D integrates it. The zero value
// rests.
type Velocity2D struct {
	Linear  mgl32.Vec2 // units per second of simulated time
	Angular float32    // radians per second of simulated time, counter-clockwise
}
