package record

import (
	"bufio"
	"fmt"
	"image"
	"image/png"
	"time"
)

// SavePNG writes one picture. The file gets its name only when it is complete.
func SavePNG(path string, img image.Image) error {
	f, err := create(path)
	if err != nil {
		return err
	}
	defer f.discard()
	w := bufio.NewWriter(f)
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(w, img); err != nil {
		return fmt.Errorf("record: writing %s: %w", path, err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("record: writing %s: %w", path, err)
	}
	return f.commit()
}

// pngRecorder writes the last picture.
type pngRecorder struct {
	path string
	file *pendingFile // reserves the name
	last *image.RGBA
}

func newPNG(path string) (Recorder, error) {
	f, err := create(path)
	if err != nil {
		return nil, err
	}
	return &pngRecorder{path: path, file: f}, nil
}

func (r *pngRecorder) Frame(img *image.RGBA, _ time.Duration) error {
	size := image.Rectangle{Max: img.Rect.Size()}
	if r.last == nil || r.last.Rect != size {
		r.last = image.NewRGBA(size)
	}
	copyRows(r.last, img)
	return nil
}

func (r *pngRecorder) Close() error {
	if r.file.done {
		return nil
	}
	r.file.discard()
	if r.last == nil {
		return fmt.Errorf("record: %s: %w", r.path, ErrEmpty)
	}
	return SavePNG(r.path, r.last)
}

func (r *pngRecorder) Abort() { r.file.discard() }

// copyRows copies a picture of the same size. src may be a part of a larger picture.
func copyRows(dst, src *image.RGBA) {
	w, h := dst.Rect.Dx(), dst.Rect.Dy()
	for y := 0; y < h; y++ {
		copy(dst.Pix[y*dst.Stride:y*dst.Stride+4*w], src.Pix[y*src.Stride:])
	}
}
