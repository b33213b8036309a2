package view

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
)

// Draw draws the client's picture into a part of the frame, given in fractions. The brush must be
// empty, and must not change until the frame has been drawn.
func (c *Client) Draw(f *render.Frame, part render.Rect, brush *scene.Brush) {
	w, h := f.Size.Points()
	orbit := c.camera.orbitFor(w*part.W/(h*part.H), c.set.Still)
	camera, eyes := orbit.Camera(), c.byEyes()
	if eyes != nil {
		camera, orbit.Target = c.eyeCamera(eyes), eyes.pose.Position
	}
	v := f.ViewIn(part, camera)
	c.camera.shown, c.camera.viewport = v.Camera, v.Viewport
	v.Shadow = render.Shadow{Center: orbit.Target, Radius: orbit.Distance * 0.95}
	v.Ground.Fade, v.Ground.Height = 90, -0.15 // below the floor
	p := &painter{client: c, b: brush, t: &f.Theme, c: colorsOf(&f.Theme), v: v, o: &f.Overlay}
	p.level()
	for i := range c.objects {
		v := &c.objects[i]
		if v != eyes { // the camera is in the head
			p.object(v)
		}
		if c.set.Ghosts {
			p.ghost(v)
		}
	}
	if c.Marks {
		p.track()
	}
	p.shots()
	brush.Show(v)
	c.drawOverlay(&f.Overlay, v)
	if c.set.Overlay != settings.OverlayNone {
		p.marks()
	}
}

// object draws a thing or a player.
func (p *painter) object(v *object) {
	switch {
	case v.rep.Archetype == arena.ArchetypePlayer:
		p.player(v)
	case v.rep.Archetype == arena.ArchetypeCrate:
		p.crate(v.pose, int(v.rep.ID))
	case v.rep.Archetype == arena.ArchetypeRocket:
		p.rocket(v)
	case isPlatform(v.rep.Archetype):
		p.platform(v.pose)
	default:
		p.door(v.pose, int(v.rep.Archetype-arena.ArchetypeDoor))
	}
}

// painter draws one picture.
type painter struct {
	client *Client
	b      *scene.Brush
	t      *render.Theme
	c      palette
	v      *render.View
	o      *render.Overlay
	tint   render.Color // of players and crates, in the place of their own colours; zero: none
}

// colorOf returns the colour of a player, by its number.
func (p *painter) colorOf(number uint16) render.Color {
	if p.tint != (render.Color{}) {
		return p.tint
	}
	return p.c.player(number)
}

func (p *painter) level() {
	level := p.client.rules.Level
	half := level.Half
	p.b.Box(render.Solid, mgl32.Vec3{0, -0.1, 0}, mgl32.Vec3{2 * half, 0.2, 2 * half}, p.c.floor)
	for x := -half + 2; x < half; x += 2 {
		p.b.Line(mgl32.Vec3{x, 0.005, -half}, mgl32.Vec3{x, 0.005, half}, p.c.line)
		p.b.Line(mgl32.Vec3{-half, 0.005, x}, mgl32.Vec3{half, 0.005, x}, p.c.line)
	}
	const rim, high = 0.5, 0.9
	for side := -1; side <= 1; side += 2 {
		at := float32(side) * (half + rim/2)
		p.b.Box(render.Solid, mgl32.Vec3{at, high / 2, 0}, mgl32.Vec3{rim, high, 2*half + 2*rim}, p.c.wall)
		p.b.Box(render.Solid, mgl32.Vec3{0, high / 2, at}, mgl32.Vec3{2 * half, high, rim}, p.c.wall)
	}
	for i, box := range level.Blocks {
		color := p.t.Neutral
		if i == 1 {
			color = p.t.Neutral.Mix(p.c.wall, 0.5)
		}
		p.b.Box(render.Solid, box.Center(), box.Size(), color)
	}
	beat := float32(math.Sin(p.client.now().Seconds() * 3))
	for i, portal := range level.Portals {
		color := p.c.portals[i/2%2]
		p.flat(render.Disc, portal.Place.Add(mgl32.Vec3{0, 0.02, 0}), 2*arena.PortalRadius, color.Alpha(0.35))
		p.flat(render.Ring, portal.Place.Add(mgl32.Vec3{0, 0.06, 0}), 2*arena.PortalRadius+0.2, color)
		p.flat(render.Ring, portal.Place.Add(mgl32.Vec3{0, 0.7 + 0.25*beat, 0}), 1.5, color.Alpha(0.7))
		p.flat(render.Ring, portal.Place.Add(mgl32.Vec3{0, 1.3 - 0.25*beat, 0}), 1.2, color.Alpha(0.45))
	}
}

