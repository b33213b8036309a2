package panel

import (
	"strings"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
)

// Draw draws the panel over a picture. It draws nothing without an overlay.
func (p *Panel) Draw(o *render.Overlay, size render.Size, set *settings.Settings) {
	l, shown := p.layout(size, set)
	if !shown || set.Overlay == settings.OverlayNone {
		return
	}
	theme := o.Theme()
	if l.frame.W > 0 {
		o.Rect(l.frame, theme.Panel.Alpha(1))
	}
	for i := range p.items {
		it, c := &p.items[i], l.cells[i]
		switch {
		case c.W == 0:
		case l.frame.W == 0:
			it.drawFolded(o, c)
		case it.kind == keys.Slide:
			it.drawSlider(o, c, set)
		case it.kind == keys.Check:
			it.drawCheck(o, c, set)
		default:
			it.drawButton(o, c, set)
		}
	}
}

// drawFolded draws a button of the folded panel.
func (it *item) drawFolded(o *render.Overlay, c render.Rect) {
	theme := o.Theme()
	o.Panel(c)
	if it.Tour {
		o.TextAligned(c.X+c.W/2, c.Y+5, render.AlignCenter, render.TextSmall, theme.Text, "next")
		o.TextAligned(c.X+c.W/2, c.Y+18, render.AlignCenter, render.TextBody, theme.Good, "→")
		return
	}
	for i := range 3 {
		o.Rect(render.Rect{X: c.X + c.W/2 - 9, Y: c.Y + c.H/2 - 8 + 6*float32(i), W: 18, H: 3}, theme.Text)
	}
}

const (
	pad = 8  // from a cell's edge to its text
	box = 14 // the side of a check box
)

// drawButton draws a button, bright if it is the chosen one.
func (it *item) drawButton(o *render.Overlay, c render.Rect, set *settings.Settings) {
	theme := o.Theme()
	color, x := theme.PanelLine, c.X+pad
	if it.On != nil && it.On(set, it.key) {
		color = theme.Accent(1)
	}
	o.RoundRect(c, color)
	if w := o.Width(render.TextSmall, it.label); w+2*pad > c.W {
		x = c.X + (c.W-w)/2
	}
	it.write(o, c, x, c.Y+(c.H-o.LineHeight(render.TextSmall))/2, "")
}

// drawCheck draws a check box with its text. A narrow cell is a button that is bright while it is
// on.
func (it *item) drawCheck(o *render.Overlay, c render.Rect, set *settings.Settings) {
	if o.Width(render.TextSmall, it.label)+box+2*pad > c.W {
		it.drawButton(o, c, set)
		return
	}
	theme := o.Theme()
	o.RoundRect(c, theme.PanelLine.Alpha(0.4))
	r := render.Rect{X: c.X + pad - 2, Y: c.Y + (c.H-box)/2, W: box, H: box}
	if it.On(set, it.key) {
		o.RoundRect(r, theme.Good)
		o.Line(r.X+3, r.Y+7, r.X+6, r.Y+10.5, 2, theme.Panel.Alpha(1))
		o.Line(r.X+6, r.Y+10.5, r.X+11.5, r.Y+3.5, 2, theme.Panel.Alpha(1))
	} else {
		o.Border(r, theme.TextDim)
	}
	it.write(o, c, r.X+box+6, c.Y+(c.H-o.LineHeight(render.TextSmall))/2, "")
}

// drawSlider draws a slider: its text and value above its line.
func (it *item) drawSlider(o *render.Overlay, c render.Rect, set *settings.Settings) {
	theme := o.Theme()
	o.RoundRect(c, theme.PanelLine.Alpha(0.4))
	v := it.Slider.Get(set)
	x := it.write(o, c, c.X+pad, c.Y+3, it.Slider.Unit)
	w := o.At(x, c.Y+3, render.TextSmall, theme.Good).Int(int64(v))
	if end, _ := w.Pos(); end+o.Width(render.TextSmall, it.Slider.Unit) <= c.X+c.W {
		w.Str(it.Slider.Unit)
	}
	line := track(c)
	at := line.W * float32(it.Slider.Place(v))
	o.Rect(line, theme.PanelLine)
	o.Rect(render.Rect{X: line.X, Y: line.Y, W: at, H: line.H}, theme.Good)
	o.Dot(line.X+at, line.Y+line.H/2, 6, theme.Text)
}

// write writes the text at a place, and the keys at the cell's right edge if there is room for both
// and for a value of a unit. It returns the end of the text.
func (it *item) write(o *render.Overlay, c render.Rect, x, y float32, unit string) (end float32) {
	theme := o.Theme()
	end = x + o.Text(x, y, render.TextSmall, theme.Text, it.label) + 6
	value := float32(0)
	if unit != "" {
		value = o.Width(render.TextSmall, "000") + o.Width(render.TextSmall, unit)
	}
	caps := float32(0)
	for name := range strings.FieldsSeq(it.cap) {
		caps += capWidth(o, name) + 3
	}
	if end+value+caps > c.X+c.W {
		return end
	}
	kx := c.X + c.W - caps - 1
	for name := range strings.FieldsSeq(it.cap) {
		o.RoundRect(render.Rect{X: kx, Y: y - 1, W: capWidth(o, name), H: o.LineHeight(render.TextSmall) + 2}, theme.Panel)
		o.TextAligned(kx+capWidth(o, name)/2, y, render.AlignCenter, render.TextSmall, theme.TextDim, name)
		kx += capWidth(o, name) + 3
	}
	return end
}

// capWidth returns the width of a key's cap.
func capWidth(o *render.Overlay, name string) float32 {
	return max(o.Width(render.TextSmall, name)+6, o.LineHeight(render.TextSmall)+2)
}
