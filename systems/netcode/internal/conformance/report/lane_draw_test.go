package report

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// fitted is a lane with its state in a run.
type fitted struct {
	lane
	body, child interp.Interpolator
	prev, cur   shown // the two samples that frames are blended from
	prevT, curT time.Duration
	started     bool
	jumped      bool // since the last frame
	viewed      bool
	lastView    time.Duration
	lastAt      time.Duration
	measure     measures
}

// shown is the state of a lane at one instant.
type shown struct {
	position, childPosition mgl64.Vec3
	rotation, childRotation mgl64.Quat
	claim                   time.Duration
	info                    interp.Info
}

// fixed runs one fixed step: every lane is sampled at the step's end.
func (r *run) fixed(end time.Duration) {
	v, ok := r.clocks.at(end)
	if !ok {
		return
	}
	for i := range r.lanes {
		if l := &r.lanes[i]; !l.perFrame() {
			r.ask(i, end, v[l.Clock])
			l.prevT = end - tickLength
		}
	}
}

// ask samples a lane and stores the result as the newer of the two samples, or as both after a
// jump.
func (r *run) ask(i int, at, view time.Duration) {
	l := &r.lanes[i]
	next := shown{childRotation: upright}
	if l.Clock == clockLocal {
		next.claim = r.server(r.trueTime(at))
		t := r.motion(next.claim.Seconds())
		next.position, next.rotation = t.Position, t.Rotation
		next.info.Discontinuity = l.started && t.Discontinuity != r.motion(l.cur.claim.Seconds()).Discontinuity
		if r.child != nil {
			c := r.child(next.claim.Seconds())
			next.childPosition, next.childRotation = c.Position, c.Rotation
		}
	} else {
		state, info := l.body.At(at, view)
		if info.Empty {
			return
		}
		next.position, next.rotation, next.info = vec64(state.Position), quat64(state.Rotation), info
		next.claim = r.claim(l, info.Time, at)
		if r.child != nil {
			c, ci := l.child.At(at, view)
			if ci.Empty {
				return
			}
			next.childPosition, next.childRotation = vec64(c.Position), quat64(c.Rotation)
			next.info.Starved = info.Starved || ci.Starved
			if ci.Time != info.Time {
				l.measure.Torn++
			}
		}
	}
	warm := r.trueTime(at) > warmUp
	if warm && r.spec.Step != nil {
		r.spec.Step(i, at, view, &next.info)
	}
	if l.views() && l.viewed && at > l.lastAt && warm && !(l.Clock == clockFollow && r.clocks.playback.Waiting()) {
		l.measure.rate(float64(view-l.lastView) / float64(at-l.lastAt))
	}
	l.viewed, l.lastView, l.lastAt = true, view, at
	l.prev, l.prevT, l.cur, l.curT = l.cur, l.curT, next, at
	if !l.started || next.info.Discontinuity {
		l.prev = next
		l.jumped = true
	}
	l.started = true
	if warm {
		p, _ := r.compose(&l.cur)
		t := r.truth(l.cur.claim)
		l.measure.step(p.Sub(t.Position), t.Discontinuity != 0)
	}
}

// claim returns the server time that a lane's picture claims to show.
func (r *run) claim(l *fitted, claimed, local time.Duration) time.Duration {
	switch {
	case l.Clock == clockLog5:
		return claimed + r.clocks.pllFirst
	case l.body != nil && l.body.Timing() == interp.Predictive:
		// measured against the true present, not the clock's estimate
		return r.server(r.trueTime(local))
	}
	return claimed
}

// compose returns the pose in the world.
func (r *run) compose(s *shown) (mgl64.Vec3, mgl64.Quat) {
	if r.child == nil {
		return s.position, s.rotation
	}
	return s.position.Add(s.rotation.Rotate(s.childPosition)), s.rotation.Mul(s.childRotation)
}

// draw blends every lane's picture for the frame and measures it.
func (r *run) draw(local, now time.Duration) {
	if v, ok := r.clocks.atFrame(local); ok {
		for i := range r.lanes {
			if l := &r.lanes[i]; l.perFrame() {
				r.ask(i, local, v[l.Clock])
				l.prev = l.cur
			}
		}
	}
	if r.spec.Truth != nil {
		r.spec.Truth(r.server(now), r.truth(r.server(now)))
	}
	for i := range r.lanes {
		l := &r.lanes[i]
		if !l.started {
			continue
		}
		s := l.cur
		if span := l.curT - l.prevT; span > 0 && l.prev != l.cur {
			s = between(&l.prev, &l.cur, float64(local-l.prevT)/float64(span))
		}
		f := laneFrame{Now: r.server(now), Claim: s.claim, Jumped: l.jumped, Info: l.cur.info, Truth: r.truth(s.claim)}
		f.Drawn, f.Turn = r.compose(&s)
		l.jumped = false
		if now > warmUp {
			l.measure.frame(&f, r.top.at(f.Claim.Seconds()), r.dt)
			if r.spec.Watch != nil {
				r.spec.Watch(i, &f)
			}
		}
	}
}

// between is the synchronizer's rule: frames are blended linearly between the two samples. Local
// poses are blended separately.
func between(a, b *shown, t float64) shown {
	return shown{
		position:      a.position.Add(b.position.Sub(a.position).Mul(t)),
		childPosition: a.childPosition.Add(b.childPosition.Sub(a.childPosition).Mul(t)),
		rotation:      blend(a.rotation, b.rotation, t),
		childRotation: blend(a.childRotation, b.childRotation, t),
		claim:         a.claim + time.Duration(t*float64(b.claim-a.claim)),
	}
}

var upright = mgl64.QuatIdent()

func quat64(q mgl32.Quat) mgl64.Quat {
	return mgl64.Quat{W: float64(q.W), V: vec64(q.V)}
}

// blend is the rule for rotations: shortest arc, unit length. Between two fixed steps the arc is
// small, so a straight line is as good as an arc.
func blend(a, b mgl64.Quat, t float64) mgl64.Quat {
	if a.Dot(b) < 0 {
		b = b.Scale(-1)
	}
	return a.Scale(1 - t).Add(b.Scale(t)).Normalize()
}
