package hud

import (
	"math"
	"strings"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/textwrap"
	"github.com/tandem-ecs/tandem/render"
)

// layout is a layout of the panel of keys: with drawn keys where there is room, else with plain
// text.
type layout struct {
	columns             int
	caps                bool    // draw keys, not text
	keys                float32 // width of the column of keys
	line, heading, gap  float32 // heights: of a binding, a group's title, the space after a group
	inset, between, end float32 // from the edge, between columns, the hints' line below (0: none)
}

// layouts returns the layouts of the panel, the best first.
func layouts(o *render.Overlay) [4]layout {
	small, title := o.LineHeight(render.TextSmall), o.LineHeight(render.TextHeading)
	return [...]layout{
		{columns: 2, caps: true, keys: 74, line: small + 8, heading: title + 6, gap: 8, inset: 2 * pad, between: 2 * pad, end: small + 8},
		{columns: 2, keys: 62, line: small + 1, heading: small + 3, gap: 4, inset: pad, between: pad, end: small + 4},
		// for a telephone that lies
		{columns: 2, keys: 62, line: small, heading: small, gap: 1, inset: 5, between: pad},
		{columns: 1, keys: 62, line: small + 1, heading: small + 3, gap: 4, inset: pad, between: 0, end: small + 4},
	}
}

// height returns the height of groups below each other.
func (s *layout) height(groups []keys.Group) (height float32) {
	for _, g := range groups {
		height += s.heading + s.line*float32(len(g.Bindings)) + s.gap
	}
	return height
}

// split returns the number of groups in the first column, and the height of the taller column. It
// keeps groups whole and columns as even as possible.
func (s *layout) split(groups []keys.Group) (first int, height float32) {
	if s.columns == 1 {
		return len(groups), s.height(groups)
	}
	height = math.MaxFloat32
	for i := range groups {
		if h := max(s.height(groups[:i]), s.height(groups[i:])); h < height {
			first, height = i, h
		}
	}
	return first, height
}

// drawKeys draws the panel of keys in the middle of the picture. A small picture shows a part of
// the keys and a note; then drawKeys returns false.
func drawKeys(o *render.Overlay, groups []keys.Group, hint string) (complete bool) {
	const edge = 4
	longest, caps := float32(0), float32(0) // of the texts, and of the drawn keys
	for _, g := range groups {
		for _, b := range g.Bindings {
			longest = max(longest, o.Width(render.TextSmall, b.Text))
			caps = max(caps, capsWidth(o, b.Cap))
		}
	}
	all := o.Bounds().Inset(edge)
	var s layout
	var r render.Rect
	var column float32
	var split int
	for _, s = range layouts(o) {
		if s.caps {
			s.keys = max(s.keys, caps)
		}
		column = s.keys + longest
		if s.caps { // room for the hint
			column = max(column, (o.Width(render.TextSmall, hint)-s.between)/2)
		}
		split, r.H = s.split(groups)
		r.W, r.H = float32(s.columns)*column+float32(s.columns-1)*s.between+2*s.inset, r.H-s.gap+s.end+2*s.inset
		if r.W <= all.W && r.H <= all.H {
			break
		}
	}
	complete = r.W <= all.W && r.H <= all.H
	if !complete {
		hint = "Enlarge the window for the other keys."
	}
	r.W, r.H = min(r.W, all.W), min(r.H, all.H)
	r.X, r.Y = all.X+(all.W-r.W)/2, all.Y+(all.H-r.H)/2
	o.RoundRect(r, o.Theme().Panel.Alpha(0.96))
	lowest := r.Y + r.H - s.inset - s.end
	x, y := r.X+s.inset, r.Y+s.inset
	for i := range groups {
		if i == split {
			x, y = x+column+s.between, r.Y+s.inset
		}
		if y = s.group(o, x, y, lowest, &groups[i]); y > lowest && s.columns == 1 {
			break
		}
	}
	if s.end > 0 && o.Width(render.TextSmall, hint) <= r.W {
		o.TextAligned(r.X+r.W/2, r.Y+r.H-s.inset-o.LineHeight(render.TextSmall), render.AlignCenter, render.TextSmall, o.Theme().TextDim, hint)
	}
	return complete
}

// capsWidth returns the width of drawn keys side by side, with a gap after them.
func capsWidth(o *render.Overlay, names string) (width float32) {
	width = 8
	for name := range strings.FieldsSeq(names) {
		width += max(o.Width(render.TextSmall, name)+8, o.LineHeight(render.TextSmall)+3) + 4
	}
	return width
}

// group draws a group above the height lowest, and returns the top of the next group.
func (s *layout) group(o *render.Overlay, x, y, lowest float32, g *keys.Group) float32 {
	theme := o.Theme()
	if y+s.heading+s.line > lowest {
		return lowest + 1
	}
	if s.caps {
		o.Text(x, y-4, render.TextHeading, theme.Text, g.Title)
	} else {
		o.Text(x, y, render.TextSmall, theme.TextDim, g.Title)
	}
	y += s.heading
	for _, b := range g.Bindings {
		if y+s.line > lowest+s.gap {
			return lowest + 1
		}
		if s.caps {
			kx := x
			for _, cap := range strings.Fields(b.Cap) {
				kx += o.Key(kx, y-4, cap) + 4
			}
			o.Text(x+s.keys, y-3, render.TextSmall, theme.Text, b.Text)
		} else {
			o.Text(x, y, render.TextSmall, theme.Good, b.Cap)
			o.Text(x+s.keys, y, render.TextSmall, theme.Text, b.Text)
		}
		y += s.line
	}
	return y + s.gap
}

// wrapped caches the lines of a text until text or width change.
type wrapped struct {
	text   string
	width  float32
	result []string
}

func (w *wrapped) lines(o *render.Overlay, style render.TextStyle, text string, width float32) []string {
	if text == w.text && width == w.width {
		return w.result
	}
	w.text, w.width = text, width
	w.result = textwrap.Lines(text, func(line string) bool { return o.Width(style, line) <= width })
	return w.result
}
