package options

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

// capValue is a number of frames per second, 0 for "none", -1 for not given.
type capValue int

// String implements [flag.Value].
func (v *capValue) String() string { return strconv.Itoa(int(*v)) }

// Takes describes the values of the flag.
func (v *capValue) Takes() string { return "1 to 1000 frames per second, or none" }

// Set implements [flag.Value].
func (v *capValue) Set(s string) error {
	if s == "none" {
		*v = 0
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > settings.MaxCap {
		return errors.New(v.Takes())
	}
	*v = capValue(n)
	return nil
}

// sizeValue is the size of the picture; zero: not given.
type sizeValue struct{ width, height int }

// String implements [flag.Value].
func (v *sizeValue) String() string { return fmt.Sprintf("%dx%d", v.width, v.height) }

// Takes describes the values of the flag.
func (v *sizeValue) Takes() string {
	return "width x height in pixels, 64 to 7680 each, such as 1280x720"
}

// Set implements [flag.Value].
func (v *sizeValue) Set(s string) error {
	w, h, ok := strings.Cut(strings.ToLower(s), "x")
	width, err1 := strconv.Atoi(w)
	height, err2 := strconv.Atoi(h)
	if !ok || err1 != nil || err2 != nil || min(width, height) < minSide || max(width, height) > maxSide {
		return errors.New(v.Takes())
	}
	v.width, v.height = width, height
	return nil
}

// jitterValue is the time by which round trips vary.
type jitterValue time.Duration

// String implements [flag.Value].
func (v *jitterValue) String() string { return time.Duration(*v).String() }

// Takes says what the flag takes, and names the flag that is often meant instead.
func (v *jitterValue) Takes() string {
	return "the time by which round trips vary, with its unit, such as 20ms; frame times vary by -frame-jitter"
}

// Set implements [flag.Value].
func (v *jitterValue) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil {
		return errors.New(v.Takes())
	}
	*v = jitterValue(d)
	return nil
}

// overlayValue is how much is written into the picture.
type overlayValue settings.Overlay

// String implements [flag.Value].
func (v *overlayValue) String() string { return "" }

// Takes describes the values of the flag.
func (v *overlayValue) Takes() string {
	return "true, captions or false, as -overlay=captions"
}

// IsBoolFlag lets -overlay stand without a value; that means true.
func (v *overlayValue) IsBoolFlag() bool { return true }

// Set implements [flag.Value].
func (v *overlayValue) Set(s string) error {
	if s == "captions" {
		*v = overlayValue(settings.OverlayCaptions)
		return nil
	}
	on, err := strconv.ParseBool(s)
	if err != nil {
		return errors.New(v.Takes())
	}
	*v = overlayValue(settings.OverlayAll)
	if !on {
		*v = overlayValue(settings.OverlayNone)
	}
	return nil
}
