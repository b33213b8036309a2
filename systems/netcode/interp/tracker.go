package interp

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
)

// tracker is the common part of the predictive interpolators: the last three samples, newest last,
// their continuation, and the shown state.
type tracker struct {
	config Config
	last   [3]Sample
	count  int
	fresh  bool // a sample has arrived since the last At

	state State // shown
	shown bool
	piece piece
	now   time.Duration // of the last At
	view  time.Duration
}

func (k *tracker) Timing() Timing { return Predictive }

func (k *tracker) Push(_ time.Duration, s Sample) {
	if !s.Valid() || k.count > 0 && s.At() <= k.newest().At() {
		return // a prediction from an older sample would be worse
	}
	s = s.WithDefaults()
	if k.count > 0 && s.piece() != k.newest().piece() {
		k.count = 0
	}
	k.last[0], k.last[1], k.last[2] = k.last[1], k.last[2], s
	k.count = min(k.count+1, len(k.last))
	k.fresh = true
}

func (k *tracker) newest() *Sample { return &k.last[2] }

// begin is the first part of every predictive At. If ok is false, the result is final: there is no
// sample yet, or the body has jumped to raw.
func (k *tracker) begin(now, view time.Duration) (raw State, info Info, ok bool) {
	if k.count == 0 {
		return State{Rotation: mgl32.QuatIdent()}, Info{Time: view, Empty: true}, false
	}
	info.Time, info.Frame = view, k.newest().Frame
	past := view - k.newest().At()
	info.Extrapolated = max(past, 0)
	info.Held = past >= 2*k.config.Horizon && !k.newest().AtRest
	raw = k.predict(view)
	if !k.shown || k.newest().piece() != k.piece {
		info.Discontinuity = true
		raw = k.conclude(now, view, raw, raw, &info)
		return raw, info, false
	}
	return raw, info, true
}

// conclude adds the scale and the part of info that depends on the finished picture, and stores the
// picture.
func (k *tracker) conclude(now, view time.Duration, raw, s State, info *Info) State {
	if q := (point{s.Position, s.Velocity}); !q.finite() {
		// samples a nanosecond and a light-year apart
		s = k.newest().still()
	}
	s.Scale, s.Has = k.newest().Scale, HasScale
	if !info.Discontinuity {
		// It is not extrapolated: that would pass the end of its change, and zero.
		s.Scale = resizeTowards(k.state.Scale, s.Scale, seconds(now-k.now)/seconds(k.config.Blend))
	}
	info.Offset = s.Position.Sub(raw.Position).Len()
	info.Settled = k.newest().AtRest && s.Position == raw.Position && s.Rotation == raw.Rotation && s.Scale == k.newest().Scale
	k.state, k.now, k.view = s, now, view
	k.shown, k.fresh, k.piece = true, false, k.newest().piece()
	return s
}

// velocity returns the velocity of the newest sample. It is computed from the last two positions if
// it was not sent.
func (k *tracker) velocity() mgl32.Vec3 {
	s := k.newest()
	switch {
	case s.AtRest:
		return mgl32.Vec3{}
	case s.Has&HasVelocity != 0:
		return s.Velocity
	case k.count > 1:
		p := &k.last[1]
		return s.Position.Sub(p.Position).Mul(1 / seconds(s.At()-p.At()))
	}
	return mgl32.Vec3{}
}

// acceleration returns the acceleration between the last three samples, or zero if it was not
// constant, since a kink must not be continued.
func (k *tracker) acceleration() mgl32.Vec3 {
	if k.count < 3 {
		return mgl32.Vec3{}
	}
	a, b, c := &k.last[0], &k.last[1], &k.last[2]
	if a.AtRest || b.AtRest || c.AtRest || a.Has&b.Has&c.Has&HasVelocity == 0 {
		return mgl32.Vec3{}
	}
	before := b.Velocity.Sub(a.Velocity).Mul(1 / seconds(b.At()-a.At()))
	last := c.Velocity.Sub(b.Velocity).Mul(1 / seconds(c.At()-b.At()))
	if !agree(last, before) {
		return mgl32.Vec3{}
	}
	return last
}

// ahead returns how far the body moves at unit speed in a time past the newest sample, and the
// share of its speed at that time. The body has full speed up to the horizon, and then slows down
// to a stand over another horizon. For a time before the sample, as from a clock that is a little
// wrong, the distance is the negative time, with the same bound.
func (k *tracker) ahead(t time.Duration) (reach, weight float32) {
	h := k.config.Horizon
	if t <= h {
		return seconds(max(t, -h)), 1
	}
	r, w := slowing(seconds(t-h), seconds(h))
	return seconds(h) + r, w
}

// predict continues the newest sample with its velocity and, if it was steady, its acceleration.
func (k *tracker) predict(view time.Duration) State {
	s := k.newest()
	if s.AtRest {
		return s.still()
	}
	reach, weight := k.ahead(view - s.At())
	v, acc := k.velocity(), k.acceleration()
	return State{
		Position: s.Position.Add(v.Add(acc.Mul(reach / 2)).Mul(reach)),
		Rotation: k.turned(view),
		Velocity: v.Add(acc.Mul(reach)).Mul(weight),
	}
}

// turned continues the newest rotation for at most the configured extrapolation.
func (k *tracker) turned(view time.Duration) mgl32.Quat {
	s := k.newest()
	if s.Has&HasAngularVelocity == 0 || s.AtRest {
		return s.Rotation
	}
	return rotation.Spin(s.Rotation, s.Angular, seconds(min(max(view-s.At(), 0), k.config.Extrapolation)))
}
