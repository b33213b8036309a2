package main

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/render"
)

// colors are those of the zones. They differ for most colour-blind people, too, and each zone has
// its number beside its colour.
var colors = [len(allZones)]render.Color{
	render.Hex(0xe08214), render.Hex(0x2e86c1), render.Hex(0xb8529a), render.Hex(0x2f7d5b),
}

// theme is the arena's, without the ground's grid.
func theme() render.Theme {
	t := view.Theme()
	t.GridMinor, t.GridMajor = t.GridMinor.Alpha(0), t.GridMajor.Alpha(0)
	return t
}

// draw draws a frame.
func (c *scene) draw(surface render.Surface, w *world) error {
	f := c.frame
	f.Begin(surface.Size())
	if f.Size.Empty() {
		return nil
	}
	c.brush.Reset()
	orbit := c.orbit
	if width, height := f.Size.Points(); width < 1.45*height { // the panels are beside the floor
		orbit.Distance *= 1.45 * height / max(width, 1)
	}
	camera := orbit.Camera() // without perspective, as a map
	camera.Ortho, camera.Near = 2*orbit.Distance*float32(math.Tan(render.DefaultFOV/2)), max(orbit.Distance/100, 0.2)
	v := f.View(camera)
	v.Shadow = render.Shadow{Radius: edge * 1.5}
	v.Ground.Fade, v.Ground.Height = 250, -0.15
	var canvas [len(allZones)]*view.Canvas
	for i, e := range c.eyes {
		canvas[i] = e.Canvas(f, v, &c.brush)
	}
	canvas[0].Floor()
	var states [len(allZones)]status
	for i, p := range c.supervisor.places {
		states[i] = p.status()
		c.land(i, states[i].running)
	}
	for _, k := range c.known {
		color := colors[k.zone]
		if !states[k.zone].running {
			color = color.Mix(f.Theme.Neutral, 0.75)
		}
		if k.shown.IsPlayer() {
			c.mark(k.shown.Pose.Position, color)
		}
		canvas[k.eye].Thing(k.shown, color)
	}
	for i := range canvas {
		for _, t := range c.rockets[i] {
			canvas[i].Thing(t, colors[i])
		}
		canvas[i].Effects(colors[i])
	}
	for i := range c.flashes {
		c.flash(&c.flashes[i])
	}
	c.brush.Show(v)
	c.labels(&f.Overlay, v, states)
	c.panels(&f.Overlay, w, states)
	return surface.Draw(f)
}

// land draws the land of a zone: a tint, and the border.
func (c *scene) land(i int, runs bool) {
	z, color, share := &allZones[i], colors[i], float32(0.13)
	if !runs {
		color, share = render.Hex(0x303840), 0.42
	}
	const gap = 0.12
	size := mgl32.Vec3{z.max[0] - z.min[0] - 2*gap, 0.01, z.max[1] - z.min[1] - 2*gap}
	c.brush.Box(render.Glow, z.middle().Add(mgl32.Vec3{0, 0.012, 0}), size, color.Alpha(share))
	// A band of the zone's colour runs along the inner side of its borders.
	const band = 0.3
	toMiddle := mgl32.Vec3{float32(math.Copysign(1, float64(z.middle()[0]))), 0, float32(math.Copysign(1, float64(z.middle()[2])))}
	solid := colors[i]
	if !runs {
		solid = solid.Mix(render.Hex(0x303840), 0.6)
	}
	c.brush.Box(render.Glow, mgl32.Vec3{toMiddle[0] * (gap + band/2), 0.05, z.middle()[2]}, mgl32.Vec3{band, 0.02, edge}, solid)
	c.brush.Box(render.Glow, mgl32.Vec3{z.middle()[0], 0.05, toMiddle[2] * (gap + band/2)}, mgl32.Vec3{edge, 0.02, band}, solid)
}

// mark draws a disc with a rim under a player, so that it is seen from far above.
func (c *scene) mark(at mgl32.Vec3, color render.Color) {
	at[1] += 0.04
	c.ring(render.Disc, at, 2.3, color.Alpha(0.35))
	at[1] += 0.02
	c.ring(render.Ring, at, 2.5, color)
}

// ring lays a flat mesh on the floor.
func (c *scene) ring(mesh render.Mesh, at mgl32.Vec3, size float32, color render.Color) {
	c.brush.Put(mesh, render.Glow, components.Pose3D{
		Position: at, Rotation: mgl32.QuatRotate(-math.Pi/2, mgl32.Vec3{1, 0, 0}), Scale: mgl32.Vec3{size, size, size},
	}, color)
}

// flash draws a hand-over: a ring and a pillar of light that go from the old owner's colour to the
// new one's, at the entity.
func (c *scene) flash(f *flash) {
	age := float32(c.now-f.at) / float32(flashTime)
	place := f.place
	if k := c.known[f.name]; k != nil {
		place = k.shown.Pose.Position
	}
	color := colors[f.from].Mix(colors[f.to], min(3*age, 1))
	low := mgl32.Vec3{place[0], 0.1, place[2]}
	c.ring(render.Ring, low, 2.5+5*age, color.Alpha(0.95*(1-age)))
	c.ring(render.Ring, low, 1.5+2.6*age, color.Alpha(0.7*(1-age)))
	const high = 5
	c.brush.Upright(render.Cylinder, render.Glow, mgl32.Vec3{place[0], high / 2, place[2]}, mgl32.Vec3{0.5 * (1 - age), high, 0.5 * (1 - age)}, color.Alpha(0.7*(1-age)))
}

