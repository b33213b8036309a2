//go:build !js

package record

import (
	"bufio"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"time"
)

// SavePNG writes one picture. The file gets its name only when it is complete.
func SavePNG(path string, img image.Image) error {
	f, err := create(path)
	if err != nil {
		return err
	}
	defer f.discard()
	if err := writePNG(f, img); err != nil {
		return fmt.Errorf("record: writing %s: %w", path, err)
	}
	return f.commit()
}

func writePNG(out io.Writer, img image.Image) error {
	w := bufio.NewWriter(out)
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(w, img); err != nil {
		return err
	}
	return w.Flush()
}

// pngEncoder writes the last picture.
type pngEncoder struct {
	out  io.Writer
	last *image.RGBA
}

func (e *pngEncoder) frame(img *image.RGBA, _ time.Duration) error {
	e.last = copyOf(e.last, img)
	return nil
}

func (e *pngEncoder) finish() error { return writePNG(e.out, e.last) }

// copyOf returns a copy of a picture, which may be a part of a larger one: in dst if that has the
// right size, else in a new picture.
func copyOf(dst, img *image.RGBA) *image.RGBA {
	if whole := (image.Rectangle{Max: img.Rect.Size()}); dst == nil || dst.Rect != whole {
		dst = image.NewRGBA(whole)
	}
	draw.Draw(dst, dst.Rect, img, img.Rect.Min, draw.Src)
	return dst
}
