package lanes

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
)

// Camera stands still and looks along the lanes' whole length, from so far that all lanes are about
// equally long in the picture.
func (s *Lanes) Camera(ecs.Time) render.Orbit {
	return render.Orbit{
		Target:   mgl32.Vec3{0, 0, -lanePitch * 1.22},
		Pitch:    0.82,
		Distance: 67, MinDistance: 8, MaxDistance: 200,
		FOV: 0.18,
	}
}

// Draw draws lanes, gates, bodies and their trails.
func (s *Lanes) Draw(p *scene.Picture) {
	p.View.Ground.Cell = gatePitch
	p.View.Ground.Height = -laneHeight
	p.View.Shadow = render.Shadow{Center: mgl32.Vec3{0, 0, -lanePitch * 1.5}, Radius: 13}
	raw, smooth := p.Theme.Accent(accentRaw), p.Theme.Accent(accentSmooth)
	now := speed * p.Now.Normal.Seconds()
	for i, l := range s.lanes {
		front := i == len(s.lanes)-1
		s.drawTrack(p, l, front)
		for k := -2; k <= 1; k++ {
			at := float32(float64(k)*period - math.Floor(now/period)*period)
			drawBody(p, l.bodies.Visual(l.raw), at, raw)
			drawBody(p, l.bodies.Visual(l.smooth), at, smooth)
			if p.Ghosts {
				drawGhost(p, l.bodies.Logical(l.smooth), l.bodies.Visual(l.smooth), at, smooth)
			}
			drawTrail(p, l.rawTrail, at, raw)
			drawTrail(p, l.smoothTrail, at, smooth)
		}
		if rate := l.engine.Time().Rate; rate != l.labelled {
			l.labelled, l.label = rate, fmt.Sprintf("%d Hz", rate)
			if front {
				l.label += ", as set"
			}
		}
		p.Label(mgl32.Vec3{-labelAt, 0, l.z + 0.3}, p.Theme.Text, l.label)
	}
	// The rear lane has the lowest rate, at which the two differ most.
	rear := s.lanes[0]
	p.Label(mgl32.Vec3{-wayAt, 0, rear.z - pairPitch/2 + 0.3}, raw.Mix(p.Theme.Text, 0.4), "raw")
	text, color := "interpolated", smooth
	if !s.poses.Enabled() {
		text, color = "interpolation is off", raw
	}
	p.Label(mgl32.Vec3{-wayAt, 0, rear.z + pairPitch/2 + 0.3}, color.Mix(p.Theme.Text, 0.4), text)
}

const (
	laneHalf = 15.0 // from the middle of a lane to its end: beyond the edge of a usual picture
	labelAt  = 8.6  // from the middle of a lane to the label of its rate
	wayAt    = 6.8  // from there to the labels of the two ways
)

// laneHeight is the height of the lanes above the ground, large enough for visible sides.
const laneHeight = 0.22

// drawTrack draws a lane as a slab with gates across it.
func (s *Lanes) drawTrack(p *scene.Picture, l *lane, front bool) {
	color := p.Theme.Ground.Mix(p.Theme.Neutral, 0.4)
	if front {
		color = p.Theme.Ground.Mix(p.Theme.Accent(accentSmooth), 0.22)
	}
	p.Brush.Box(render.Solid, mgl32.Vec3{0, -laneHeight / 2, l.z}, mgl32.Vec3{2 * laneHalf, laneHeight, lanePitch * 0.9}, color)
	for x := float32(-laneHalf + gatePitch/2); x < laneHalf; x += gatePitch {
		// Very flat, because sides thinner than a pixel would flicker.
		p.Brush.Box(render.Solid, mgl32.Vec3{x, 0, l.z}, mgl32.Vec3{0.09, 0.012, lanePitch * 0.9}, p.Theme.Neutral.Mix(p.Theme.Text, 0.4))
	}
}

// onLane moves a place along a lane, and reports whether it is on the lane then.
func onLane(place mgl32.Vec3, by float32) (mgl32.Vec3, bool) {
	place[0] += by
	return place, place[0] > -laneHalf && place[0] < laneHalf
}

// drawBody draws a body moved along its lane.
func drawBody(p *scene.Picture, pose components.Pose3D, by float32, color render.Color) {
	if at, ok := onLane(pose.Position, by); ok {
		pose.Position = at
		p.Brush.Put(render.Cube, render.Solid, sized(pose, 1), color)
	}
}

// drawGhost draws a logical pose moved along its lane, and a line to it from the drawn one.
func drawGhost(p *scene.Picture, logical, visual components.Pose3D, by float32, color render.Color) {
	at, ok := onLane(logical.Position, by)
	from, _ := onLane(visual.Position, by)
	if ok {
		logical.Position = at
		p.Brush.Put(render.Cube, render.Ghost, sized(logical, 1.04), color)
		p.Brush.Line(from, at, color.Alpha(0.8))
	}
}

func sized(pose components.Pose3D, factor float32) components.Pose3D {
	pose.Scale = pose.Scale.Mul(bodySize * factor)
	return pose
}

// drawTrail draws one spot on the ground per mark, moved along the lane.
func drawTrail(p *scene.Picture, t *scene.Trail, by float32, color render.Color) {
	t.Each(p.Now.Normal, func(m scene.Mark, age float32) {
		if at, ok := onLane(m.Place, by); ok {
			p.Brush.Spot(mgl32.Vec3{at[0], 0.035, at[2]}, mgl32.Vec3{0, 1, 0}, 0.24*(1-age*0.75), color)
		}
	})
}
