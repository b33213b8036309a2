package systems

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
)

// The differences of poses. An offset is itself written as a pose: positions and scales are added, rotations multiplied from the left, that is, turned in the
// parent's frame.

var difference3D = Difference[components.Pose3D]{
	Between: func(from, to components.Pose3D) components.Pose3D {
		return components.Pose3D{
			Position: to.Position.Sub(from.Position),
			Rotation: components.NormalizeQuat(to.Rotation.Mul(from.Rotation.Conjugate())),
			Scale:    to.Scale.Sub(from.Scale),
		}
	},
	Apply: func(base, offset components.Pose3D) components.Pose3D {
		return components.Pose3D{
			Position: base.Position.Add(offset.Position),
			Rotation: components.NormalizeQuat(offset.Rotation.Mul(base.Rotation)),
			Scale:    base.Scale.Add(offset.Scale),
		}
	},
	Scale: func(offset components.Pose3D, factor float32) components.Pose3D {
		return components.Pose3D{
			Position: offset.Position.Mul(factor),
			Rotation: components.Slerp(mgl32.QuatIdent(), offset.Rotation, factor),
			Scale:    offset.Scale.Mul(factor),
		}
	},
}

var difference2D = Difference[components.Pose2D]{
	Between: func(from, to components.Pose2D) components.Pose2D {
		return components.Pose2D{
			Position: to.Position.Sub(from.Position),
			Rotation: components.AngleBetween(from.Rotation, to.Rotation),
			Scale:    to.Scale.Sub(from.Scale),
		}
	},
	Apply: func(base, offset components.Pose2D) components.Pose2D {
		return components.Pose2D{
			Position: base.Position.Add(offset.Position),
			Rotation: base.Rotation + offset.Rotation,
			Scale:    base.Scale.Add(offset.Scale),
		}
	},
	Scale: func(offset components.Pose2D, factor float32) components.Pose2D {
		return components.Pose2D{
			Position: offset.Position.Mul(factor),
			Rotation: offset.Rotation * factor,
			Scale:    offset.Scale.Mul(factor),
		}
	},
}
