// Package frametimes provides frame times: at a steady rate, from a file, with artificial jitter.
// They are exact to the nanosecond and repeatable.
package frametimes

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Source returns the durations of successive frames.
type Source func() time.Duration

// Steady returns a source of rate frames per second, rounded so that the k-th frame ends at floor(k
// * 1e9 / rate) nanoseconds: nothing drifts.
func Steady(rate int) Source {
	if rate <= 0 {
		panic(fmt.Sprintf("frametimes: a rate of %d frames per second; it must be positive", rate))
	}
	frames := make([]time.Duration, rate) // every second ends on a whole nanosecond
	for k := range frames {
		n := time.Duration(k)
		frames[k] = (n+1)*time.Second/time.Duration(rate) - n*time.Second/time.Duration(rate)
	}
	return Repeat(frames)
}

// Repeat returns a source of the durations in order, repeated after the last. The slice must not be
// empty; it is not copied.
func Repeat(durations []time.Duration) Source {
	if len(durations) == 0 {
		panic("frametimes: Repeat needs at least one duration")
	}
	next := 0
	return func() time.Duration {
		d := durations[next]
		next = (next + 1) % len(durations)
		return d
	}
}

// Vary returns d changed by a random share, uniform between -share and +share.
func Vary(d time.Duration, share float64, random *rand.Rand) time.Duration {
	if share == 0 {
		return d
	}
	return d + time.Duration(float64(d)*share*(2*random.Float64()-1))
}

// MaxFrame is the longest frame in a file. It keeps sums of many frames within the range of a
// time.Duration.
const MaxFrame = 24 * time.Hour

// Read reads a file of frame times: one whole number of nanoseconds a line. Empty lines and lines
// that begin with # are skipped. Errors contain the name and the line.
func Read(r io.Reader, name string) ([]time.Duration, error) {
	var durations []time.Duration
	lines := bufio.NewScanner(r)
	line := 0
	for lines.Scan() {
		line++
		text := lines.Text()
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff") // the byte order mark that some editors write
		}
		text = strings.TrimSpace(text)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		ns, err := strconv.ParseInt(text, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) || ns > int64(MaxFrame):
			return nil, fmt.Errorf("%s:%d: %s is out of range; a frame may take at most %d ns (24 hours)", name, line, shorten(text), int64(MaxFrame))
		case err != nil:
			return nil, fmt.Errorf("%s:%d: %q is not a whole number of nanoseconds", name, line, shorten(text))
		case ns < 0:
			return nil, fmt.Errorf("%s:%d: %d is negative; a frame takes 0 ns or more", name, line, ns)
		}
		durations = append(durations, time.Duration(ns))
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: the line is too long for a number of nanoseconds", name, line+1)
	} else if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line+1, err)
	}
	if len(durations) == 0 {
		return nil, fmt.Errorf("%s: it contains no frame time; write one whole number of nanoseconds a line", name)
	}
	return durations, nil
}

func shorten(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}
