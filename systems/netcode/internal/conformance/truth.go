package conformance

import "time"

// local returns the client's clock at a true time. trueTime is its inverse. The server's clock
// shows the true time until the server pauses.
func (r *run) local(t time.Duration) time.Duration {
	return r.spec.Network.Epoch + t + time.Duration(float64(t)*r.spec.Network.Drift*1e-6)
}

func (r *run) trueTime(local time.Duration) time.Duration {
	return time.Duration(float64(local-r.spec.Network.Epoch) / (1 + r.spec.Network.Drift*1e-6))
}

// server returns the server's clock at a true time. It stands while the server pauses.
func (r *run) server(t time.Duration) time.Duration {
	p := r.spec.Network.Pause
	switch {
	case t <= p[0] || p[1] <= p[0]:
		return t
	case t < p[1]:
		return p[0]
	}
	return t - (p[1] - p[0])
}

// world returns the state of the child in the world.
func (r *run) world(t float64) Truth {
	p, c := r.motion(t), r.child(t)
	arm := p.Rotation.Rotate(c.Position)
	return Truth{
		Position: p.Position.Add(arm),
		Velocity: p.Velocity.Add(p.Angular.Cross(arm)).Add(p.Rotation.Rotate(c.Velocity)),
		Rotation: p.Rotation.Mul(c.Rotation),
	}
}

// truth returns the correct picture at a time.
func (r *run) truth(at time.Duration) Truth {
	if r.child != nil {
		return r.world(at.Seconds())
	}
	return r.motion(at.Seconds())
}
