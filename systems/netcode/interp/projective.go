package interp

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
)

// projective is projective velocity blending. One path is projected from the shown state, with a
// velocity that blends into the new one. Another path is projected from the newest sample. The
// position blends from the first path to the second in the course of one interval. Both paths have
// the newest acceleration.
type projective struct {
	tracker
	from  State
	start time.Duration // local
	view0 time.Duration
	blend bool
}

func (p *projective) Reset() { *p = projective{tracker: tracker{config: p.config}} }

func (p *projective) At(now, view time.Duration) (State, Info) {
	fresh := p.fresh
	raw, info, ok := p.begin(now, view)
	if !ok {
		p.blend = false
		return raw, info
	}
	if fresh {
		p.from, p.start, p.view0, p.blend = p.state, p.now, p.view, true
	}
	out := raw
	if t := seconds(now-p.start) / seconds(p.config.Blend); p.blend && t < 1 {
		t = max(t, 0)
		dt := seconds(max(view-p.view0, 0))
		acc := mgl32.Vec3{}
		if !p.newest().AtRest {
			acc = p.acceleration()
		}
		v := p.from.Velocity.Add(p.velocity().Sub(p.from.Velocity).Mul(t))
		old := p.from.Position.Add(v.Add(acc.Mul(dt / 2)).Mul(dt))
		out = State{
			Position: old.Add(raw.Position.Sub(old).Mul(t)),
			Rotation: rotation.Slerp(p.from.Rotation, raw.Rotation, t),
		}
		if step := seconds(view - p.tracker.view); step > 0 {
			out.Velocity = out.Position.Sub(p.state.Position).Mul(1 / step)
		} else {
			out.Velocity = p.state.Velocity
		}
	}
	out = p.conclude(now, view, raw, out, &info)
	return out, info
}
