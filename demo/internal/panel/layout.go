package panel

import (
	"slices"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/render"
)

// Measures in points. A finger needs a cell of 32 points.
const (
	cellHeight = 32
	gap        = 2 // between cells
	section    = 8 // between sections of the panel, where there is room for it
	edge       = 4 // from the panel's edge to its cells
	sideWidth  = 268
	// the least widths of cells: beside keys, and where the picture is too small for them
	wideCell, leastCell = 122, 76

	// the least room for a picture beside the panel and above it
	besideWidth = 560
	aboveShare  = 0.55

	handleWidth, handleHeight = 38, 38 // of the buttons of the folded panel
)

// layout says where everything is, in points.
type layout struct {
	frame render.Rect   // of the unfolded panel; empty: folded
	room  render.Rect   // for the picture, all of the window if the panel lies over it
	over  bool          // the panel lies over the picture
	cells []render.Rect // of the items, in their order; empty ones are not shown
}

// fits reports whether the panel fits into a window with a finger's cells, unfolded.
func fits(w, h float32, items []item) bool {
	columns := columnsIn(w, leastCell)
	return columns > 0 && flow(nil, items, columns, 1, false) <= h
}

// roomy reports whether a window has room for the panel beside a picture of the usual size.
func roomy(w, h float32) bool { return w >= 960+sideWidth && h >= 600 }

// arrange lays out the items, in the memory of cells. The panel stands beside the picture where the
// window is wide enough. Else it stands below the picture, or lies over it in a small window. A
// folded panel is a button at the left edge, with another one that leads to the next scene.
func arrange(w, h float32, items []item, open bool, cells []render.Rect) (l layout) {
	l.room = render.Rect{W: w, H: h}
	l.cells = slices.Grow(cells[:0], len(items))[:len(items)]
	clear(l.cells)
	if !open {
		y := h/2 - handleHeight
		if h > w { // scenes lie in the middle of an upright window, with labels at its left edge
			y = 0.3*h - handleHeight
		}
		for i := range items {
			if items[i].kind == keys.Head {
				l.cells[i] = render.Rect{Y: y, W: handleWidth, H: handleHeight}
				y += handleHeight + gap
			}
		}
		return l
	}
	if columns := 2; w-sideWidth >= besideWidth && flow(nil, items, columns, columns, true) <= h {
		l.frame = render.Rect{W: sideWidth, H: h}
		l.room.X, l.room.W = sideWidth, w-sideWidth
		l.put(items, columns, columns, true)
		return l
	}
	var columns int
	var sections bool
	var height float32
	for _, try := range [...]struct {
		least    float32
		sections bool
	}{{wideCell, true}, {wideCell, false}, {leastCell, true}, {leastCell, false}} {
		columns, sections = columnsIn(w, try.least), try.sections
		height = flow(nil, items, columns, 1, sections)
		if l.over = columns == 0 || height > h*(1-aboveShare); !l.over {
			break
		}
	}
	l.frame = render.Rect{Y: h - height, W: w, H: height}
	if !l.over {
		l.room.H = h - height
	}
	l.put(items, columns, 1, sections)
	return l
}

// columnsIn returns the number of columns of cells of a least width.
func columnsIn(w, least float32) int { return int((w - 2*edge + gap) / (least + gap)) }

// put lays the cells into the frame.
func (l *layout) put(items []item, columns, wide int, sections bool) {
	flow(l.cells, items, columns, wide, sections)
	width := (l.frame.W - 2*edge + gap) / float32(columns)
	for i, c := range l.cells { // so far in columns, and in points from the frame's upper edge
		l.cells[i] = render.Rect{X: l.frame.X + edge + c.X*width, Y: l.frame.Y + c.Y, W: c.W*width - gap, H: c.H}
	}
}

// flow lays items from left to right and from the top down, and returns the height. Horizontal
// measures are in columns. A slider takes wide columns. cells may be nil. Sections of different
// kinds begin in a new row, or everything follows without a break.
func flow(cells []render.Rect, items []item, columns, wide int, sections bool) (height float32) {
	if columns == 0 {
		return 0
	}
	column, y := 0, float32(edge)
	for i := range items {
		span := 1
		if items[i].kind == keys.Slide {
			span = wide
		}
		begins := sections && i > 0 && part(items[i].kind) != part(items[i-1].kind)
		if column > 0 && (begins || column+span > columns) {
			column, y = 0, y+cellHeight+gap
		}
		if begins {
			y += section - gap
		}
		if cells != nil {
			cells[i] = render.Rect{X: float32(column), Y: y, W: float32(span), H: cellHeight}
		}
		column += span
	}
	return y + cellHeight + edge
}

// part returns the section of the panel in which things of a kind stand.
func part(kind keys.Kind) int {
	switch kind {
	case keys.Head, keys.Choice:
		return 0
	case keys.Slide:
		return 1
	}
	return 2
}
