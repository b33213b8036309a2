package interp

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
)

// buffered draws a delayed view on the path through a body's samples. [Default], [Linear],
// [Hermite] and [GuardedHermite] differ only in the form of a segment. Cuts, starvation, re-entry
// and rest are the same.
type buffered struct {
	config Config
	buf    sampleBuffer
	draw   draw
	offset offset

	// The last answer.
	shown    bool
	now      time.Duration
	view     time.Duration
	revision uint32 // of the buffer
	target   place  // without the offset
}

// place is the state of the path at one view time.
type place struct {
	State
	piece   piece
	beyond  time.Duration // how far past the newest sample of a body not at rest
	resting bool          // on or behind the newest sample, which rests
	early   bool
}

func newBuffered(c Config, d draw) *buffered {
	b := &buffered{config: c, draw: d}
	b.buf.init(c.Capacity)
	return b
}

func (b *buffered) Timing() Timing { return Delayed }

func (b *buffered) Push(_ time.Duration, s Sample) { b.buf.Push(s) }

func (b *buffered) Reset() {
	b.buf.Clear()
	b.offset = offset{}
	b.shown = false
}

func (b *buffered) At(now, view time.Duration) (State, Info) {
	if b.buf.Len() == 0 {
		return State{Rotation: mgl32.QuatIdent()}, Info{Time: view, Empty: true}
	}
	target := b.path(view)
	jump := !b.shown || target.piece != b.target.piece
	if !jump {
		jump = b.rebase(now, view, &target)
	}
	if jump {
		b.offset = offset{}
	} else {
		b.offset.decay(seconds(now - b.now))
	}
	b.shown, b.now, b.view, b.revision, b.target = true, now, view, b.buf.revision, target
	b.buf.Evict(view)

	return b.offset.apply(target.State), Info{
		Time:          view,
		Frame:         target.piece.frame,
		Extrapolated:  target.beyond,
		Offset:        b.offset.pos.Len(),
		Early:         target.early,
		Starved:       target.beyond > 0,
		Held:          target.beyond >= b.config.Extrapolation && target.beyond > 0,
		Discontinuity: jump,
		Settled:       target.resting && !b.offset.active,
	}
}

// path evaluates the samples alone.
func (b *buffered) path(view time.Duration) place {
	i := b.buf.Find(view)
	if i < 0 {
		s := b.buf.At(0)
		return place{State: s.still(), piece: s.piece(), early: true}
	}
	s := b.buf.At(i)
	past := view - s.At()
	p := place{piece: s.piece()}
	switch {
	case i == b.buf.Len()-1:
		p.State = beyond(&b.buf, &b.config, i, past)
		p.resting = s.AtRest
		if !s.AtRest {
			p.beyond = past
		}
	case !joined(&b.buf, i):
		// The body jumps at some time before the next sample. Until then its motion is continued.
		p.State = beyond(&b.buf, &b.config, i, past)
	case past == 0:
		p.State = s.still()
		p.Velocity = velocity(&b.buf, i, i)
	default:
		e := b.buf.At(i + 1)
		q := b.draw(&b.buf, &b.config, i, view)
		if !q.finite() { // samples a nanosecond and a light-year apart
			q = point{p: s.Position}
		}
		p.State = State{
			Position: q.p, Velocity: q.v, Rotation: rotation.Slerp(s.Rotation, e.Rotation, seconds(past)/seconds(e.At()-s.At())),
			Scale: resized(s, e, &b.config, view), Has: HasScale,
		}
	}
	return p
}

// jumpBeyond is the distance, in units, beyond which a body that stood during an outage is moved to
// its place at once. A glide would show it far from its place for a long time, or at an impossible
// speed.
const jumpBeyond = 2

// rebase moves the difference between the last picture and the path with the new samples into the
// offset. The causes of differences are the extrapolation of a starved body, a new sample within a
// segment, and a view that was set forwards. It reports whether the difference is better shown as a
// jump.
func (b *buffered) rebase(now, view time.Duration, target *place) (jump bool) {
	step := now - b.now
	// of view time; the speed of a view that follows a clock differs by at most a tenth
	skipped := view - b.view - step
	if skipped < step/2+20*time.Millisecond {
		skipped = 0
	}
	if b.buf.revision == b.revision && skipped == 0 {
		return false
	}
	was := b.target
	is := b.path(b.view + skipped)
	if step > b.config.ResumeAfter && b.config.ResumeAfter > 0 || is.early && !was.early {
		// The last call is long ago, or the samples begin after the last picture.
		return true
	}
	if is.piece != was.piece {
		return false // the jump is within the step; the caller has compared the ends
	}
	apart := was.Position.Sub(is.Position)
	turned := rotation.Vector(was.Rotation.Mul(is.Rotation.Conjugate()))
	resized := was.Scale.Sub(is.Scale)
	if apart == (mgl32.Vec3{}) && turned.Len() < gone && resized.Len() < gone {
		return false
	}
	outage := was.beyond + skipped
	if outage > b.config.ResumeAfter {
		return true
	}
	if outage > 0 && outage >= b.config.Extrapolation { // it stood, in the wrong place
		if b.offset.pos.Add(apart).Len() > jumpBeyond {
			return true
		}
		if skipped > 0 {
			b.offset.add(apart, turned, resized, float32(math.Inf(1)))
			return false
		}
	}
	b.offset.add(apart, turned, resized, max(was.Velocity.Len(), is.Velocity.Len()))
	return false
}
