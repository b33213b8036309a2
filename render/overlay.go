package render

import (
	"image"
	"math"
)

// Overlay is the text, rectangles, lines and graphs over the picture, listed anew for each frame
// and drawn last.
//
// All measures are in points from the upper left corner of the surface, x to the right, y
// downwards. A point is a pixel on an ordinary display and two pixels on a dense one. Later calls
// draw over earlier ones. Calls that are not between [Frame.Begin] and Draw have no effect.
type Overlay struct {
	vertices []OverlayVertex
	atlas    *atlas
	version  uint32
	scale    float32
	theme    *Theme
	size     Size
	writer   Writer
	taken    []Rect // by panels and by [Overlay.Place]
}

// OverlayVertex is one corner of a quadrilateral, as backends upload it: 16 bytes without padding.
type OverlayVertex struct {
	X, Y  float32 // pixels from the upper left corner
	U, V  uint16  // in the atlas, in texels
	Color Color
}

func (o *Overlay) begin(size Size, theme *Theme) {
	o.vertices = o.vertices[:0]
	o.taken = o.taken[:0]
	o.size = size
	o.theme = theme
	o.scale = size.pixelsPerPoint()
	if o.atlas == nil || o.atlas.scale != o.scale {
		o.atlas = bakeAtlas(o.scale)
		o.version++
	}
}

// Vertices returns the quadrilaterals in drawing order, four vertices each: upper left, upper
// right, lower right, lower left. The slice belongs to the overlay. For backends.
func (o *Overlay) Vertices() []OverlayVertex { return o.vertices }

// Atlas returns the texture of coverage values that the vertices refer to, and a number that
// changes when the texture does. For backends.
func (o *Overlay) Atlas() (*image.Alpha, uint32) {
	if o.atlas == nil {
		return nil, 0
	}
	return o.atlas.image, o.version
}

// Bounds returns the rectangle of the whole surface.
func (o *Overlay) Bounds() Rect {
	w, h := o.size.Points()
	return Rect{0, 0, w, h}
}

// Theme returns the frame's theme. Overlays use its Text, Panel and other colours.
func (o *Overlay) Theme() *Theme { return o.theme }

// Rect fills a rectangle.
func (o *Overlay) Rect(r Rect, c Color) {
	w := o.atlas.white
	k := o.scale
	x0, y0, x1, y1 := snap(r.X*k), snap(r.Y*k), snap((r.X+r.W)*k), snap((r.Y+r.H)*k)
	o.quad(x0, y0, x1, y1, w, w, c)
}

// RoundRect fills a rectangle with round corners of a radius of five points.
func (o *Overlay) RoundRect(r Rect, c Color) {
	o.taken = append(o.taken, r)
	k := o.scale
	s := &o.atlas.corner
	x0, y0, x1, y1 := snap(r.X*k), snap(r.Y*k), snap((r.X+r.W)*k), snap((r.Y+r.H)*k)
	rad := min(s.w, (x1-x0)/2, (y1-y0)/2)
	if rad <= 0 {
		return
	}
	w := o.atlas.white
	o.quad(x0, y0, x0+rad, y0+rad, s.a, s.b, c)
	o.quad(x1-rad, y0, x1, y0+rad, uv{s.b.u, s.a.v}, uv{s.a.u, s.b.v}, c)
	o.quad(x1-rad, y1-rad, x1, y1, s.b, s.a, c)
	o.quad(x0, y1-rad, x0+rad, y1, uv{s.a.u, s.b.v}, uv{s.b.u, s.a.v}, c)
	o.quad(x0+rad, y0, x1-rad, y0+rad, w, w, c)
	o.quad(x0, y0+rad, x1, y1-rad, w, w, c)
	o.quad(x0+rad, y1-rad, x1-rad, y1, w, w, c)
}

// Panel fills a rectangle with round corners in the theme's panel colour, as a background for text.
func (o *Overlay) Panel(r Rect) { o.RoundRect(r, o.theme.Panel) }

// Border draws the outline of a rectangle, one point wide, inside it.
func (o *Overlay) Border(r Rect, c Color) {
	o.Rect(Rect{r.X, r.Y, r.W, 1}, c)
	o.Rect(Rect{r.X, r.Y + r.H - 1, r.W, 1}, c)
	o.Rect(Rect{r.X, r.Y + 1, 1, r.H - 2}, c)
	o.Rect(Rect{r.X + r.W - 1, r.Y + 1, 1, r.H - 2}, c)
}

