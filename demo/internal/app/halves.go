package app

import (
	"github.com/tandem-ecs/tandem/demo/internal/hud"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
)

// part is a part of the picture in fractions, and what panels leave clear of it in points.
type part struct{ room, clear render.Rect }

// halves divides a picture into a raw and an interpolated one. What is clear is divided evenly.
func halves(f *render.Frame, room, clear render.Rect) (raw, drawn part) {
	const gap = 0.004
	all := f.Overlay.Bounds()
	whole := room.In(all)
	raw.room, drawn.room = hud.Beside(f, room, 0, 2, gap), hud.Beside(f, room, 1, 2, gap)
	if hud.Upright(whole) {
		// The title is above the upper half, which is higher by that.
		more := (clear.Y - whole.Y - (whole.Y + whole.H - clear.Y - clear.H)) / 2 / all.H
		raw.room.H += more
		drawn.room.Y, drawn.room.H = drawn.room.Y+more, drawn.room.H-more
	}
	for _, p := range [...]*part{&raw, &drawn} {
		at := p.room.In(all)
		top, bottom := max(at.Y, clear.Y), min(at.Y+at.H, clear.Y+clear.H)
		p.clear = render.Rect{X: at.X, Y: top, W: at.W, H: bottom - top}
	}
	return raw, drawn
}

// headingsOnTop reports whether the titles of both halves take the place of the picture's title: in
// small pictures without figures.
func headingsOnTop(f *render.Frame, m hud.Moment, set settings.Settings) bool {
	return set.Overlay == settings.OverlayCaptions && m.Room.In(f.Overlay.Bounds()).H < 260
}

// heading writes the title of a half. In a small picture it takes a part of what is clear.
func (p *part) heading(f *render.Frame, m hud.Moment, set settings.Settings, color render.Color, text string) {
	o := &f.Overlay
	whole, at := m.Room.In(o.Bounds()), p.room.In(o.Bounds())
	style, y := render.TextHeading, at.Y+at.H*0.22
	switch {
	case headingsOnTop(f, m, set):
		style, y = render.TextSmall, at.Y+8
	case hud.Upright(whole) || hud.Short(whole):
		const gap = 8
		style, y = render.TextSmall, p.clear.Y+gap
		taken := o.LineHeight(style) + 8 + gap
		p.clear.Y, p.clear.H = p.clear.Y+taken, p.clear.H-taken
	case at.W < 400 || at.H < 400:
		style, y = render.TextSmall, at.Y+44
	}
	scene.Heading(o, at.X+at.W/2, y, style, color, text)
}