// flat lays a mesh that faces +Z on the floor.
func (p *painter) flat(mesh render.Mesh, at mgl32.Vec3, size float32, color render.Color) {
	p.b.Put(mesh, render.Glow, components.Pose3D{
		Position: at, Rotation: mgl32.QuatRotate(-math.Pi/2, mgl32.Vec3{1, 0, 0}), Scale: mgl32.Vec3{size, size, size},
	}, color)
}

func (p *painter) crate(pose components.Pose3D, id int) {
	color := p.c.wood.Mix(p.t.Neutral, 0.1*float32(id%4))
	if p.tint != (render.Color{}) {
		color = color.Mix(p.tint, 0.75)
	}
	part := pose
	part.Scale = mgl32.Vec3{arena.CrateSize, arena.CrateSize, arena.CrateSize}
	p.b.Put(render.Cube, render.Solid, part, color)
	// Two bands.
	for _, size := range [...]mgl32.Vec3{{1.03, 0.14, 1.03}, {0.14, 1.03, 1.03}} {
		part.Scale = size.Mul(arena.CrateSize)
		p.b.Put(render.Cube, render.Solid, part, color.Mix(p.t.Ink, 0.45))
	}
}

func (p *painter) platform(pose components.Pose3D) {
	const w, h = arena.PlatformWidth, arena.PlatformHeight
	p.b.Box(render.Solid, pose.Position, mgl32.Vec3{w, h, w}, p.c.deck)
	// A bright rim makes the edge visible from above.
	top := pose.Position.Add(mgl32.Vec3{0, h/2 + 0.01, 0})
	const rim, off = 0.22, w/2 - 0.11
	for side := float32(-1); side <= 1; side += 2 {
		p.b.Box(render.Solid, top.Add(mgl32.Vec3{side * off, 0, 0}), mgl32.Vec3{rim, 0.05, w}, p.c.edge)
		p.b.Box(render.Solid, top.Add(mgl32.Vec3{0, 0, side * off}), mgl32.Vec3{w - 2*rim, 0.05, rim}, p.c.edge)
	}
}

func (p *painter) rocket(v *object) {
	ahead := v.pose.Rotation.Rotate(mgl32.Vec3{0, 0, -1})
	along := mgl32.QuatBetweenVectors(mgl32.Vec3{0, 1, 0}, ahead)
	color := p.colorOf(v.rep.Owner)
	p.b.Put(render.Capsule, render.Solid, components.Pose3D{Position: v.pose.Position, Rotation: along, Scale: mgl32.Vec3{0.26, 0.4, 0.26}}, color)
	flame := render.Hex(0xffc23c)
	for k := range 4 { // the flame
		part := float32(k)
		p.b.Ball(render.Glow, v.pose.Position.Sub(ahead.Mul(0.5+0.28*part)), 0.34-0.06*part, flame.Alpha(0.9-0.2*part))
	}
}

// door draws a door, its switch plates and its lamps: grey while it is shut, blue while it is open,
// and a double lamp in orange while a change is announced.
func (p *painter) door(pose components.Pose3D, i int) {
	if i >= len(p.client.rules.Level.Doors) {
		return
	}
	d, now := &p.client.rules.Level.Doors[i], p.client.rules.DoorAt(i, p.client.tick)
	size := d.Shut.Size()
	p.b.Box(render.Solid, pose.Position, size, p.c.deck)
	for _, h := range [...]float32{-0.7, 0, 0.7} {
		p.b.Box(render.Solid, pose.Position.Add(mgl32.Vec3{0, h, 0}), mgl32.Vec3{size[0], 0.16, size[2] + 0.06}, p.c.doorBand)
	}
	lamp, count := p.c.floor, 1
	if now.Open {
		lamp = p.t.Good
	}
	if p.client.rules.DoorAhead(i, p.client.tick) != now {
		lamp, count = p.t.Bad, 2
	}
	for side := float32(-1); side <= 1; side += 2 {
		for k := range count {
			at := d.Shut.Center().Add(mgl32.Vec3{side * (size[0]/2 + 0.2), 0, 0})
			at[1] = 2.75 + 0.35*float32(k)
			p.b.Ball(render.Solid, at, 0.36, lamp)
		}
	}
	for k, at := range d.Plates {
		color, high := p.c.doorBand, float32(0.1)
		for j := range p.client.objects {
			v := &p.client.objects[j]
			if plate, on := d.OnPlate(v.pose.Position); on && plate == k && v.rep.Archetype == arena.ArchetypePlayer {
				color, high = p.t.Bad, 0.04
			}
		}
		p.b.Box(render.Solid, at.Add(mgl32.Vec3{0, high / 2, 0}), mgl32.Vec3{arena.PlateSize, high, arena.PlateSize}, p.c.deck)
		p.b.Box(render.Solid, at.Add(mgl32.Vec3{0, high/2 + 0.01, 0}), mgl32.Vec3{arena.PlateSize - 0.5, high, arena.PlateSize - 0.5}, color)
	}
}

