package orbits

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/render"
)

const orbitSegments = 72

// Draw draws the bodies, their orbits, and the ship with its path.
func (s *Orbits) Draw(p *scene.Picture) {
	p.View.Ground.Height = -2.2
	p.View.Ground.Cell = 2
	p.View.Shadow = render.Shadow{Center: mgl32.Vec3{0, -1, 0}, Radius: 11}
	// The light comes from above the sun, so that shadows on the ground point away from it.
	p.Theme.Key.Lamp = mgl32.Vec3{0, 7, 0}
	sun := p.Theme.Accent(2)
	p.Brush.Ball(render.Glow, s.shown(p, s.sun).Position, 2, sun.Mix(p.Theme.Text, 0.25))
	for _, b := range s.bodies {
		color := p.Theme.Accent(b.accent)
		pose := s.shown(p, b.entity)
		p.Body(render.Sphere, pose, s.logical(b.entity), mgl32.Vec3{b.size, b.size, b.size}, color)
		if b.name == "Violet" {
			ring := pose
			ring.Scale = mgl32.Vec3{b.size * 1.75, b.size * 1.75, b.size * 0.4}
			ring.Rotation = pose.Rotation.Mul(mgl32.QuatRotate(math.Pi/2-0.3, mgl32.Vec3{1, 0, 0}))
			p.Brush.Put(render.Ring, render.Solid, ring, sun)
		}
		s.drawOrbit(p, b, pose.Position, color)
		if b.around == "" {
			p.Label(pose.Position.Add(mgl32.Vec3{0, b.size*0.5 + 0.1, 0}), p.Theme.Text, b.name)
		}
	}
	s.drawShip(p)
}

// drawOrbit draws the circle of a body's orbit around the parent's current place, in the arm's
// plane.
func (s *Orbits) drawOrbit(p *scene.Picture, b body, at mgl32.Vec3, color render.Color) {
	center := s.shown(p, b.center)
	plane := center.Rotation.Mul(b.plane())
	x, z := plane.Rotate(mgl32.Vec3{b.radius, 0, 0}), plane.Rotate(mgl32.Vec3{0, 0, -b.radius})
	// The line is brightest right behind the body.
	offset := at.Sub(center.Position)
	phase := math.Atan2(float64(offset.Dot(z)), float64(offset.Dot(x)))
	last := at
	for i := 1; i <= orbitSegments; i++ {
		sin, cos := math.Sincos(phase - 2*math.Pi*float64(i)/orbitSegments)
		next := center.Position.Add(x.Mul(float32(cos))).Add(z.Mul(float32(sin)))
		alpha := 0.12 + 0.6*(1-float32(i)/orbitSegments)
		p.Brush.Line(last, next, color.Alpha(alpha))
		last = next
	}
}

func (s *Orbits) drawShip(p *scene.Picture) {
	color := p.Theme.Accent(0)
	pose, parent := s.shown(p, s.ship.entity), s.ship.parent()
	p.Body(render.Cone, pose, s.logical(s.ship.entity), mgl32.Vec3{shipLength * 0.45, shipLength, shipLength * 0.45}, color)
	p.Brush.Fade(pose.Position, s.shown(p, parent.entity).Position, color, color.Alpha(0.15))
	var last mgl32.Vec3
	begun := false
	path := s.ship.path
	if p.Raw {
		path = s.ship.raw
	}
	path.Each(p.Now.Normal, func(m scene.Mark, age float32) {
		if begun {
			p.Brush.Line(last, m.Place, color.Alpha(1-age))
		}
		last, begun = m.Place, true
	})
	p.LabelBelow(pose.Position.Sub(mgl32.Vec3{0, 0.3, 0}), color.Mix(p.Theme.Text, 0.5), "ship: child of "+parent.name)
}
