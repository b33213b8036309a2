package articles

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// seedLinear is PositionCircularBuffer as printed in the article. Its time is [interp.Sample.At].
// Its size, computed for 200 ms at one point per 33 ms, is eight. But one slot marks the end, so
// the buffer holds seven points, 198 ms. The caller's view is already delayed.
//
// Beyond the article it has rotations (slerped, shortest arc), scales and an Info. The only
// discontinuity that it reports is the first.
type seedLinear struct {
	slots       [seedSlots]interp.Sample
	start, next int
	shown       bool
}

const seedSlots = 200/33 + 1 + 1 // ceil(200/33) + 1

func newSeedLinear() *seedLinear {
	r := new(seedLinear)
	r.Reset()
	return r
}

func (r *seedLinear) Timing() interp.Timing { return interp.Delayed }

func (r *seedLinear) Reset() {
	*r = seedLinear{}
	for i := range r.slots {
		r.slots[i].Rotation = mgl32.QuatIdent()
	}
}

func (r *seedLinear) Push(_ time.Duration, s interp.Sample) {
	if !s.Valid() {
		return
	}
	s = s.WithDefaults()
	r.slots[r.next] = s
	r.next = after(r.next)
	if r.next == r.start {
		r.start = after(r.start)
	}
}

func after(i int) int { return (i + 1) % seedSlots }

func (r *seedLinear) At(_, view time.Duration) (interp.State, interp.Info) {
	if r.start == r.next {
		// The article's code interpolates between two slots that were never filled, and divides by
		// zero.
		return interp.State{Rotation: mgl32.QuatIdent()}, interp.Info{Time: view, Empty: true}
	}
	for s := after(r.start); r.slots[s].At() < view && s != r.next; s = after(s) {
		r.start = s
	}
	info := interp.Info{Time: view, Discontinuity: !r.shown}
	r.shown = true
	first, second := &r.slots[r.start], &r.slots[after(r.start)]
	info.Frame = first.Frame
	if first.At() >= view || after(r.start) == r.next {
		// There is no next point, or the view is before the oldest point.
		info.Starved, info.Held = true, true
		if past := view - first.At(); past > 0 {
			info.Extrapolated = past
		}
		return interp.State{Position: first.Position, Rotation: first.Rotation, Scale: first.Scale, Has: interp.HasScale}, info
	}
	h := seconds(second.At() - first.At())
	alpha := seconds(view-first.At()) / h
	v := second.Position.Sub(first.Position)
	return interp.State{
		Position: first.Position.Add(v.Mul(alpha)),
		Rotation: rotation.Slerp(first.Rotation, second.Rotation, alpha),
		Velocity: v.Mul(1 / h),
		Scale:    first.Scale.Add(second.Scale.Sub(first.Scale).Mul(alpha)),
		Has:      interp.HasScale,
	}, info
}
