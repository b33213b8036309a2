package netcode

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/record"
)

// Relayed marks a replicated entity of a server whose motion comes from another server. The server
// sends the pose of its Transform3D with these values, and does not derive velocities and jumps
// from its writes. It changes neither. Clients draw the entity, and [Player.Rewind] puts it, where
// it was Age ago. Remove the component when the entity's motion becomes this server's own: it goes
// on without a jump.
type Relayed struct {
	// Age is how much older the pose is than the end of the present step, at least 0. Clients get
	// at most 31 eighths of a tick.
	Age      time.Duration
	Velocity mgl32.Vec3 // units of length per second, in the frame of the Parent
	Angular  mgl32.Vec3 // radians per second about the axes of its frame
	// Discontinuity counts the jumps of the entity, as that of [snapshot.State].
	Discontinuity uint8
	AtRest        bool // it stays exactly there until a later pose
}

// relay takes over the motion of a relayed entity, with its pose as it was written.
func (t *replicationStates) relay(tr *replicationState, r *Relayed, written *record.Record[components.Pose3D]) {
	pose := *written.Value()
	if !r.AtRest || !tr.isRelayed || *r != tr.relayed || pose != tr.last {
		t.dirty.set(tr.id.Slot())
	}
	tr.isRelayed, tr.relayed, tr.last = true, *r, pose
	tr.velocity, tr.angular, tr.jumps, tr.rests = r.Velocity, r.Angular, r.Discontinuity, r.AtRest
}

// maxRelayedAge is the greatest age of a pose in the history, in ticks: what clients get.
const maxRelayedAge = 4

// relayedAge returns the age of an entity's pose in 1/16 ticks.
func (s *Server[S, I]) relayedAge(tr *replicationState) int64 {
	if !tr.isRelayed {
		return 0
	}
	step := s.engine.Time().FixedDelta
	age := min(max(tr.relayed.Age, 0), maxRelayedAge*step)
	return (int64(age)<<viewBits + int64(step)/2) / int64(step)
}

// between returns the pose of an entity at the moment of the view, from moments whose poses have
// ages. The first one is of the tick before the view.
func (r *rewound[S, I]) between(id EntityID) (pose components.Pose3D, from *moment) {
	h, now := &r.server.history, int64(r.server.engine.Time().Tick)
	var low, high *moment
	for k := r.from; k <= min(now, r.from+maxRelayedAge+1) && high == nil; k++ {
		m := &h.row(k)[id.Slot()]
		switch {
		case m.tick != k || m.id != id:
		case m.at() <= r.view || low == nil:
			low = m
		default:
			high = m
		}
	}
	if high == nil || high.jumps != low.jumps || high.parent != low.parent {
		return low.pose, low
	}
	share := float32(r.view-low.at()) / float32(high.at()-low.at())
	return components.Blend3D(low.pose.Normalize(), high.pose.Normalize(), share), low
}

// at returns the time of a moment's pose, in 1/16 ticks.
func (m *moment) at() int64 { return m.tick<<viewBits - m.age }
