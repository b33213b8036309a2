// Package record writes pictures and clips: PNG, GIF with a palette of its own, and MP4 by ffmpeg
// where that is installed. [Open] begins a recording, and [SavePNG] writes one picture. It builds
// without cgo. A browser has no files: there both return [errors.ErrUnsupported].
//
//	r, err := record.Open("out.gif", record.Config{})
//	...
//	err = r.Frame(picture, 16667*time.Microsecond) // for every picture, with the time that it is shown
//	...
//	err = r.Close()                                // the complete file gets its name
//
// A recording is written under a temporary name in the same folder and renamed when it is complete,
// so a file with the right name is always complete.
package record

import (
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Recorder takes pictures one after the other. It is for one goroutine.
type Recorder interface {
	// Frame adds a picture that is shown for the given time. It does not keep the picture. In a
	// clip all pictures must have the size of the first: Frame returns an error for one of another
	// size, and the recording goes on without it.
	Frame(img *image.RGBA, shown time.Duration) error

	// Close finishes the recording and gives the file its name. Without any picture it returns
	// [ErrEmpty] and writes no file.
	Close() error

	// Abort discards the recording. After Close it does nothing, so that it can be deferred.
	Abort()
}

// Config is the way to record. Its zero value works.
type Config struct {
	// FPS is the frame rate of an MP4 file. Zero means 60. Pictures that are shown for longer are
	// repeated, and pictures that are shown for less may be left out, so that the clip lasts
	// exactly as long as its pictures.
	FPS float64

	// MaxFPS bounds the frame rate of a GIF file. Zero means 50, and more than 50 has no effect,
	// since browsers slow down faster clips. Pictures are left out evenly: 60 a second become 30.
	MaxFPS float64

	// FFmpeg is the program that makes MP4 files. Empty means ffmpeg on the PATH.
	FFmpeg string
}

// ErrFormat is returned by Open for a file name that does not end in .png, .gif or .mp4.
var ErrFormat = errors.New("unknown kind of file")

// ErrNoFFmpeg is returned by Open for an .mp4 file where ffmpeg is not installed.
var ErrNoFFmpeg = errors.New("ffmpeg is not installed")

// ErrEmpty is returned by Close when no picture was recorded.
var ErrEmpty = errors.New("no picture was recorded")

// Open begins a recording. The end of the path decides its kind: .png writes the last picture, .gif
// and .mp4 are clips.
//
// The folder must exist. Open checks this and the permission to write there at once, before
// anything is drawn.
func Open(path string, o Config) (Recorder, error) {
	if o.FPS == 0 {
		o.FPS = 60
	}
	if o.MaxFPS == 0 {
		o.MaxFPS = 50
	}
	if !(o.FPS >= 1 && o.FPS <= 1000) || !(o.MaxFPS >= 1 && o.MaxFPS <= 1000) {
		return nil, errors.New("record: frame rates must be between 1 and 1000")
	}
	kind := strings.ToLower(filepath.Ext(path))
	if !slices.Contains([]string{".png", ".gif", ".mp4"}, kind) {
		return nil, fmt.Errorf("record: %q: %w: the name must end in .png, .gif or .mp4", path, ErrFormat)
	}
	return begin(path, kind, o)
}

// encoder writes a file of one kind.
type encoder interface {
	// frame adds a picture, and does not keep it.
	frame(img *image.RGBA, shown time.Duration) error
	// finish completes the file. There has been a picture.
	finish() error
}

// recording is a Recorder for files of any kind.
type recording struct {
	encoder encoder
	file    *pendingFile
	abort   func() // ends the encoder before its end; nil: nothing is to be done
	anySize bool
	size    image.Point // of the last picture
	failure error
}

func (r *recording) Frame(img *image.RGBA, shown time.Duration) error {
	if r.failure != nil {
		return r.failure
	}
	size := img.Rect.Size()
	if size.X < 1 || size.Y < 1 || !r.anySize && (size.X > 65535 || size.Y > 65535) {
		return fmt.Errorf("record: a picture of %d by %d pixels: give one with sides between 1 and 65535", size.X, size.Y)
	}
	if r.size != (image.Point{}) && size != r.size && !r.anySize {
		return fmt.Errorf("record: the picture is now %d by %d pixels, the recording %d by %d: a recording keeps its size; close it and begin another",
			size.X, size.Y, r.size.X, r.size.Y)
	}
	r.size = size
	r.failure = r.wrap(r.encoder.frame(img, shown))
	return r.failure
}

func (r *recording) Close() error {
	if r.file.done {
		return nil
	}
	defer r.Abort()
	switch {
	case r.failure != nil:
		return r.failure
	case r.size == (image.Point{}):
		return r.wrap(ErrEmpty)
	}
	if err := r.encoder.finish(); err != nil {
		return r.wrap(err)
	}
	return r.file.commit()
}

func (r *recording) Abort() {
	if r.abort != nil {
		r.abort()
	}
	r.file.discard()
}

func (r *recording) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("record: writing %s: %w", r.file.path, err)
}
