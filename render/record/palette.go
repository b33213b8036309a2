//go:build !js

package record

import (
	"image"
	"maps"
	"math"
	"slices"
)

// palette maps colours to at most 255 of its own; index 255 of a GIF stays free for transparency.
type palette struct {
	colors []rgb
	// nearest colour by the upper six bits of each channel: its index plus 1; 0: not looked for yet
	near []uint8
}

type rgb struct{ r, g, b uint8 }

const maxColors = 255

// histogram counts colours by the upper six bits of each channel. It keeps the sums, so that a cell
// has its true mean.
type histogram map[uint32]*cell

type cell struct {
	n       float64
	r, g, b float64 // sums, later means
}

func cellOf(r, g, b uint8) uint32 { return uint32(r>>2)<<12 | uint32(g>>2)<<6 | uint32(b>>2) }

func (h histogram) add(img *image.RGBA) {
	size := img.Rect.Size()
	var last *cell
	lastKey := ^uint32(0)
	for y := 0; y < size.Y; y++ {
		row := img.Pix[y*img.Stride : y*img.Stride+4*size.X]
		for i := 0; i < len(row); i += 4 {
			key := cellOf(row[i], row[i+1], row[i+2])
			if key != lastKey {
				if last = h[key]; last == nil {
					last = &cell{}
					h[key] = last
				}
				lastKey = key
			}
			last.n++
			last.r += float64(row[i])
			last.g += float64(row[i+1])
			last.b += float64(row[i+2])
		}
	}
}

// The weights of the channels in distances are roughly those of the eye.
const weightR, weightG, weightB = 3, 4, 2

// newPalette chooses colours for a histogram. It splits the box of colours with the largest error
// at its mean along the channel that varies most, again and again (the variance-based form of
// Heckbert's median cut, 1982). A few rounds of Lloyd's algorithm (k-means) then move the means.
func newPalette(h histogram) *palette {
	cells := make([]cell, 0, len(h))
	// sorted, so that the same picture gets the same palette
	for _, k := range slices.Sorted(maps.Keys(h)) {
		c := *h[k]
		c.r /= c.n
		c.g /= c.n
		c.b /= c.n
		// A small bright body must keep its colour beside a large background.
		c.n = math.Pow(c.n, 0.6)
		cells = append(cells, c)
	}
	boxes := []box{newBox(cells)}
	for len(boxes) < maxColors {
		worst := 0
		for i := range boxes {
			if boxes[i].spread > boxes[worst].spread {
				worst = i
			}
		}
		if boxes[worst].spread <= 0 {
			break // every cell has its own box
		}
		a, b := boxes[worst].split()
		boxes[worst] = a
		boxes = append(boxes, b)
	}
	means := make([][3]float64, len(boxes))
	for i, b := range boxes {
		means[i] = b.mean
	}
	settle(cells, means)
	p := &palette{near: make([]uint8, 1<<18)}
	for _, m := range means {
		p.colors = append(p.colors, rgb{uint8(m[0] + 0.5), uint8(m[1] + 0.5), uint8(m[2] + 0.5)})
	}
	return p
}

// box is a set of cells that share a colour.
type box struct {
	cells  []cell
	mean   [3]float64
	axis   int
	spread float64 // weighted squared deviation along the axis
}

func newBox(cells []cell) box {
	b := box{cells: cells}
	var n float64
	for _, c := range cells {
		n += c.n
		b.mean[0] += c.n * c.r
		b.mean[1] += c.n * c.g
		b.mean[2] += c.n * c.b
	}
	for i := range b.mean {
		b.mean[i] /= n
	}
	var spread [3]float64
	for _, c := range cells {
		dr, dg, db := c.r-b.mean[0], c.g-b.mean[1], c.b-b.mean[2]
		spread[0] += weightR * c.n * dr * dr
		spread[1] += weightG * c.n * dg * dg
		spread[2] += weightB * c.n * db * db
	}
	for i, s := range spread {
		if len(cells) > 1 && s > b.spread {
			b.axis, b.spread = i, s
		}
	}
	return b
}

func (c *cell) channel(axis int) float64 { return [3]float64{c.r, c.g, c.b}[axis] }

// split divides the box at its mean. Both parts have cells, since a spread above zero means that
// there are some on either side.
func (b box) split() (box, box) {
	i, j := 0, len(b.cells)
	for i < j {
		if b.cells[i].channel(b.axis) <= b.mean[b.axis] {
			i++
		} else {
			j--
			b.cells[i], b.cells[j] = b.cells[j], b.cells[i]
		}
	}
	if i == 0 || i == len(b.cells) { // a spread of rounding errors
		i = len(b.cells) / 2
	}
	return newBox(b.cells[:i]), newBox(b.cells[i:])
}

// settle moves each mean to the centre of the cells that are nearest to it.
func settle(cells []cell, means [][3]float64) {
	sums := make([][4]float64, len(means))
	for round := 0; round < 3; round++ {
		clear(sums)
		for _, c := range cells {
			best, least := 0, math.Inf(1)
			for i := range means {
				m := &means[i]
				dr, dg, db := c.r-m[0], c.g-m[1], c.b-m[2]
				if d := weightR*dr*dr + weightG*dg*dg + weightB*db*db; d < least {
					best, least = i, d
				}
			}
			s := &sums[best]
			s[0] += c.n * c.r
			s[1] += c.n * c.g
			s[2] += c.n * c.b
			s[3] += c.n
		}
		for i, s := range sums {
			if s[3] > 0 {
				means[i] = [3]float64{s[0] / s[3], s[1] / s[3], s[2] / s[3]}
			}
		}
	}
}

// index returns the index of the nearest colour of the palette, to the precision of six bits a
// channel.
func (p *palette) index(r, g, b uint8) uint8 {
	key := cellOf(r, g, b)
	if p.near[key] == 0 {
		p.near[key] = p.search(int(r|2), int(g|2), int(b|2)) + 1
	}
	return p.near[key] - 1
}

func (p *palette) search(r, g, b int) uint8 {
	best, least := 0, math.MaxInt
	for i, c := range p.colors {
		if d := distance(c, r, g, b); d < least {
			best, least = i, d
		}
	}
	return uint8(best)
}

func distance(c rgb, r, g, b int) int {
	dr, dg, db := int(c.r)-r, int(c.g)-g, int(c.b)-b
	return weightR*dr*dr + weightG*dg*dg + weightB*db*db
}
