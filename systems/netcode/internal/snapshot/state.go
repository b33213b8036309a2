package snapshot

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// State is the motion of an entity at a tick, relative to its parent if it has one, else to the
// world. [Config] sets the parts that are sent, their resolutions and their ranges. A value beyond
// its range is clamped to it.
type State struct {
	Position mgl32.Vec3 // units of distance
	Rotation mgl32.Quat // need not be normalised; without a direction it counts as the identity
	Velocity mgl32.Vec3 // units per second; zero if Config.Velocity is off
	// radians per second about the axes of the frame; zero if Config.Angular is off
	Angular mgl32.Vec3
	Scale   Scale // on the axes of the entity's own frame: see ScaleOf

	// AtRest states that the entity stays at exactly this pose until a later state. Velocities are
	// then not sent, and are zero.
	AtRest bool

	// Discontinuity counts the teleports and respawns of the entity, modulo 256: between two states
	// whose counters differ nothing must be interpolated. A counter, unlike a flag, survives the
	// loss of the packet that carried the jump.
	Discontinuity uint8

	// Age is how much older than the tick the state is, if a server moves players on their own
	// clocks as inputs arrive; otherwise it is zero. It is sent in eighths of a tick, up to 31. A
	// change of the age alone is not sent.
	Age time.Duration
}

// record is an entity's state as it is sent. Records are compared with ==.
type record struct {
	present       uint64 // bit i: has component i
	position      [3]int32
	parent        ID
	owner         uint16
	rotation      [3]int16
	velocity      [3]int16
	angular       [3]int16
	scale         Scale
	largest       uint8
	discontinuity uint8
	rest          bool
}

// samePose reports whether two records say the same but for owner and components.
func (r *record) samePose(o *record) bool {
	a := *r
	a.present, a.owner = o.present, o.owner
	return a == *o
}
