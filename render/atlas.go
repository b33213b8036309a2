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
const extraRunes = "–—‘’“”•…←↑→↓↔↕−≈≠≤≥∞√π≡ΔΩσµ▲►▼◄●○■□▪"

const (
	cornerRadius = 5 // points
	maxLineWidth = 8 // pixels: the widest line with a profile of its own in the atlas
	// pixels: the largest disc with a picture of its own; larger ones are stretched
	maxDiscRadius = 16
	atlasPadding  = 1 // pixels between neighbours, so that linear filtering never mixes them
	latinRunes    = 256
	// equal texels along a line's profile, so that only its width is filtered
	lineTexelSpan = 3
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

// uv is a place in the atlas as the vertices hold it: 0 to 65535 across the texture.
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
	white := p.add(4, 4)
	fill(p.image, white, func(x, y float64) float64 { return 1 })
	var lineRects [maxLineWidth + 1]image.Rectangle
	for w := 1; w <= maxLineWidth; w++ {
		// Texels outside the width are 0, inside 1: linear filtering makes edges that fade over
		// exactly one pixel.
		r := p.add(lineTexelSpan, w+2)
		lineRects[w] = r
		inner := image.Rect(r.Min.X, r.Min.Y+1, r.Max.X, r.Max.Y-1)
		fill(p.image, inner, func(x, y float64) float64 { return 1 })
	}
	radius := math.Max(2, math.Round(cornerRadius*float64(scale)))
	corner := p.add(int(radius), int(radius))
	fill(p.image, corner, func(x, y float64) float64 {
		return radius - math.Hypot(radius-x, radius-y) + 0.5
	})
	var discRects [maxDiscRadius + 1]image.Rectangle
	for i := 1; i <= maxDiscRadius; i++ {
		r := float64(i)
		discRects[i] = p.add(2*i+2, 2*i+2)
		fill(p.image, discRects[i], func(x, y float64) float64 {
			return r - math.Hypot(r+1-x, r+1-y) + 0.5
		})
	}
	var baked [textStyles]bakedFace
	for i, t := range typefaces {
		baked[i] = bakeFace(p, t.ttf, t.size*float64(scale))
	}

	// The height of the texture is known only now, and with it the coordinates.
	img := p.finish()
	a.image = img
	at := func(r image.Rectangle) span { return spanOf(img, r) }
	w := at(white)
	a.white = uv{w.a.u/2 + w.b.u/2, w.a.v/2 + w.b.v/2}
	for w := 1; w <= maxLineWidth; w++ {
		// One texel is enough along the line: take the middle one.
		s := at(lineRects[w])
		mid := s.a.u/2 + s.b.u/2
		s.a.u, s.b.u = mid, mid
		a.lines[w] = s
	}
	a.corner = at(corner)
	for i := 1; i <= maxDiscRadius; i++ {
		a.discs[i] = at(discRects[i])
	}
	for i, b := range baked {
		f := &a.faces[i]
		f.ascent, f.height = b.ascent, b.height
		f.extra = make(map[rune]*glyph)
		for j := range b.glyphs {
			g := &b.glyphs[j]
			g.span = at(g.rect)
			if g.r < latinRunes {
				f.latin[g.r] = g.glyph
			} else {
				f.extra[g.r] = &g.glyph
			}
		}
	}
	return a
}

type bakedFace struct {
	glyphs         []bakedGlyph
	ascent, height float32
}

type bakedGlyph struct {
	glyph
	r    rune
	rect image.Rectangle
}

func bakeFace(p *packer, ttf []byte, pixels float64) bakedFace {
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
	b := bakedFace{ascent: float32(m.Ascent.Ceil()), height: float32((m.Ascent + m.Descent).Ceil())}
	add := func(r rune) {
		if i, err := parsed.GlyphIndex(nil, r); err != nil || i == 0 {
			return
		}
		bounds, mask, origin, advance, ok := face.Glyph(fixed.Point26_6{}, r)
		if !ok {
			return
		}
		g := bakedGlyph{r: r, glyph: glyph{ok: true, advance: float32(advance.Round()), left: float32(bounds.Min.X), top: float32(bounds.Min.Y)}}
		if !bounds.Empty() {
			g.rect = p.add(bounds.Dx(), bounds.Dy())
			draw.DrawMask(p.image, g.rect, image.Opaque, image.Point{}, mask, origin, draw.Src)
		}
		b.glyphs = append(b.glyphs, g)
	}
	for r := rune(' '); r < latinRunes; r++ {
		if r < 0x7f || r >= 0xa0 {
			add(r)
		}
	}
	for _, r := range extraRunes {
		if r >= latinRunes {
			add(r)
		}
	}
	return b
}

// fill sets the pixels of r to a function of their centre, counted from the corner of r, clamped to
// 0..1.
func fill(img *image.Alpha, r image.Rectangle, f func(x, y float64) float64) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			v := f(float64(x-r.Min.X)+0.5, float64(y-r.Min.Y)+0.5)
			img.Pix[img.PixOffset(x, y)] = toByte(float32(v))
		}
	}
}

func spanOf(img *image.Alpha, r image.Rectangle) span {
	w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	to := func(v, size float64) uint16 { return uint16(math.Round(v / size * 65535)) }
	return span{
		a: uv{to(float64(r.Min.X), w), to(float64(r.Min.Y), h)},
		b: uv{to(float64(r.Max.X), w), to(float64(r.Max.Y), h)},
		w: float32(r.Dx()), h: float32(r.Dy()),
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

func (p *packer) add(w, h int) image.Rectangle {
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
	r := image.Rect(p.x, p.y, p.x+w, p.y+h)
	p.x += w + atlasPadding
	p.h = max(p.h, h)
	return r
}

func (p *packer) finish() *image.Alpha { return p.image }