// labels writes over the land of a zone that is not simulated what has happened to it.
func (c *scene) labels(o *render.Overlay, v *render.View, states [len(allZones)]status) {
	for i := range allZones {
		s := &states[i]
		if s.running {
			continue
		}
		x, y, ok := v.Project(allZones[i].middle())
		if !ok {
			continue
		}
		head, text := "begins", "it takes the zone and asks the others"
		if s.event != "" {
			head = fmt.Sprintf("%s, %.1f s ago", s.event, s.since.Seconds())
			if s.event == "stopped" {
				text = "another process takes the zone when the lease is over: 15 s"
			} else {
				text = "it begins again from its checkpoint"
			}
		}
		width := max(o.Width(render.TextBody, head), o.Width(render.TextSmall, text)) + 28
		o.Panel(render.Rect{X: x - width/2, Y: y - 24, W: width, H: 48})
		o.TextAligned(x, y-17, render.AlignCenter, render.TextBody, o.Theme().Text, head)
		o.TextAligned(x, y+3, render.AlignCenter, render.TextSmall, o.Theme().TextDim, text)
	}
}

const (
	panelWidth  = 236
	panelHeight = 218
	margin      = 14
)

// panels writes the figures of the zones beside their land, and those of the bots below.
func (c *scene) panels(o *render.Overlay, w *world, states [len(allZones)]status) {
	all, t := o.Bounds(), o.Theme()
	for i := range allZones {
		r := render.Rect{X: margin, Y: margin, W: panelWidth, H: panelHeight}
		if i%2 == 1 {
			r.X = all.W - margin - panelWidth
		}
		if i >= 2 {
			r.Y = all.H - margin - panelHeight
		}
		c.panel(o, r, i, &states[i], w.supervisor.rate)
	}
	b := w.botFigures()
	line := fmt.Sprintf("%d of %d bots play   %d changes of server   %d corrections   ping %d ms", b.Playing, b.Bots, b.Moves, b.Corrections, b.RTT.Milliseconds())
	keys := "1-4 kill a zone   Q W E R stop one for 20 s   B more bots   P picture   C camera"
	width := max(o.Width(render.TextBody, line), o.Width(render.TextSmall, keys)) + 28
	o.Panel(render.Rect{X: (all.W - width) / 2, Y: all.H - margin - 48, W: width, H: 48})
	o.TextAligned(all.W/2, all.H-margin-41, render.AlignCenter, render.TextBody, t.Text, line)
	o.TextAligned(all.W/2, all.H-margin-20, render.AlignCenter, render.TextSmall, t.TextDim, keys)
}

// panel writes the figures of a zone.
func (c *scene) panel(o *render.Overlay, r render.Rect, i int, s *status, rate int) {
	t, f := o.Theme(), &s.Figures
	o.Panel(r)
	x, y := r.X+12, r.Y+10
	o.RoundRect(render.Rect{X: x, Y: y, W: 20, H: 20}, colors[i])
	o.TextAligned(x+10, y+2, render.AlignCenter, render.TextBody, t.Text, fmt.Sprint(i+1))
	o.Text(x+28, y+2, render.TextBody, t.Text, allZones[i].title)
	state, color := "runs", t.Good
	switch {
	case s.running:
	case s.event != "":
		state, color = s.event, t.Bad
	default:
		state, color = "begins", t.Bad
	}
	o.TextAligned(r.X+r.W-12, y+2, render.AlignRight, render.TextBody, color, state)
	y += 30
	row := func(name, value string) {
		o.Text(x, y, render.TextSmall, t.TextDim, name)
		o.TextAligned(r.X+r.W-12, y, render.AlignRight, render.TextSmall, t.Text, value)
		y += 17
	}
	tick := 1000 / float64(rate)
	row("entities: its own, shown of others", fmt.Sprintf("%d, %d", f.Owned, f.Ghosts))
	row("players", fmt.Sprint(s.Players))
	row("load of a tick", fmt.Sprintf("%.0f %%", 100*f.Load))
	row("epoch", fmt.Sprint(f.Epoch))
	row("lease renewed", fmt.Sprintf("%.1f s ago", f.LeaseAge.Seconds()))
	row("checkpoint", fmt.Sprintf("%.1f s ago, %.1f kB", f.CheckpointAge.Seconds(), float64(f.CheckpointBytes)/1000))
	row("handed over, arrived", fmt.Sprintf("%d, %d", f.HandOvers, f.Arrivals))
	row("hand-over, p99", fmt.Sprintf("%d ticks, %.0f ms", s.LatencyP99, float64(s.LatencyP99)*tick))
	row("frozen meanwhile: p99, most", fmt.Sprintf("%d, %d ticks", s.FrozenP99, s.FrozenMost))
	event := ""
	if s.event != "" && s.since < 30*time.Second {
		event = s.event
	}
	if s.running && event != "" {
		o.Text(x, y+3, render.TextSmall, t.Bad, event)
	}
}
