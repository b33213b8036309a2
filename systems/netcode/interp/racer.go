package interp

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
)

// racer blends, in the course of one interval of local time, from the path of the previous packet
// to that of the last one, both evaluated at the server's present.
//
// It differs from the page in four things. Old packets are dropped. The time beyond a packet is
// bounded. The rotation blends along the shorter arc to the last packet's, and does not pass it. If
// a packet arrives before the last blend is complete, the previous path is moved to pass through
// the picture, so no packet makes the picture jump.
type racer struct {
	tracker
	prevPos    mgl32.Vec3 // a point of the previous path ...
	prevAt     time.Duration
	prevVel    mgl32.Vec3
	prevRot    mgl32.Quat
	lastVel    mgl32.Vec3
	blendStart time.Duration // local
}

func (r *racer) Reset() { *r = racer{tracker: tracker{config: r.config}} }

func (r *racer) At(now, view time.Duration) (State, Info) {
	fresh := r.fresh
	raw, info, ok := r.begin(now, view)
	if !ok {
		if !info.Empty {
			r.prevPos, r.prevAt, r.prevVel, r.prevRot = raw.Position, view, raw.Velocity, raw.Rotation
			r.lastVel, r.blendStart = raw.Velocity, now-r.config.Blend
		}
		return raw, info
	}
	if fresh {
		// The new previous path passes through the shown state, with the velocity of the previous
		// packet.
		r.prevPos, r.prevAt, r.prevRot = r.state.Position, r.view, r.state.Rotation
		r.prevVel, r.lastVel = r.lastVel, r.velocity()
		r.blendStart = r.now
	}
	blend := min(max(seconds(now-r.blendStart)/seconds(r.config.Blend), 0), 1)

	s := r.newest()
	reach, weight := r.ahead(view - s.At())
	toLast := s.Position.Add(r.lastVel.Mul(reach))
	mixed := r.prevVel.Mul(1 - blend).Add(r.lastVel.Mul(blend))
	toPrev := r.prevPos.Add(mixed.Mul(seconds(max(view-r.prevAt, 0))))

	raw.Position = toLast
	out := State{
		Position: toPrev.Add(toLast.Sub(toPrev).Mul(blend)),
		Velocity: mixed.Mul(weight),
		Rotation: rotation.Slerp(r.prevRot, raw.Rotation, blend),
	}
	if blend == 1 {
		out.Position = toLast
	}
	out = r.conclude(now, view, raw, out, &info)
	return out, info
}
