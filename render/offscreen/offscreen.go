// Package offscreen draws into memory, without a window and without any display: for tests, for
// pictures and clips made on servers, and for machines where a window cannot be opened. It draws
// with the same code as package window. [New] returns a [Surface].
//
// It needs libEGL.so.1 and an OpenGL driver at run time (Debian and Ubuntu: libegl1 and libgl1;
// Mesa's software rasteriser will do). They are loaded when New is called: programs that never call
// it run without them. It needs Linux and cgo; elsewhere New returns [ErrUnavailable].
package offscreen

import (
	"errors"

	"github.com/tandem-ecs/tandem/render"
)

// ErrUnavailable is returned by New when this machine cannot draw off screen. The error that wraps
// it says which part is missing.
var ErrUnavailable = errors.New("drawing off screen is not available")

// Config is the size and quality of a surface. Its zero value works.
type Config struct {
	Width, Height int            // in pixels; zero means 1280 by 720
	Scale         float32        // pixels per point of the overlay; zero means 1
	Quality       render.Quality // zero chooses by the kind of graphics processor
}

func (c Config) size() (render.Size, error) {
	if c.Width == 0 && c.Height == 0 {
		c.Width, c.Height = 1280, 720
	}
	if c.Width < 1 || c.Height < 1 || c.Width > maxSide || c.Height > maxSide {
		return render.Size{}, errors.New("offscreen: width and height must be between 1 and 16384 pixels")
	}
	if c.Scale == 0 {
		c.Scale = 1
	}
	if !(c.Scale >= 0.25 && c.Scale <= 8) {
		return render.Size{}, errors.New("offscreen: the scale must be between 0.25 and 8 pixels per point")
	}
	return render.Size{Width: c.Width, Height: c.Height, Scale: c.Scale}, nil
}

const maxSide = 16384
