package lab

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/render"
)

const (
	laneEnd   = reach + 0.8 // beyond the middle of a lane, on either side
	laneWidth = lanePitch * 0.86
)

// laneColor returns the colour of a lane by its index. There are more lanes than accents, so
// related kinds share an accent in two shades. The naive kind is orange and the default blue, as
// raw and interpolated bodies are in the other scenes.
func laneColor(theme *render.Theme, lane int) render.Color {
	shades := [...]struct {
		accent int
		text   float32 // share of the text's colour
	}{{0, 1}, {2, 0}, {0, 0}, {3, 0}, {4, 0}, {4, 0.45}, {5, 0}, {5, 0.45}, {6, 0}, {7, 0.25}, {1, 0}}
	s := shades[lane%len(shades)]
	return theme.Accent(s.accent).Mix(theme.Text, s.text)
}

// Draw draws the lanes, and the panel of their figures beside them.
func (s *Lab) Draw(p *scene.Picture) {
	p.View.Ground.Height = -0.4 // well below the lanes, because the camera is far away
	p.View.Shadow = render.Shadow{Center: mgl32.Vec3{}, Radius: 1.3 * laneEnd}
	for _, l := range s.lanes {
		s.drawLane(p, l)
	}
	truth := s.visual(s.lanes[0]).Position[0]
	first, last := s.lanes[0].z, s.lanes[len(s.lanes)-1].z
	p.Brush.Line(mgl32.Vec3{truth, 0.08, first}, mgl32.Vec3{truth, 0.08, last + laneWidth/2}, p.Theme.Ink.Alpha(0.75))
	if p.Labels {
		s.drawPanel(p)
	}
}

func (s *Lab) drawLane(p *scene.Picture, l *lane) {
	color := laneColor(p.Theme, l.color)
	ground := p.Theme.Ground.Mix(p.Theme.Neutral, 0.5)
	if l == s.lanes[len(s.lanes)-1] {
		ground = ground.Mix(color, 0.25)
	}
	p.Brush.Box(render.Solid, mgl32.Vec3{0, -0.2, l.z}, mgl32.Vec3{2 * laneEnd, 0.4, laneWidth}, ground)
	for x := float32(-8); x <= 8; x += 2 {
		// Very flat, because sides thinner than a pixel would flicker.
		p.Brush.Box(render.Solid, mgl32.Vec3{x, 0, l.z}, mgl32.Vec3{0.06, 0.02, laneWidth}, p.Theme.Neutral.Mix(p.Theme.Ink, 0.2))
	}
	if !l.started {
		return
	}
	l.trail.Each(p.Now.Normal, func(m scene.Mark, age float32) {
		p.Brush.Spot(m.Place.Add(mgl32.Vec3{0, 0.06, l.z + laneWidth*0.36}), mgl32.Vec3{0, 1, 0}, 0.24*(1-0.6*age), color)
	})
	p.Brush.Put(render.Cube, render.Solid, sized(s.visual(l), 1), color)
	if l != s.lanes[0] {
		truth := s.path.at(l.claim)
		p.Brush.Put(render.Cube, render.Ghost, sized(l.pose(mgl32.Vec3{float32(truth.x)}, truth.rotation()), 1.06), p.Theme.Ink)
	}
	if p.Ghosts {
		logical, visual := s.logical(l), s.visual(l)
		p.Brush.Put(render.Cube, render.Ghost, sized(logical, 1.02), color)
		p.Brush.Line(visual.Position, logical.Position, color.Alpha(0.8))
	}
}

func sized(pose components.Pose3D, factor float32) components.Pose3D {
	pose.Scale = pose.Scale.Mul(bodySize * factor)
	return pose
}
