// Package plot has what the project's pages with diagrams share: paths and axes of SVG, and their
// style for light and dark displays.
package plot

import (
	_ "embed" // the style
	"math"
	"strconv"
	"strings"
)

// Style is the CSS of a page: colours that colour-blind readers can tell apart (k0 to k4), cards,
// tables, legends and diagrams.
//
//go:embed style.css
var Style string

// Path returns an SVG path through points, whose places x and y give. It leaves out points on a
// straight line between their neighbours, and begins anew behind a value of NaN.
func Path(at, values []float64, x, y func(float64) float64) string {
	var b strings.Builder
	px := func(i int) float64 { return math.Round(10*x(at[i])) / 10 }
	py := func(i int) float64 { return math.Round(10*y(values[i])) / 10 }
	nan := func(i int) bool { return i < 0 || i >= len(at) || values[i] != values[i] }
	lastKept := 0
	for i := range at {
		if nan(i) {
			continue
		}
		command := byte('L')
		if nan(i - 1) {
			command = 'M'
		} else if !nan(i + 1) {
			// This is the position of the point on the line from the last kept point to the next
			// one.
			f := (px(i) - px(lastKept)) / (px(i+1) - px(lastKept))
			if math.Abs(py(lastKept)+f*(py(i+1)-py(lastKept))-py(i)) < 0.06 && i-lastKept < 40 {
				continue
			}
		}
		Point(&b, command, px(i), py(i))
		lastKept = i
	}
	return b.String()
}

// Point adds a command of a path, such as 'M' or 'L', with a point.
func Point(b *strings.Builder, command byte, x, y float64) {
	b.WriteByte(command)
	b.WriteString(strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64))
	b.WriteByte(' ')
	b.WriteString(strconv.FormatFloat(math.Round(10*y)/10, 'f', -1, 64))
}

// Ticks returns round values between lo and hi, about n of them.
func Ticks(lo, hi float64, n int) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	for _, k := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(k*step) <= float64(n) {
			step *= k
			break
		}
	}
	var all []float64
	for i := math.Ceil(lo / step); i*step <= hi; i++ {
		all = append(all, i*step)
	}
	return all
}

// Number formats the label of a tick.
func Number(v float64) string {
	if math.Abs(v) < 1e-9 {
		return "0"
	}
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', 3, 64), "0"), ".")
}