// Line draws a straight line with smooth edges.
func (o *Overlay) Line(x0, y0, x1, y1, width float32, c Color) {
	k := o.scale
	x0, y0, x1, y1, width = x0*k, y0*k, x1*k, y1*k, max(width*k, 1)
	dx, dy := x1-x0, y1-y0
	l := float32(math.Sqrt(float64(dx*dx + dy*dy)))
	if l == 0 {
		return
	}
	i := min(int(width+0.5), maxLineWidth)
	s := &o.atlas.lines[i]
	// The profile is two texels wider than the line: one texel on each side fades.
	half := (width + 2) / 2
	nx, ny := -dy/l*half, dx/l*half
	o.vertices = append(o.vertices,
		OverlayVertex{x0 - nx, y0 - ny, s.a.u, s.a.v, c},
		OverlayVertex{x1 - nx, y1 - ny, s.a.u, s.a.v, c},
		OverlayVertex{x1 + nx, y1 + ny, s.a.u, s.b.v, c},
		OverlayVertex{x0 + nx, y0 + ny, s.a.u, s.b.v, c})
}

// Dot fills a disc.
func (o *Overlay) Dot(x, y, radius float32, c Color) {
	x, y, radius = x*o.scale, y*o.scale, radius*o.scale
	i := min(max(int(radius+0.5), 1), maxDiscRadius)
	if radius <= maxDiscRadius { // texel by texel
		x, y, radius = snap(x), snap(y), float32(i)
	}
	s := &o.atlas.discs[i]
	// The picture of the disc has a margin of one texel.
	r := radius * s.w / (s.w - 2)
	o.quad(x-r, y-r, x+r, y+r, s.a, s.b, c)
}

// Meter draws a horizontal bar that is filled from the left up to a fraction, 0 to 1. The demo
// draws with it.
func (o *Overlay) Meter(r Rect, fraction float32, c Color) {
	o.Rect(r, o.theme.PanelLine)
	if fraction = min(max(fraction, 0), 1); fraction > 0 {
		o.Rect(Rect{r.X, r.Y, r.W * fraction, r.H}, c)
	}
}

// Text writes one line with its upper left corner at (x, y), and returns its width.
func (o *Overlay) Text(x, y float32, style TextStyle, c Color, s string) (width float32) {
	f := &o.atlas.faces[style]
	pen := snap(x * o.scale)
	start := pen
	base := snap(y*o.scale) + f.ascent
	for _, r := range s {
		pen += o.glyph(f, pen, base, r, c)
	}
	return (pen - start) / o.scale
}

// Align is the place of a text relative to its x.
type Align uint8

const (
	AlignLeft   Align = iota // begins at x
	AlignCenter              // is centred at x
	AlignRight               // ends at x
)

// TextAligned writes one line that begins, is centred or ends at x.
func (o *Overlay) TextAligned(x, y float32, align Align, style TextStyle, c Color, s string) {
	switch align {
	case AlignCenter:
		x -= o.Width(style, s) / 2
	case AlignRight:
		x -= o.Width(style, s)
	}
	o.Text(x, y, style, c, s)
}

// Label writes a small text on a panel, centred above a place such as [View.Project] returns. The
// demo draws with it.
func (o *Overlay) Label(x, y float32, c Color, s string) {
	w := o.Width(TextSmall, s)
	h := o.LineHeight(TextSmall)
	r := Rect{x - w/2 - 5, y - h - 8, w + 10, h + 4}
	o.Panel(r)
	o.Text(r.X+5, r.Y+2, TextSmall, c, s)
}

// Key draws the cap of a key with its name, for help texts, and returns its width. The demo draws
// with it.
func (o *Overlay) Key(x, y float32, name string) (width float32) {
	h := o.LineHeight(TextSmall) + 3
	w := max(o.Width(TextSmall, name)+8, h)
	r := Rect{x, y, w, h}
	o.RoundRect(r, o.theme.PanelLine)
	o.TextAligned(x+w/2, y+1, AlignCenter, TextSmall, o.theme.Text, name)
	return w
}

// Width returns the width of a line of text.
func (o *Overlay) Width(style TextStyle, s string) float32 {
	f := &o.atlas.faces[style]
	var w float32
	for _, r := range s {
		w += f.find(r).advance
	}
	return w / o.scale
}

// LineHeight returns the distance from one line to the next.
func (o *Overlay) LineHeight(style TextStyle) float32 {
	return o.atlas.faces[style].height / o.scale
}

// glyph draws one character with its pen at x on the baseline, in pixels, and returns its advance.
func (o *Overlay) glyph(f *glyphs, x, base float32, r rune, c Color) float32 {
	g := f.find(r)
	if g.w > 0 {
		x0, y0 := x+g.left, base+g.top
		o.quad(x0, y0, x0+g.w, y0+g.h, g.a, g.b, c)
	}
	return g.advance
}

func (o *Overlay) quad(x0, y0, x1, y1 float32, a, b uv, c Color) {
	o.vertices = append(o.vertices,
		OverlayVertex{x0, y0, a.u, a.v, c},
		OverlayVertex{x1, y0, b.u, a.v, c},
		OverlayVertex{x1, y1, b.u, b.v, c},
		OverlayVertex{x0, y1, a.u, b.v, c})
}

// snap rounds to whole pixels, so that text and edges are sharp.
func snap(v float32) float32 { return float32(math.Round(float64(v))) }