func (p *painter) player(v *object) {
	color := p.colorOf(v.rep.Owner)
	hit := p.client.seen[v.entity].hit
	if since := (p.client.now() - hit).Seconds(); hit > 0 && since < 0.25 {
		flash := render.Hex(0xffd23c)
		color = flash.Mix(color, float32(since/0.25))
		p.b.Ball(render.Glow, v.pose.Position.Add(mgl32.Vec3{0, arena.Height / 2, 0}), 2*float32(1-since), flash.Alpha(0.6*float32(1-since/0.25)))
	}
	at := func(x, y, z float32) mgl32.Vec3 { return v.pose.Apply(mgl32.Vec3{x, y, z}) }
	body := components.Pose3D{Position: at(0, arena.Height/2, 0), Rotation: v.pose.Rotation, Scale: mgl32.Vec3{2 * arena.Radius, arena.Height / 2, 2 * arena.Radius}}
	p.b.Put(render.Capsule, render.Solid, body, color)
	dark := p.t.Ink
	p.b.Put(render.Cube, render.Solid, components.Pose3D{Position: at(0, 1.38, -0.28), Rotation: v.pose.Rotation, Scale: mgl32.Vec3{0.5, 0.18, 0.3}}, dark)
	p.b.Put(render.Cube, render.Solid, components.Pose3D{Position: at(0.3, arena.Muzzle-0.1, -0.45), Rotation: v.pose.Rotation, Scale: mgl32.Vec3{0.14, 0.16, 0.75}}, dark.Mix(color, 0.25))
	if v.own {
		p.flat(render.Ring, v.pose.Position.Add(mgl32.Vec3{0, 0.04, 0}), 1.25, color)
	}
}

// ghost shows an object where the server's newest state has it.
func (p *painter) ghost(v *object) {
	state, ok := p.client.net.Newest(v.rep.ID)
	if !ok {
		return
	}
	// The server sends no states of scripted movers. The ghost of a mover is drawn at the server's
	// current time, and so are the ghosts of its passengers.
	level, now := p.client.rules.Level, (p.client.net.View() + p.client.net.Stats().Delay).Seconds()
	if carrier := p.client.net.Replica(p.client.net.Parent(v.rep.ID)); !carrier.IsZero() {
		state.Position = state.Position.Add(level.Platforms[p.client.replicated.Get(carrier).Archetype-arena.ArchetypePlatform](now))
	}
	pose := components.Pose3D{Position: state.Position, Rotation: state.Rotation, Scale: mgl32.Vec3{1, 1, 1}}
	color := p.t.Accent(4)
	switch {
	case v.rep.Archetype == arena.ArchetypePlayer:
		color = p.c.player(v.rep.Owner)
		pose.Position = pose.Position.Add(mgl32.Vec3{0, arena.Height / 2, 0})
		pose.Scale = mgl32.Vec3{2.1 * arena.Radius, arena.Height / 2, 2.1 * arena.Radius}
		p.b.Put(render.Capsule, render.Ghost, pose, color)
	case v.rep.Archetype >= arena.ArchetypeDoor || v.rep.Archetype == arena.ArchetypeRocket:
		return // they are where a match state or a path has them
	case v.rep.Archetype == arena.ArchetypeCrate:
		if v.pose.Position.Sub(state.Position).Len() < 0.01 {
			return // two cubes in one place would flicker
		}
		pose.Scale = mgl32.Vec3{1, 1, 1}.Mul(arena.CrateSize * 1.03)
		p.edges(pose, color)
	default:
		pose.Position, pose.Rotation = level.Platforms[v.rep.Archetype-arena.ArchetypePlatform](now), mgl32.QuatIdent()
		pose.Scale = mgl32.Vec3{arena.PlatformWidth, arena.PlatformHeight, arena.PlatformWidth}.Mul(1.01)
		p.edges(pose, p.c.edge.Mix(p.t.Ink, 0.35))
	}
	if v.rep.Archetype < arena.ArchetypePlatform {
		lift := mgl32.Vec3{0, 0.9, 0}
		p.b.Line(v.pose.Position.Add(lift), state.Position.Add(lift), color.Alpha(0.7))
	}
}

