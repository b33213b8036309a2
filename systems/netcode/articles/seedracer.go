package articles

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// seedRacer is RNetworkInfo::PredictLinear as printed on the page, without the Limiter, which is
// not printed there. A packet of any age becomes the last one.
type seedRacer struct {
	interval     time.Duration
	prev, last   interp.Sample
	lastSim      time.Duration
	has, started bool
}

func (r *seedRacer) Timing() interp.Timing { return interp.Predictive }

func (r *seedRacer) Push(now time.Duration, s interp.Sample) {
	if !s.Valid() {
		return
	}
	s = s.WithDefaults()
	r.prev, r.last, r.lastSim = r.last, s, now
	if !r.has {
		r.prev, r.has = s, true
	}
}

func (r *seedRacer) Reset() { *r = seedRacer{interval: r.interval} }

func (r *seedRacer) At(now, view time.Duration) (interp.State, interp.Info) {
	if !r.has {
		return interp.State{Rotation: mgl32.QuatIdent()}, interp.Info{Time: view, Empty: true}
	}
	info := interp.Info{Time: view, Frame: r.last.Frame, Discontinuity: !r.started, Extrapolated: max(view-r.last.At(), 0)}
	r.started = true
	raw := seconds(now-r.lastSim) / seconds(r.interval)
	blend := min(max(raw, 0), 1)

	v := r.prev.Velocity.Mul(1 - blend).Add(r.last.Velocity.Mul(blend))
	toLast := r.last.Position.Add(r.last.Velocity.Mul(seconds(view - r.last.At())))
	toPrev := r.prev.Position.Add(v.Mul(seconds(view - r.prev.At())))
	return interp.State{
		Position: toLast.Mul(blend).Add(toPrev.Mul(1 - blend)),
		Rotation: rotation.SlerpBeyond(r.prev.Rotation, r.last.Rotation, raw),
		Velocity: v,
		Scale:    r.prev.Scale.Add(r.last.Scale.Sub(r.prev.Scale).Mul(blend)), // the page has none
		Has:      interp.HasScale,
	}, info
}
