package interp

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// seedRing is PositionCircularBuffer as the article prints it, on [Sample.At] where it takes a
// time. Its size is computed for 200 ms at one point per 33 ms and comes to eight, but one slot
// marks the end: it holds seven points, 198 ms. The delay is the caller's business here: the view
// is already in the past.
//
// Beyond the article it only carries rotations (slerped, shortest arc) and says how it is doing. It
// never reports a discontinuity but the first.
type seedRing struct {
	slots       [seedSlots]Sample
	start, next int
	shown       bool
}

const seedSlots = 200/33 + 1 + 1 // ceil(200/33) + 1

func newSeedRing() *seedRing {
	r := new(seedRing)
	r.Reset()
	return r
}

func (r *seedRing) Reset() {
	*r = seedRing{}
	for i := range r.slots {
		r.slots[i].Rotation = mgl32.QuatIdent()
	}
}

func (r *seedRing) Push(_ time.Duration, s Sample) {
	if !s.sound() {
		return
	}
	s.Rotation = unit(s.Rotation)
	r.slots[r.next] = s
	r.next = after(r.next)
	if r.next == r.start {
		r.start = after(r.start)
	}
}

func after(i int) int { return (i + 1) % seedSlots }

func (r *seedRing) At(_, view time.Duration) (State, Info) {
	if r.start == r.next {
		// The article's code interpolates between two slots never filled and divides by zero.
		return State{Rotation: mgl32.QuatIdent()}, Info{Time: view, Empty: true}
	}
	for s := after(r.start); r.slots[s].At() < view && s != r.next; s = after(s) {
		r.start = s
	}
	info := Info{Time: view, Discontinuity: !r.shown}
	r.shown = true
	first, second := &r.slots[r.start], &r.slots[after(r.start)]
	info.Frame = first.Frame
	if first.At() >= view || after(r.start) == r.next {
		// Nothing to interpolate to, or the view has left the ring at the old end.
		info.Starved, info.Held = true, true
		if past := view - first.At(); past > 0 {
			info.Extrapolated = past
		}
		return State{Position: first.Position, Rotation: first.Rotation}, info
	}
	h := seconds(second.At() - first.At())
	alpha := seconds(view-first.At()) / h
	v := second.Position.Sub(first.Position)
	return State{
		Position: first.Position.Add(v.Mul(alpha)),
		Rotation: slerp(first.Rotation, second.Rotation, alpha),
		Velocity: v.Mul(1 / h),
	}, info
}