// edges draws the twelve edges of a unit cube in a pose. The ghost of a box has no faces, because
// they would tint the box behind them.
func (p *painter) edges(pose components.Pose3D, color render.Color) {
	for axis := range 3 {
		for corner := range 4 {
			var from mgl32.Vec3
			from[axis] = -0.5
			from[(axis+1)%3], from[(axis+2)%3] = float32(corner&1)-0.5, float32(corner>>1)-0.5
			to := from
			to[axis] = 0.5
			p.b.Line(pose.Apply(from), pose.Apply(to), color)
		}
	}
}

// shots draws streaks, sparks and rings.
func (p *painter) shots() {
	now := p.client.now()
	for i := range p.client.effects {
		e := &p.client.effects[i]
		if now < e.at {
			continue
		}
		if e.fromMuzzle {
			e.fromMuzzle = false
			e.from = e.to
			for _, v := range p.client.objects {
				if v.rep.Archetype == arena.ArchetypePlayer && v.rep.Owner == e.owner {
					e.from = v.pose.Apply(mgl32.Vec3{0.3, arena.Muzzle - 0.1, -0.8})
				}
			}
		}
		age := float32(float64(now-e.at) / float64(e.length()))
		color := p.colorOf(e.owner)
		switch e.kind {
		case pushes:
			p.flat(render.Ring, e.to.Add(mgl32.Vec3{0, 0.15, 0}), 1+8*age, color.Alpha(0.9*(1-age)))
			p.flat(render.Ring, e.to.Add(mgl32.Vec3{0, 0.3, 0}), 0.6+6*age, color.Alpha(0.6*(1-age)))
			continue
		case blasts:
			flame := render.Hex(0xffc23c)
			p.b.Ball(render.Glow, e.to, 0.8+3.2*age, flame.Alpha(0.8*(1-age)))
			p.b.Ball(render.Glow, e.to, 0.5+1.4*age, flame.Mix(render.Hex(0xffffff), 0.6).Alpha(1-age))
			p.flat(render.Ring, mgl32.Vec3{e.to[0], 0.12, e.to[2]}, 1+2*arena.BlastRadius*age, color.Alpha(0.8*(1-age)))
			continue
		case teleports: // a pillar of light at both places, which thins out
			const high = 3.2
			bright := color.Mix(render.Hex(0xffffff), 0.35)
			p.b.Upright(render.Cylinder, render.Glow, e.to.Add(mgl32.Vec3{0, high / 2, 0}), mgl32.Vec3{0.9 * (1 - age), high, 0.9 * (1 - age)}, bright.Alpha(0.75*(1-age)))
			p.flat(render.Ring, e.to.Add(mgl32.Vec3{0, 0.1, 0}), 0.8+2*age, color.Alpha(0.9*(1-age)))
			continue
		}
		way := e.to.Sub(e.from)
		l := way.Len()
		if l < 0.05 {
			continue
		}
		bright := color.Mix(render.Hex(0xffffff), 0.5)
		beam := components.Pose3D{
			Position: e.from.Add(way.Mul(0.5)), Rotation: mgl32.QuatBetweenVectors(mgl32.Vec3{0, 1, 0}, way.Mul(1/l)),
			Scale: mgl32.Vec3{0.09 * (1 - age), l, 0.09 * (1 - age)},
		}
		p.b.Put(render.Cylinder, render.Glow, beam, bright.Alpha(1-age))
		p.b.Ball(render.Glow, e.from, 0.35*(1-age), bright)
		p.b.Ball(render.Glow, e.to, 0.25+0.3*age, bright.Alpha(1-age))
	}
}
