package options

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

// The functions of this file read the values of flags that take more than a plain number or text.
// Their errors say what the flag takes.

// readCap reads a number of frames per second, 0 for "none".
func (o *Options) readCap(text string) error {
	n, err := strconv.Atoi(text)
	if text != "none" && (err != nil || n < 1 || n > settings.MaxCap) {
		return errors.New("1 to 1000 frames per second, or none")
	}
	o.Cap = n
	return nil
}

// readSize reads the size of the picture.
func (o *Options) readSize(text string) error {
	w, h, ok := strings.Cut(strings.ToLower(text), "x")
	width, err1 := strconv.Atoi(w)
	height, err2 := strconv.Atoi(h)
	if !ok || err1 != nil || err2 != nil || min(width, height) < minSide || max(width, height) > maxSide {
		return errors.New("width x height in pixels, 64 to 7680 each, such as 1280x720")
	}
	o.Width, o.Height = width, height
	return nil
}

// readJitter reads the time by which round trips vary. Its error names the flag that is often meant
// instead.
func (o *Options) readJitter(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return errors.New("the time by which round trips vary, with its unit, such as 20ms; frame times vary by -frame-jitter")
	}
	o.Link.Jitter = d
	return nil
}

// readOverlay reads how much is written into the picture. A flag without a value means true.
func (o *Options) readOverlay(text string) error {
	on, err := strconv.ParseBool(text)
	switch {
	case text == "captions":
		o.Overlay = settings.OverlayCaptions
	case err != nil:
		return errors.New("true, captions or false, as -overlay=captions")
	case on:
		o.Overlay = settings.OverlayAll
	default:
		o.Overlay = settings.OverlayNone
	}
	return nil
}
