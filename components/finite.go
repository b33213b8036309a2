package components

// IsFinite reports whether no number of the pose is infinite or NaN. Such a pose has no place in a
// picture: what is asked to show one keeps the last pose that was finite, and ecs.Check or a log
// reports the entity.
func (p Pose3D) IsFinite() bool {
	// A finite number times zero is zero, any other one is NaN.
	q := &p.Rotation
	return (0*p.Position[0]+0*p.Position[1])+(0*p.Position[2]+0*q.W)+
		(0*q.V[0]+0*q.V[1])+(0*q.V[2]+0*p.Scale[0])+(0*p.Scale[1]+0*p.Scale[2]) == 0
}

// IsFinite reports whether no number of the pose is infinite or NaN; see [Pose3D.IsFinite].
func (p Pose2D) IsFinite() bool {
	return (0*p.Position[0]+0*p.Position[1])+(0*p.Rotation+0*p.Scale[0])+0*p.Scale[1] == 0
}
