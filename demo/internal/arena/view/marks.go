package view

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/render"
)

// marks draws what stands out of the scene over it: the own player's outline behind walls, names,
// and the cross. They give way to the panels, which have been drawn.
func (p *painter) marks() {
	for i := range p.client.objects {
		switch v := &p.client.objects[i]; {
		case v == p.client.byEyes():
			r := p.v.Viewport
			p.drawCross(r.X+r.W/2, r.Y+r.H/2, p.t.Ink)
		case v.own:
			p.outline(v)
			p.tag(v) // in its place, before the others
			if p.client.Cross {
				p.cross(v)
			}
		}
	}
	for i := range p.client.objects {
		if v := &p.client.objects[i]; !v.own && v.rep.Archetype == arena.ArchetypePlayer {
			p.tag(v)
		}
	}
}

// tag writes name and health above a player's head.
func (p *painter) tag(v *object) {
	x, y, ok := p.v.Project(v.pose.Apply(mgl32.Vec3{0, arena.Height + 0.35, 0}))
	if !ok {
		return
	}
	name, number := p.client.nameIn(v)
	if v.name != "" {
		name, number = v.name, 0
	}
	const bar = 34
	line := p.o.LineHeight(render.TextSmall)
	text := p.o.Width(render.TextSmall, name)
	if number > 0 {
		text += 7
	}
	w := max(text, bar) + 4
	at, ok := p.o.Place(render.Rect{X: x - w/2, Y: y - line - 3, W: w, H: line + 9}, p.v.Viewport.Inset(3))
	if !ok {
		return
	}
	x, y = at.X+w/2, at.Y+line+3
	color := p.c.player(v.rep.Owner)
	p.o.RoundRect(render.Rect{X: x - bar/2 - 1, Y: y - 1, W: bar + 2, H: 6}, p.t.Panel)
	p.o.Meter(render.Rect{X: x - bar/2, Y: y, W: bar, H: 4}, float32(v.pawn.Health)/arena.FullHealth, p.c.onPanel(v.rep.Owner, color))
	left, top := x-text/2, y-line-2
	write := func(dx, dy float32, color render.Color) {
		w := p.o.At(left+dx, top+dy, render.TextSmall, color).Str(name)
		if number > 0 {
			w.Uint(number)
		}
	}
	// A light outline keeps dark letters readable on any background.
	for _, d := range [...][2]float32{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		write(d[0], d[1], p.c.floor.Alpha(0.7))
	}
	write(0, 0, p.t.Ink)
}

// cross marks the point at which a shot of the own player would end. It is orange on a player.
func (p *painter) cross(v *object) {
	me, ok := p.client.net.State()
	if !ok {
		return
	}
	shot := arena.Shot{From: v.pose.Position.Add(mgl32.Vec3{0, arena.Muzzle, 0}), Direction: arena.Direction(me.Yaw, me.Pitch)}
	reach, victim := p.client.sight(shot, arena.HitRadius, p.client.rules.Reach(shot, p.client.tick))
	x, y, ok := p.v.Project(shot.At(reach))
	if !ok {
		return
	}
	color := p.t.Ink
	if victim != 0 {
		color = p.t.Bad
	}
	p.drawCross(x, y, color)
}

// drawCross draws a cross.
func (p *painter) drawCross(x, y float32, color render.Color) {
	const inner, outer = 5, 12 // points from the middle
	for _, pen := range [...]struct {
		width float32
		color render.Color
	}{{4.5, p.c.floor.Alpha(0.7)}, {2, color}} {
		for _, d := range [...][2]float32{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
			p.o.Line(x+d[0]*inner, y+d[1]*inner, x+d[0]*outer, y+d[1]*outer, pen.width, pen.color)
		}
	}
	p.o.Dot(x, y, 1.5, color)
}

// outline draws the parts of a player's outline that walls, doors or platforms hide.
func (p *painter) outline(v *object) {
	camera := &p.v.Camera
	right := camera.Right()
	up := right.Cross(camera.Forward())
	var last [2]float32
	drawn := false
	point := func(angle float64, height float32) {
		sin, cos := math.Sincos(angle)
		out := right.Mul(float32(cos)).Add(up.Mul(float32(sin))).Mul(arena.Radius)
		at := v.pose.Position.Add(mgl32.Vec3{0, height, 0}).Add(out)
		x, y, ok := p.v.Project(at)
		if ok = ok && p.hidden(at); ok && drawn {
			p.o.Line(last[0], last[1], x, y, 4.5, p.c.floor.Alpha(0.6))
			p.o.Line(last[0], last[1], x, y, 2, p.c.player(v.rep.Owner))
		}
		last, drawn = [2]float32{x, y}, ok
	}
	// Round the head, down one side, round the feet, up the other side.
	const points = 12
	const low, high = arena.Radius, arena.Height - arena.Radius
	for half := range 2 {
		from, to, begin := float32(high), float32(low), math.Pi*float64(half)
		if half == 1 {
			from, to = to, from
		}
		for i := range points + 1 {
			point(begin+math.Pi*float64(i)/points, from)
		}
		for i := 1; i <= points; i++ {
			point(begin+math.Pi, from+(to-from)*float32(i)/points)
		}
	}
}

// hidden reports whether something large stands between a point and the camera.
func (p *painter) hidden(at mgl32.Vec3) bool {
	way := p.v.Camera.Position.Sub(at)
	sight := arena.Shot{From: at, Direction: way.Mul(1 / way.Len())}
	level := p.client.rules.Level
	for _, b := range level.Blocks {
		if d, met := sight.Box(b); met && d > 0 {
			return true
		}
	}
	for i := range p.client.objects {
		v := &p.client.objects[i]
		var size mgl32.Vec3
		switch {
		case isPlatform(v.rep.Archetype):
			size = mgl32.Vec3{arena.PlatformWidth, arena.PlatformHeight, arena.PlatformWidth}
		case v.rep.Archetype >= arena.ArchetypeDoor:
			size = level.Doors[int(v.rep.Archetype-arena.ArchetypeDoor)%len(level.Doors)].Shut.Size()
		default:
			continue
		}
		if d, met := sight.Box(arena.Box{Min: v.pose.Position.Sub(size.Mul(0.5)), Max: v.pose.Position.Add(size.Mul(0.5))}); met && d > 0 {
			return true
		}
	}
	return false
}
