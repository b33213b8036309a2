package interp

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
)

// Has is the set of the optional fields of a [Sample] that were sent, or of a [State] that were
// computed.
type Has uint8

const (
	// HasVelocity marks Sample.Velocity as sent. Without it, algorithms that need velocities
	// compute them from the positions.
	HasVelocity Has = 1 << iota
	// HasAngularVelocity marks Sample.Angular as sent. Without it a rotation is never extrapolated.
	HasAngularVelocity
	// HasScale marks Sample.Scale as sent, or State.Scale as computed, also if it is zero. A sample
	// without it has a scale of 1. A client shows the newest sample's scale for a state without it.
	HasScale
)

// Sample is one body's state in one snapshot, in the frame of the body's parent, or of the world if
// it has no parent.
type Sample struct {
	// Time is the server time of the snapshot: the edge of the tick that it shows.
	Time time.Duration

	// Age is how much older than the snapshot this body's state is, like the platformer article's
	// serverDelta. A server that applies inputs on arrival moves every player on that player's own
	// clock. The age is zero if the server steps all bodies together. A negative age counts as
	// zero.
	Age time.Duration

	Position mgl32.Vec3
	Rotation mgl32.Quat // need not be normalised; without a direction it counts as the identity
	Velocity mgl32.Vec3 // units per second; used only with HasVelocity
	// radians per second about the axes of the parent's frame; used only with HasAngularVelocity
	Angular mgl32.Vec3
	// per axis of the body's own frame; negative mirrors, zero is a point; used only with HasScale
	Scale mgl32.Vec3
	Has   Has

	// Discontinuity counts the body's teleports and respawns, modulo 256. Between two samples whose
	// counters differ nothing is ever interpolated. A counter, unlike a flag, survives the loss of
	// the packet that carried the jump.
	Discontinuity uint8

	// Frame names the frame that the pose is relative to, by a number of the caller's choice: the
	// parent's, for example, and zero for the world. Between two samples of different frames
	// nothing is interpolated either. [Info.Frame] is the frame of a State.
	Frame uint32

	// AtRest reports that the body rests and stays at exactly this pose until a later sample. A
	// resting body without new samples is not starved.
	AtRest bool
}

// At returns the server time that the state belongs to: Time less Age.
func (s *Sample) At() time.Duration {
	if s.Age > 0 {
		return s.Time - s.Age
	}
	return s.Time
}

// WithDefaults returns the sample with a rotation of unit length, and with a scale of 1 if none was
// sent. An [Interpolator] does this first.
func (s Sample) WithDefaults() Sample {
	s.Rotation = rotation.Unit(s.Rotation)
	if s.Has&HasScale == 0 {
		s.Scale, s.Has = mgl32.Vec3{1, 1, 1}, s.Has|HasScale
	}
	return s
}

// still returns the state of a body that stands where the sample is.
func (s *Sample) still() State {
	return State{Position: s.Position, Rotation: s.Rotation, Scale: s.Scale, Has: s.Has & HasScale}
}

// piece is equal for two samples between which a body can be interpolated.
type piece struct {
	frame   uint32
	counter uint8
}

func (s *Sample) piece() piece { return piece{s.Frame, s.Discontinuity} }

// These are the bounds of a valid sample. Beyond them float32 and int64 arithmetic on differences
// overflows.
const (
	farthest = 1e12
	latest   = time.Duration(1) << 60 // 36 years
)

// Valid reports whether a sample is fit for arithmetic: no field is infinite, not a number, or
// above 1e12, and no time is more than 36 years from zero. Interpolators ignore other samples,
// which a faulty or hostile sender may cause.
func (s *Sample) Valid() bool {
	if s.Time > latest || s.Time < -latest || s.Age > latest {
		return false
	}
	ok := s.Rotation.W-s.Rotation.W == 0 // false for infinities and for NaN
	for i := range 3 {
		ok = ok && within(s.Position[i]) && within(s.Velocity[i]) && within(s.Angular[i]) && within(s.Scale[i]) && s.Rotation.V[i]-s.Rotation.V[i] == 0
	}
	return ok
}

func within(x float32) bool { return x > -farthest && x < farthest }

// finite reports whether a point can be drawn.
func (q *point) finite() bool {
	return within(q.p[0]) && within(q.p[1]) && within(q.p[2]) && q.v.Sub(q.v) == mgl32.Vec3{}
}

// State is a drawn pose and its velocities.
type State struct {
	Position mgl32.Vec3
	Rotation mgl32.Quat // unit length
	Velocity mgl32.Vec3 // units per second of view time, for sound, animation and effects
	Scale    mgl32.Vec3 // used only with HasScale
	Has      Has        // HasScale or nothing
}

// Info describes how a [State] was computed.
type Info struct {
	// Time is the server time that the state claims to show.
	Time time.Duration

	// Frame is the frame of the state: that of the sample from which it was computed.
	Frame uint32

	// Extrapolated is how far beyond the newest sample Time lies, zero within the samples. A
	// predictive interpolator always extrapolates.
	Extrapolated time.Duration

	// Offset is the length of the error offset still shown, in units of distance.
	Offset float32

	// Empty: no sample has arrived. The state is the zero position without rotation and must not be
	// drawn.
	Empty bool

	// Early: the view lies before the first sample, so the body does not exist yet. The state is
	// that of the first sample.
	Early bool

	// Starved: a delayed view has passed the newest sample of a body that was not known to rest.
	Starved bool

	// Held: the view is so far past the newest sample that extrapolation has ended and the body
	// stands still.
	Held bool

	// Discontinuity: the step from the last state to this one is a jump, not a motion: the first
	// state of all, a teleport, another frame, or the end of an outage too long to smooth over.
	// Write the logical pose by Teleport.
	Discontinuity bool

	// Settled: the body rests, and the state is exactly the newest sample's.
	Settled bool
}

// Timing is the kind of view time that an interpolator draws and that its At takes.
type Timing uint8

const (
	// Delayed interpolators draw between samples. Their view is far enough in the past that there
	// is a sample on either side of it, see [Playback].
	Delayed Timing = iota
	// Predictive interpolators draw the server's present. It is their view.
	Predictive
	// Newest interpolators draw the newest sample, or move towards it. They ignore the view.
	Newest
)

// Interpolator computes poses from one body's samples. It is not safe for concurrent use. Push and
// At do not allocate.
type Interpolator interface {
	// Push takes a sample that arrived at now, in any order. It ignores duplicates, samples too old
	// to matter, and those that are not [Sample.Valid].
	Push(now time.Duration, s Sample)

	// At returns the pose to show at now. The view is a server time: the playback time for a
	// [Delayed] interpolator, the best estimate of the server's present for a [Predictive] one.
	// Neither time may run backwards from call to call.
	At(now, view time.Duration) (State, Info)

	// Timing returns which view At takes. It never changes.
	Timing() Timing

	// Reset drops all samples and all smoothing. The next sample counts as the first one.
	Reset()
}
