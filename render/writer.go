package render

import (
	"strconv"
	"time"
)

// Writer writes text with numbers, piece by piece and without allocating:
//
//	overlay.At(12, 12, render.TextMono, theme.Text).Str("step ").Uint(tick).Str("  ahead ").Float(ms, 2).Str(" ms")
//
// An overlay has one: finish a text before you begin the next.
type Writer struct {
	o     *Overlay
	x, y  float32 // of the pen, in pixels; y is the top of the line
	left  float32 // where lines begin
	style TextStyle
	color Color
}

// At returns the overlay's writer. Its text has its upper left corner at (x, y), in points.
func (o *Overlay) At(x, y float32, style TextStyle, c Color) *Writer {
	w := &o.writer
	w.o = o
	w.x, w.y = snap(x*o.scale), snap(y*o.scale)
	w.left = w.x
	w.style = style
	w.color = c
	return w
}

// Str writes a string. A line feed in it starts the next line.
func (w *Writer) Str(s string) *Writer {
	f := &w.o.atlas.faces[w.style]
	for _, r := range s {
		if r == '\n' {
			w.Line()
			continue
		}
		w.x += w.o.glyph(f, w.x, w.y+f.ascent, r, w.color)
	}
	return w
}

// Int writes a decimal integer.
func (w *Writer) Int(v int64) *Writer {
	var digits [24]byte
	return w.Str(string(strconv.AppendInt(digits[:0], v, 10)))
}

// Uint writes a decimal integer.
func (w *Writer) Uint(v uint64) *Writer {
	var digits [24]byte
	return w.Str(string(strconv.AppendUint(digits[:0], v, 10)))
}

// Float writes a number with the given count of decimals.
func (w *Writer) Float(v float64, decimals int) *Writer {
	var digits [64]byte
	return w.Str(string(strconv.AppendFloat(digits[:0], v, 'f', decimals, 64)))
}

// FloatRight writes a number with the given count of decimals, right-aligned in a field of width
// points, so that it does not move when it changes.
func (w *Writer) FloatRight(v float64, decimals int, width float32) *Writer {
	if pad := snap((width - w.o.numberWidth(w.style, v, decimals)) * w.o.scale); pad > 0 {
		w.x += pad
	}
	return w.Float(v, decimals)
}

// numberWidth returns the width of a number in points.
func (o *Overlay) numberWidth(style TextStyle, v float64, decimals int) float32 {
	var digits [64]byte
	return o.Width(style, string(strconv.AppendFloat(digits[:0], v, 'f', decimals, 64)))
}

// Millis writes a duration in milliseconds with the given count of decimals and no unit.
func (w *Writer) Millis(d time.Duration, decimals int) *Writer {
	return w.Float(float64(d)/1e6, decimals)
}

// Color changes the colour of the text that follows.
func (w *Writer) Color(c Color) *Writer {
	w.color = c
	return w
}

// Style changes the typeface of the text that follows.
func (w *Writer) Style(s TextStyle) *Writer {
	w.style = s
	return w
}

// Tab moves to x points right of the beginning of the line, forwards or back.
func (w *Writer) Tab(x float32) *Writer {
	w.x = w.left + snap(x*w.o.scale)
	return w
}

// Line moves to the beginning of the next line.
func (w *Writer) Line() *Writer {
	w.x = w.left
	w.y += w.o.atlas.faces[w.style].height
	return w
}

// Pos returns the place of the next character, in points.
func (w *Writer) Pos() (x, y float32) { return w.x / w.o.scale, w.y / w.o.scale }
