package interp

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
)

// decaying predicts from the newest sample alone and shows the prediction plus an offset. The
// offset is the error of the picture at the arrival of the sample. Small offsets shrink slowly, so
// they are not noticed, and large ones shrink fast. The rates are those of Fiedler, "State
// Synchronization": 5 % of the offset per 60th of a second below 0.25 units, 15 % above one unit.
// Here they are applied over time, so the frame rate has no effect.
type decaying struct {
	tracker
	pos, rot mgl32.Vec3
}

const (
	decayNear, decayFar       = 0.25, 1.0 // units
	decayNearRate             = 3.0776    // -60 ln 0.95, per second
	decayFarRate              = 9.7511    // -60 ln 0.85
	decayTurnNear, decayTurnF = 0.2, 1.0  // radians
)

func (d *decaying) Reset() { *d = decaying{tracker: tracker{config: d.config}} }

func (d *decaying) At(now, view time.Duration) (State, Info) {
	fresh := d.fresh
	before, last := d.now, d.view
	raw, info, ok := d.begin(now, view)
	if !ok {
		d.pos, d.rot = mgl32.Vec3{}, mgl32.Vec3{}
		return raw, info
	}
	if fresh {
		right := d.predict(last)
		d.pos = d.state.Position.Sub(right.Position)
		d.rot = rotation.Vector(d.state.Rotation.Mul(right.Rotation.Conjugate()))
	}
	dt := max(now-before, 0).Seconds()
	d.pos = shrink(d.pos, decayNear, decayFar, dt)
	d.rot = shrink(d.rot, decayTurnNear, decayTurnF, dt)
	out := raw
	out.Position = raw.Position.Add(d.pos)
	out.Rotation = rotation.Spin(raw.Rotation, d.rot, 1)
	out = d.conclude(now, view, raw, out, &info)
	return out, info
}

// shrink returns v after dt seconds of decay at a rate that rises with its length between near and
// far.
func shrink(v mgl32.Vec3, near, far float32, dt float64) mgl32.Vec3 {
	l := v.Len()
	if l < gone {
		return mgl32.Vec3{}
	}
	w := min(max((l-near)/(far-near), 0), 1)
	rate := decayNearRate + (decayFarRate-decayNearRate)*float64(w)
	return v.Mul(float32(math.Exp(-rate * dt)))
}
