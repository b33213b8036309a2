//go:build !js

package record

import (
	"bufio"
	"bytes"
	"compress/lzw"
	"encoding/binary"
	"image"
	"io"
	"slices"
	"time"
)

// gifEncoder writes an animated GIF (GIF89a) while it is recorded, so that its memory does not
// grow with the length of the clip.
//
// The first pictures are held back until there are enough for a palette. A later picture that the
// palette does not suit gets a palette of its own. Pixels with the same colour as before are
// transparent, which compresses to next to nothing, and only the rectangle that changed is written.
type gifEncoder struct {
	out      *bufio.Writer
	size     image.Point
	interval time.Duration // shortest time between two pictures

	now      time.Duration // start of the next picture
	lastTime time.Duration // start of the last picture that was taken
	held     []heldPicture

	palette  *palette
	local    bool  // the palette is not the file's
	patience int   // pictures before the palette may change again
	shown    []rgb // the picture on a viewer's screen
	indices  []uint8

	pending  bytes.Buffer // the last picture, encoded except for its delay
	packed   bytes.Buffer // its compressed indices
	began    int64        // start of the last picture, in hundredths of a second
	written  bool         // the header is written
	compress *lzw.Writer
}

type heldPicture struct {
	img *image.RGBA
	at  time.Duration
}

const (
	holdPictures = 24
	holdBytes    = 96 << 20
	transparent  = 255

	// minDelay is the shortest delay that browsers keep, in hundredths of a second. They show
	// pictures with a shorter one for a tenth of a second.
	minDelay = 2
	maxDelay = 65535
)

func newGIF(out io.Writer, o Config) *gifEncoder {
	interval := max(time.Duration(float64(time.Second)/o.MaxFPS), minDelay*10*time.Millisecond)
	return &gifEncoder{
		out: bufio.NewWriterSize(out, 1<<16), interval: interval, lastTime: -interval, compress: lzw.NewWriter(io.Discard, lzw.LSB, 8).(*lzw.Writer),
	}
}

func (g *gifEncoder) frame(img *image.RGBA, shown time.Duration) error {
	at := g.now
	g.now += max(shown, 0)
	// A microsecond of tolerance, so that a rounded 1/50 s counts as one.
	if at-g.lastTime < g.interval-time.Microsecond {
		return nil
	}
	g.lastTime, g.size = at, img.Rect.Size()
	if g.palette != nil {
		return g.encode(img, at)
	}
	g.held = append(g.held, heldPicture{copyOf(nil, img), at})
	if len(g.held) == holdPictures || len(g.held)*4*g.size.X*g.size.Y > holdBytes {
		return g.release()
	}
	return nil
}

// release makes the file's palette of the pictures held back, and writes them.
func (g *gifEncoder) release() error {
	h := histogram{}
	for _, p := range g.held {
		h.add(p.img)
	}
	g.palette = newPalette(h)
	g.shown = make([]rgb, g.size.X*g.size.Y)
	g.indices = make([]uint8, g.size.X*g.size.Y)
	held := g.held
	g.held = nil
	for _, p := range held {
		if err := g.encode(p.img, p.at); err != nil {
			return err
		}
	}
	return nil
}

// encode encodes a picture that begins at the given time. It keeps the result until the start of
// the next picture is known, and with it the delay.
func (g *gifEncoder) encode(img *image.RGBA, at time.Duration) error {
	fresh := !g.written
	changed, misfit := g.quantise(img, fresh)
	if g.patience > 0 {
		g.patience--
	} else if misfit && !fresh {
		g.patience = patiencePictures
		h := histogram{}
		h.add(img)
		g.palette = newPalette(h)
		g.local = true
		changed, _ = g.quantise(img, fresh)
	}
	if changed.Empty() {
		return nil // the previous one stays on the screen
	}
	start := (int64(at) + 5e6) / 1e7
	if fresh {
		g.writeHeader()
		g.written = true
	} else if err := g.flush(start); err != nil {
		return err
	}
	g.began = start
	g.writePicture(changed)
	return nil
}

