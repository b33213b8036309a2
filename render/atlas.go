package render

import (
	"fmt"
	"image"
	"image/draw"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// TextStyle is a typeface at a size.
type TextStyle uint8

const (
	TextSmall   TextStyle = iota // Go Regular, 11 points
	TextBody                     // Go Regular, 13 points
	TextMono                     // Go Mono, 12 points: every character is equally wide
	TextHeading                  // Go Medium, 15 points
	TextTitle                    // Go Medium, 26 points

	textStyles = iota
)

var typefaces = [textStyles]struct {
	ttf  []byte
	size float64
}{{goregular.TTF, 11}, {goregular.TTF, 13}, {gomono.TTF, 12}, {gomedium.TTF, 15}, {gomedium.TTF, 26}}

// extraRunes are the characters beyond ASCII and Latin-1 that an overlay can show, if the typeface
// has them. All others are shown as a question mark.
const extraRunes = "–—‘’“”•…←↑→↓↔↕−≈≠≤≥∞√π≡ΔΩσ▲►▼◄●○■□▪"

const (
	cornerRadius = 5 // points
	maxLineWidth = 8 // pixels: the widest line with a profile of its own in the atlas
	// pixels: the largest disc with a picture of its own; larger ones are stretched
	maxDiscRadius = 16
	atlasPadding  = 1 // pixels between neighbours, so that linear filtering never mixes them
	latinRunes    = 256
	// equal texels along a line's profile, so that only its width is filtered
	lineTexelSpan = 4
)

// atlas is one texture with everything that an overlay draws: glyphs, a white texel, line profiles,
// discs and a round corner, as coverage.
type atlas struct {
	scale  float32
	image  *image.Alpha
	white  uv                     // the middle of a white patch
	lines  [maxLineWidth + 1]span // by width in pixels
	corner span                   // a quarter of a disc, its centre at the lower right
	// by radius in pixels: a large disc drawn small has ragged edges
	discs [maxDiscRadius + 1]span
	faces [textStyles]glyphs
}

// uv is a place in the atlas, in texels.
type uv struct{ u, v uint16 }

type span struct {
	a, b uv
	w, h float32 // pixels
}

type glyphs struct {
	latin  [latinRunes]glyph
	extra  map[rune]*glyph
	ascent float32 // pixels
	height float32
}

type glyph struct {
	span
	// from the pen on the baseline to the picture's upper left corner, in whole pixels
	left, top float32
	advance   float32
	ok        bool
}

func (g *glyphs) find(r rune) *glyph {
	if r >= 0 && r < latinRunes {
		if p := &g.latin[r]; p.ok {
			return p
		}
	} else if p, ok := g.extra[r]; ok {
		return p
	}
	return &g.latin['?']
}

// bakeAtlas draws the atlas for a number of pixels per point.
func bakeAtlas(scale float32) *atlas {
	a := &atlas{scale: scale}
	p := newPacker(int(512 * math.Ceil(float64(scale))))
	white := p.fill(4, 4, func(x, y float64) float64 { return 1 })
	a.white = uv{white.a.u + 2, white.a.v + 2}
	for w := 1; w <= maxLineWidth; w++ {
		// Texels outside the width are 0, inside 1: linear filtering makes edges that fade over
		// exactly one pixel.
		s := p.fill(lineTexelSpan, w+2, func(x, y float64) float64 {
			if y < 1 || y > float64(w+1) {
				return 0
			}
			return 1
		})
		// One texel is enough along the line: take the middle one.
		s.a.u += lineTexelSpan / 2
		s.b.u = s.a.u
		a.lines[w] = s
	}
	radius := math.Max(2, math.Round(cornerRadius*float64(scale)))
	a.corner = p.fill(int(radius), int(radius), func(x, y float64) float64 {
		return radius - math.Hypot(radius-x, radius-y) + 0.5
	})
	for i := 1; i <= maxDiscRadius; i++ {
		r := float64(i)
		a.discs[i] = p.fill(2*i+2, 2*i+2, func(x, y float64) float64 {
			return r - math.Hypot(r+1-x, r+1-y) + 0.5
		})
	}
	for i, t := range typefaces {
		a.faces[i].bake(p, t.ttf, t.size*float64(scale))
	}
	a.image = p.image
	return a
}

// bake draws the characters of a typeface.
func (g *glyphs) bake(p *packer, ttf []byte, pixels float64) {
	parsed, err := opentype.Parse(ttf)
	if err != nil {
		panic(fmt.Sprintf("render: a typeface compiled into golang.org/x/image does not parse: %v; check the module's version", err))
	}
	// At 72 dots per inch a typographic point is a pixel.
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: pixels, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		panic(fmt.Sprintf("render: a typeface at %g pixels: %v", pixels, err))
	}
	defer face.Close()
	m := face.Metrics()
	g.ascent, g.height = float32(m.Ascent.Ceil()), float32((m.Ascent + m.Descent).Ceil())
	g.extra = make(map[rune]*glyph)
	add := func(r rune) {
		if i, err := parsed.GlyphIndex(nil, r); err != nil || i == 0 {
			return
		}
		bounds, mask, origin, advance, ok := face.Glyph(fixed.Point26_6{}, r)
		if !ok {
			return
		}
		one := &glyph{ok: true, advance: float32(advance.Round()), left: float32(bounds.Min.X), top: float32(bounds.Min.Y)}
		if !bounds.Empty() {
			one.span = p.add(bounds.Dx(), bounds.Dy())
			draw.DrawMask(p.image, one.rect(), image.Opaque, image.Point{}, mask, origin, draw.Src)
		}
		if r < latinRunes {
			g.latin[r] = *one
		} else {
			g.extra[r] = one
		}
	}
	for r := rune(' '); r < latinRunes; r++ {
		if r < 0x7f || r >= 0xa0 {
			add(r)
		}
	}
	for _, r := range extraRunes {
		add(r)
	}
}

// packer places rectangles in rows from the top, each as high as its highest member.
type packer struct {
	image   *image.Alpha
	x, y, h int
}

func newPacker(width int) *packer {
	return &packer{image: image.NewAlpha(image.Rect(0, 0, width, 256)), x: atlasPadding, y: atlasPadding}
}

// add finds a place for a picture.
func (p *packer) add(w, h int) span {
	if p.x+w+atlasPadding > p.image.Rect.Dx() {
		p.x = atlasPadding
		p.y += p.h + atlasPadding
		p.h = 0
	}
	for p.y+h+atlasPadding > p.image.Rect.Dy() {
		taller := image.NewAlpha(image.Rect(0, 0, p.image.Rect.Dx(), 2*p.image.Rect.Dy()))
		copy(taller.Pix, p.image.Pix)
		p.image = taller
	}
	s := span{uv{uint16(p.x), uint16(p.y)}, uv{uint16(p.x + w), uint16(p.y + h)}, float32(w), float32(h)}
	p.x += w + atlasPadding
	p.h = max(p.h, h)
	return s
}

// fill adds a picture whose pixels are a function of their centre, counted from the upper left
// corner, clamped to 0..1.
func (p *packer) fill(w, h int, f func(x, y float64) float64) span {
	s := p.add(w, h)
	for y := range h {
		for x := range w {
			v := f(float64(x)+0.5, float64(y)+0.5)
			p.image.Pix[p.image.PixOffset(int(s.a.u)+x, int(s.a.v)+y)] = toByte(float32(v))
		}
	}
	return s
}

func (s span) rect() image.Rectangle {
	return image.Rect(int(s.a.u), int(s.a.v), int(s.b.u), int(s.b.v))
}
