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

// Camera moves at the bodies' speed by the normal clock, independent of any body. So only bodies
// shake in the picture, never the camera.
func (s *Lanes) Camera(now ecs.Time) render.Orbit {
	x := float32(speed * now.Normal.Seconds())
	return render.Orbit{
		Target:   mgl32.Vec3{x - 1.7, 0, -lanePitch * 1.66},
		Yaw:      0.1,
		Pitch:    0.78,
		Distance: 22, MinDistance: 3, MaxDistance: 80,
		FOV: 0.5,
	}
}

// Draw draws lanes, gates, bodies and their trails.
func (s *Lanes) Draw(p *scene.Picture) {
	x := float32(speed * p.Now.Normal.Seconds())
	p.View.Ground.Cell = gatePitch / 3.0
	p.View.Ground.Height = -laneHeight
	raw, smooth := p.Theme.Accent(accentRaw), p.Theme.Accent(accentSmooth)
	for i, l := range s.lanes {
		front := i == len(s.lanes)-1
		s.drawTrack(p, l, x, front)
		drawBody(p, l.bodies.Visual(l.raw), raw)
		drawBody(p, l.bodies.Visual(l.smooth), smooth)
		if p.Ghosts {
			p.Brush.Put(render.Cube, render.Ghost, sized(l.bodies.Logical(l.smooth), 1.04), smooth)
			logical, visual := l.bodies.Logical(l.smooth).Position, l.bodies.Visual(l.smooth).Position
			p.Brush.Line(visual, logical, smooth.Alpha(0.8))
		}
		drawTrail(p, l.rawTrail, raw)
		drawTrail(p, l.smoothTrail, smooth)

		if rate := l.engine.Time().Rate; rate != l.labelled {
			l.labelled, l.label = rate, fmt.Sprintf("%d Hz", rate)
			if front {
				l.label += ", as set"
			}
		}
		p.Label(mgl32.Vec3{x + 2.3, 0.25, l.z}, p.Theme.Text, l.label)
	}
	// Labels at the ends of the trails of the lowest rate, which differ most.
	back := s.lanes[0]
	p.Label(mgl32.Vec3{x - 5.5, -0.1, back.z - pairPitch/2}, raw.Mix(p.Theme.Text, 0.5), "raw")
	text, color := "interpolated", smooth
	if !s.poses.Enabled() {
		text, color = "interpolation is off", raw
	}
	p.Label(mgl32.Vec3{x - 6.3, -0.1, back.z + pairPitch/2 + 0.3}, color.Mix(p.Theme.Text, 0.5), text)
}

// laneHeight is the height of the lanes above the ground, large enough for visible sides.
const laneHeight = 0.22

// drawTrack draws a lane as a slab that moves with the camera, and fixed gates across it.
func (s *Lanes) drawTrack(p *scene.Picture, l *lane, x float32, front bool) {
	const behind, ahead = 14, 9
	color := p.Theme.Ground.Mix(p.Theme.Neutral, 0.4)
	if front {
		color = p.Theme.Ground.Mix(p.Theme.Accent(accentSmooth), 0.22)
	}
	p.Brush.Box(render.Solid, mgl32.Vec3{x + (ahead-behind)/2, -laneHeight / 2, l.z}, mgl32.Vec3{behind + ahead, laneHeight, lanePitch * 0.86}, color)
	first := int(math.Ceil(float64(x-behind) / gatePitch))
	last := int(math.Floor(float64(x+ahead) / gatePitch))
	for k := first; k <= last; k++ {
		at := float32(k * gatePitch)
		// Very flat, because sides thinner than a pixel would flicker.
		p.Brush.Box(render.Solid, mgl32.Vec3{at, 0, l.z}, mgl32.Vec3{0.09, 0.012, lanePitch * 0.86}, p.Theme.Neutral.Mix(p.Theme.Text, 0.4))
	}
}

func drawBody(p *scene.Picture, pose components.Pose3D, color render.Color) {
	p.Brush.Put(render.Cube, render.Solid, sized(pose, 1), color)
}

func sized(pose components.Pose3D, factor float32) components.Pose3D {
	pose.Scale = pose.Scale.Mul(bodySize * factor)
	return pose
}

// drawTrail draws one spot on the ground per mark.
func drawTrail(p *scene.Picture, t *scene.Trail, color render.Color) {
	t.Each(p.Now.Normal, func(m scene.Mark, age float32) {
		size := 0.17 * (1 - age*0.75)
		p.Brush.Spot(mgl32.Vec3{m.Place[0], 0.035, m.Place[2]}, mgl32.Vec3{0, 1, 0}, size, color)
	})
}
