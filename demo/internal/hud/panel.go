package hud

import (
	"math"
	"strings"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/render"
)

// drawKeys explains the keys in the middle of the picture, in two columns.
func drawKeys(o *render.Overlay, groups []keys.Group) {
	const keyRoom = 74
	column := float32(0)
	for _, g := range groups {
		for _, b := range g.Bindings {
			column = max(column, keyRoom+o.Width(render.TextSmall, b.Text))
		}
	}
	theme := o.Theme()
	all := o.Bounds()
	line := o.LineHeight(render.TextSmall) + 8
	heading := o.LineHeight(render.TextHeading) + 6

	// Two columns, groups kept whole, as even as can be.
	split, height := 0, float32(math.MaxFloat32)
	for i := range groups {
		if h := max(groupsHeight(groups[:i], heading, line), groupsHeight(groups[i:], heading, line)); h < height {
			split, height = i, h
		}
	}
	mouse := o.LineHeight(render.TextSmall) + 8
	const hint = "Mouse: drag to turn, right drag to move, wheel to zoom.   Shift turns rounds of values, and Tab, round."
	column = max(column, (o.Width(render.TextSmall, hint)-2*pad)/2)
	r := render.Rect{W: 2*column + 3*2*pad, H: height + mouse + 2*2*pad - 8}
	r.X, r.Y = (all.W-r.W)/2, max((all.H-r.H)/2, 4)
	o.RoundRect(render.Rect{X: r.X, Y: r.Y, W: r.W, H: r.H}, theme.Panel.Alpha(0.96))

	x, y := r.X+2*pad, r.Y+2*pad-4
	for i, g := range groups {
		if i == split {
			x, y = x+column+2*pad, r.Y+2*pad-4
		}
		o.Text(x, y, render.TextHeading, theme.Text, g.Title)
		y += heading
		for _, b := range g.Bindings {
			kx := x
			for _, cap := range strings.Fields(b.Cap) {
				kx += o.Key(kx, y, cap) + 4
			}
			o.Text(x+keyRoom, y+1, render.TextSmall, theme.Text, b.Text)
			y += line
		}
		y += groupGap
	}
	o.TextAligned(r.X+r.W/2, r.Y+r.H-mouse-4, render.AlignCenter, render.TextSmall, theme.TextDim, hint)
}

const groupGap = 8

func groupsHeight(groups []keys.Group, heading, line float32) (height float32) {
	for _, g := range groups {
		height += heading + line*float32(len(g.Bindings)) + groupGap
	}
	return height
}

// wrapped breaks one text into lines and remembers them until text or width change.
type wrapped struct {
	text   string
	width  float32
	result []string
}

func (w *wrapped) lines(o *render.Overlay, style render.TextStyle, text string, width float32) []string {
	if text == w.text && width == w.width {
		return w.result
	}
	w.text, w.width, w.result = text, width, nil
	line := ""
	for _, word := range strings.Fields(text) {
		longer := word
		if line != "" {
			longer = line + " " + word
		}
		if line != "" && o.Width(style, longer) > width {
			w.result = append(w.result, line)
			longer = word
		}
		line = longer
	}
	if line != "" {
		w.result = append(w.result, line)
	}
	return w.result
}
