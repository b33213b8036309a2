package kernel

import "github.com/tandem-ecs/tandem/components"

// Normalize3D brings the rotation of p to unit length, in place, as [components.NormalizeQuat] does.
func Normalize3D(p *components.Pose3D) { p.Rotation = components.NormalizeQuat(p.Rotation) }
