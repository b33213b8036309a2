package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/render"
)

const (
	drumDeep = 0.62 // from the bodies' plane to the middle of the drum's back, in units
	ringTube = 0.04 // radius of the tube of a render.Ring, as a share of the ring's outer diameter
)

// Draw draws the drum twice.
func (s *Physics) Draw(p *scene.Picture) {
	r := float32(s.radius)
	p.View.Ground.Height = -r * 1.19
	p.View.Shadow = render.Shadow{Center: mgl32.Vec3{0, 0, 0}, Radius: r * 2.6}
	side := r * 1.22
	// To mix a colour for each body would take a third of the picture's time in a browser.
	for i := range s.colors {
		s.colors[i] = p.Theme.Accent(i)
		if i != 0 { // bodies without marks are paler
			s.colors[i] = s.colors[i].Mix(p.Theme.Neutral, 0.45)
		}
	}
	s.drawDrum(p, mgl32.Vec3{-side, 0, 0}, s.bodies.Logical, s.marks[0][:])
	s.drawDrum(p, mgl32.Vec3{side, 0, 0}, s.bodies.Visual, s.marks[1][:])
	text := "interpolated"
	color := p.Theme.Good
	if !s.poses.Enabled() {
		text, color = "interpolation is off", p.Theme.Bad
	}
	p.Heading(mgl32.Vec3{-side, r * 0.7, 0.3}, p.Theme.Bad, "raw: as simulated")
	p.Heading(mgl32.Vec3{side, r * 0.7, 0.3}, color, text)
}

func (s *Physics) drawDrum(p *scene.Picture, center mgl32.Vec3, poseOf func(arche.Entity) components.Pose2D, marks []*scene.Trail) {
	// The ring's inner edge is the drum's wall. The edge of the back lies in the middle of the
	// ring's tube, because light through a gap would be visible in the drum's shadow.
	outer := 2 * float32(s.radius) / (1 - 4*ringTube)
	p.Brush.Upright(render.Ring, render.Solid, center, mgl32.Vec3{outer, outer, drumDeep / ringTube}, p.Theme.Accent(7))
	across := outer * (1 - 2*ringTube)
	p.Brush.Put(render.Cylinder, render.Solid, components.Pose3D{
		Position: center.Add(mgl32.Vec3{0, 0, -drumDeep}),
		Rotation: mgl32.QuatRotate(math.Pi/2, mgl32.Vec3{1, 0, 0}),
		Scale:    mgl32.Vec3{across, 0.3, across},
	}, p.Theme.Ground.Mix(p.Theme.Neutral, 0.5))
	s.drawWheel(p, center, poseOf(s.wheel.entity))
	for _, it := range s.items {
		pose, logical := upright(poseOf(it.entity)), upright(s.bodies.Logical(it.entity))
		pose.Position, logical.Position = pose.Position.Add(center), logical.Position.Add(center)
		mesh := render.Cube
		if it.round {
			mesh = render.Sphere
		}
		p.Body(mesh, pose, logical, mgl32.Vec3{it.size, it.size, it.size}, s.colors[it.accent])
	}
	mark := p.Theme.Accent(0).Mix(p.Theme.Text, 0.25)
	for k := range min(marked, len(s.items)) {
		marks[k].Each(p.Now.Normal, func(m scene.Mark, age float32) {
			at := m.Place.Add(center).Add(mgl32.Vec3{0, 0, 0.5})
			p.Brush.Spot(at, mgl32.Vec3{0, 0, 1}, 0.18*(1-0.7*age), mark)
		})
	}
}

func (s *Physics) drawWheel(p *scene.Picture, center mgl32.Vec3, pose components.Pose2D) {
	wheel := upright(pose)
	wheel.Position = wheel.Position.Add(center)
	long := 2 * float32(s.radius) * wheelArm
	for _, size := range [...]mgl32.Vec3{{long, wheelThick, 0.7}, {wheelThick, long, 0.7}} {
		wheel.Scale = size
		p.Brush.Put(render.Cube, render.Solid, wheel, p.Theme.Neutral)
	}
	hub := wheel
	hub.Rotation = hub.Rotation.Mul(mgl32.QuatRotate(math.Pi/2, mgl32.Vec3{1, 0, 0}))
	hub.Scale = mgl32.Vec3{0.6, 0.8, 0.6}
	p.Brush.Put(render.Cylinder, render.Solid, hub, p.Theme.Accent(7))
}
