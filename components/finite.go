package components

// IsFinite reports whether no number of the pose is infinite or NaN. Such a pose has no place in a
// picture: what is asked to show one keeps the last pose that was finite, and ecs.Check or a log
// reports the entity.
func (p Pose3D) IsFinite() bool {
	// A finite number times zero is zero, any other one is NaN.
	sum := 0 * p.Position[0]
	sum += 0 * p.Position[1]
	sum += 0 * p.Position[2]
	sum += 0 * p.Rotation.W
	sum += 0 * p.Rotation.V[0]
	sum += 0 * p.Rotation.V[1]
	sum += 0 * p.Rotation.V[2]
	sum += 0 * p.Scale[0]
	sum += 0 * p.Scale[1]
	sum += 0 * p.Scale[2]
	return sum == 0
}

// IsFinite reports whether no number of the pose is infinite or NaN; see [Pose3D.IsFinite].
func (p Pose2D) IsFinite() bool {
	sum := 0 * p.Position[0]
	sum += 0 * p.Position[1]
	sum += 0 * p.Rotation
	sum += 0 * p.Scale[0]
	sum += 0 * p.Scale[1]
	return sum == 0
}
