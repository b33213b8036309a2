package interp

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
)

// spline follows a cubic. When a packet arrives, the cubic begins at the shown position with the
// shown velocity. One interval later it reaches the position and velocity that the last packets
// predict for that time. After that it follows the prediction. The Racer page mentions a splined
// variant without describing it. This is the usual form since P. Caldwell's "Defeating Lag with
// Cubic Splines".
type spline struct {
	tracker
	from, to   State
	start, end time.Duration // server time
}

func (p *spline) Reset() { *p = spline{tracker: tracker{config: p.config}} }

func (p *spline) At(now, view time.Duration) (State, Info) {
	fresh := p.fresh
	raw, info, ok := p.begin(now, view)
	if !ok {
		p.start, p.end = view, view
		return raw, info
	}
	if fresh {
		p.from, p.start = p.state, p.view
		p.end = p.view + p.config.Blend
		p.to = p.predict(p.end)
	}
	out := raw
	if view < p.end {
		h, t := seconds(p.end-p.start), seconds(max(view-p.start, 0))
		q := cubic(p.from.Position, p.from.Velocity, p.to.Position, p.to.Velocity, h, t)
		out = State{Position: q.p, Velocity: q.v, Rotation: rotation.Slerp(p.from.Rotation, raw.Rotation, t/h)}
	}
	out = p.conclude(now, view, raw, out, &info)
	return out, info
}
