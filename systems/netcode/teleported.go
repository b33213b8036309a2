package netcode

import "github.com/tandem-ecs/tandem/components"

// teleported reports whether the way from one pose to another is a jump; nil: nothing jumps. It is
// the Teleported of a Game, of Bodies, of Shots or of a scripted mover.
type teleported func(before, after components.Pose3D) bool

// between reports whether the step from one pose to another is a jump.
func (f teleported) between(before, after components.Pose3D) bool {
	return f != nil && f(before, after)
}

// apart reports whether two poses of one moment, the drawn one and a corrected one, are at two ends
// of a jump.
func (f teleported) apart(a, b components.Pose3D) bool {
	return f != nil && a != b && (f(a, b) || f(b, a))
}
