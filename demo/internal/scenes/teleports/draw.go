package teleports

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/render"
)

// Accents of the theme.
const (
	accentUnmarked = 2
	accentMarked   = 1
	accentOut      = 5
	accentIn       = 4
	accentGate     = 7
)

// Draw draws both groups and their smears.
func (s *Teleports) Draw(p *scene.Picture) {
	for _, g := range s.groups {
		color := p.Theme.Accent(accentMarked)
		if !g.marked {
			color = p.Theme.Accent(accentUnmarked)
		}
		g.drawSet(p)
		g.drawBody(p, render.Capsule, g.walker.entity, mgl32.Vec3{0.5, 0.5, 0.5}, color)
		for _, j := range g.runners {
			g.drawBody(p, render.Cube, j.entity, mgl32.Vec3{0.6, 0.6, 0.6}, color)
		}
		g.drawBody(p, render.Cube, g.spawned.entity, mgl32.Vec3{0.55, 0.55, 0.55}, color)
		g.drawShades(p)
	}
	marked, unmarked := s.groups[0], s.groups[1]
	heading := mgl32.Vec3{0, 1.9, rowZ(rowPortal) - 0.8}
	p.Heading(heading.Add(mgl32.Vec3{marked.left + length/2, 0, 0}), p.Theme.Good, "marked as jumps")
	p.Heading(heading.Add(mgl32.Vec3{unmarked.left + length/2, 0, 0}), p.Theme.Bad, "not marked")
	for row, text := range [...][2]string{{"portal: Teleport", "portal: Set"}, {"wrap-around: Shift", "wrap-around: Set"}, {"spawn: new entity", "spawn: reused with Set"}} {
		at, label := mgl32.Vec3{0, -0.1, rowZ(row) + 1.15}, p.Label
		if v := p.View.Viewport; v.H > v.W { // names are as high as rows there, but rows far apart
			at[2], label = rowZ(row)+0.65, p.LabelBelow
		}
		label(at.Add(mgl32.Vec3{marked.left + length/2, 0, 0}), p.Theme.Text, text[0])
		label(at.Add(mgl32.Vec3{unmarked.left + length/2, 0, 0}), p.Theme.Text, text[1])
	}
}

func (g *group) drawBody(p *scene.Picture, mesh render.Mesh, e arche.Entity, size mgl32.Vec3, color render.Color) {
	p.Body(mesh, g.bodies.Visual(e), g.bodies.Logical(e), size, color)
}

// drawSet draws the fixed parts: tracks, portals, gates, pads.
func (g *group) drawSet(p *scene.Picture) {
	middle := g.left + length/2
	strip := p.Theme.Ground.Mix(p.Theme.Neutral, 0.45)
	for row := range 3 {
		p.Brush.Box(render.Solid, mgl32.Vec3{middle, 0, rowZ(row)}, mgl32.Vec3{length + 0.6, 0.012, 1.3}, strip)
	}
	facing := mgl32.QuatRotate(math.Pi/2, mgl32.Vec3{0, 1, 0})
	ring := func(x float32, color render.Color) {
		pose := components.Pose3D{Position: mgl32.Vec3{x, 0.72, rowZ(rowPortal)}, Rotation: facing, Scale: mgl32.Vec3{1.5, 1.5, 1.5}}
		p.Brush.Put(render.Ring, render.Glow, pose, color)
		pose.Scale = mgl32.Vec3{1.4, 1.4, 1.4}
		p.Brush.Put(render.Disc, render.Glass, pose, color.Alpha(0.3))
	}
	ring(g.left, p.Theme.Accent(accentIn))
	ring(g.left+length, p.Theme.Accent(accentOut))
	for _, x := range [...]float32{g.left, g.left + length} {
		p.Brush.Box(render.Glass, mgl32.Vec3{x, 0.5, rowZ(rowWrap)}, mgl32.Vec3{0.06, 1, 1.3}, p.Theme.Accent(accentGate).Alpha(0.45))
	}
	for pad := range pads {
		p.Brush.Upright(render.Cylinder, render.Solid, mgl32.Vec3{g.left + padX(pad), 0.04, rowZ(rowSpawn)}, mgl32.Vec3{0.95, 0.08, 0.95}, p.Theme.Accent(7))
	}
}

// drawShades draws the smeared poses.
func (g *group) drawShades(p *scene.Picture) {
	color := p.Theme.Accent(accentUnmarked)
	for row := range g.smears {
		mesh, size := render.Cube, float32(0.6)
		if row == rowPortal {
			mesh, size = render.Capsule, 0.5
		}
		g.smears[row].shades.Each(p.Now.Normal, func(m scene.Mark, age float32) {
			p.Brush.Upright(mesh, render.Glass, m.Place, mgl32.Vec3{size, size, size}, color.Alpha(0.45*(1-age)))
		})
	}
}