// quantise fills indices. It returns the rectangle that differs from the viewer's screen, and
// whether the palette suits the picture badly.
func (g *gifEncoder) quantise(img *image.RGBA, fresh bool) (changed image.Rectangle, misfit bool) {
	w, h := g.size.X, g.size.Y
	lo, hi := image.Pt(w, h), image.Pt(0, 0)
	bad := 0
	for y := 0; y < h; y++ {
		row := img.Pix[y*img.Stride : y*img.Stride+4*w]
		for x := 0; x < w; x++ {
			r, gr, b := row[4*x], row[4*x+1], row[4*x+2]
			i := g.palette.index(r, gr, b)
			c := g.palette.colors[i]
			at := y*w + x
			if !fresh && c == g.shown[at] {
				g.indices[at] = transparent
				continue
			}
			if distance(c, int(r), int(gr), int(b)) > badDistance {
				bad++
			}
			g.indices[at] = i
			lo.X, lo.Y = min(lo.X, x), min(lo.Y, y)
			hi.X, hi.Y = max(hi.X, x+1), max(hi.Y, y+1)
		}
	}
	return image.Rectangle{Min: lo, Max: hi}.Intersect(image.Rect(0, 0, w, h)), bad*misfitShare > w*h
}

const (
	badDistance = 16 * 16 * (weightR + weightG + weightB) // 16 of 255 in every channel
	// a palette suits badly when more than one in so many pixels is bad
	misfitShare = 50

	// patiencePictures prevents that a scene with too many colours needs a new palette for every
	// picture.
	patiencePictures = 15
)

func (g *gifEncoder) writeHeader() {
	header := appendNumbers([]byte("GIF89a"), g.size.X, g.size.Y)
	g.out.Write(append(header, 0xf7, 0, 0)) // a table of 256 colours of 8 bits
	g.out.Write(g.table())
	g.out.WriteString("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00") // repeat for ever
	g.local = false
}

// table returns the palette in the form of the file.
func (g *gifEncoder) table() []byte {
	table := make([]byte, 3*256)
	for i, c := range g.palette.colors {
		table[3*i], table[3*i+1], table[3*i+2] = c.r, c.g, c.b
	}
	return table
}

func appendNumbers(b []byte, numbers ...int) []byte {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
	}
	return b
}

// writePicture encodes the rectangle into pending and updates the picture on a viewer's screen.
func (g *gifEncoder) writePicture(r image.Rectangle) {
	p := &g.pending
	p.Reset()
	p.Write(appendNumbers([]byte{0x2c}, r.Min.X, r.Min.Y, r.Dx(), r.Dy()))
	if g.local {
		p.WriteByte(0x87) // a table of 256 colours follows
		p.Write(g.table())
	} else {
		p.WriteByte(0)
	}
	p.WriteByte(8) // bits of an index
	g.packed.Reset()
	g.compress.Reset(&g.packed, lzw.LSB, 8)
	w := g.size.X
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := g.indices[y*w+r.Min.X : y*w+r.Max.X]
		g.compress.Write(row) // it cannot fail, since the buffer does not
		for x, i := range row {
			if i != transparent {
				g.shown[y*w+r.Min.X+x] = g.palette.colors[i]
			}
		}
	}
	g.compress.Close()
	for block := range slices.Chunk(g.packed.Bytes(), 255) {
		p.WriteByte(byte(len(block)))
		p.Write(block)
	}
	p.WriteByte(0)
}

// flush writes the pending picture, shown until the given time in hundredths of a second.
//
// It rounds both ends instead of the difference: delays alternate (3, 3, 4 at 30 pictures a
// second), and their sum is exact.
func (g *gifEncoder) flush(until int64) error {
	delay := max(until-g.began, 1)
	for delay > maxDelay {
		g.control(maxDelay)
		g.out.Write(g.pending.Bytes())
		delay -= maxDelay
		// A picture of one transparent pixel takes the rest of the time.
		g.pending.Reset()
		g.pending.WriteString("\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x08\x04\x00\xff\x05\x04\x00")
	}
	g.control(int(delay))
	_, err := g.out.Write(g.pending.Bytes())
	return err
}

// control writes the block before a picture: leave the picture on the screen afterwards, its delay,
// and the index of transparency.
func (g *gifEncoder) control(delay int) {
	g.out.Write([]byte{0x21, 0xf9, 4, 1<<2 | 1, byte(delay), byte(delay >> 8), transparent, 0})
}

func (g *gifEncoder) finish() error {
	if g.palette == nil {
		if err := g.release(); err != nil {
			return err
		}
	}
	end := (int64(g.now) + 5e6) / 1e7
	if err := g.flush(max(end, g.began+minDelay)); err != nil {
		return err
	}
	g.out.WriteByte(0x3b)
	return g.out.Flush()
}
