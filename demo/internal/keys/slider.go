package keys

import (
	"math"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

// Slider is a setting as whole numbers on a scale, for a knob on a line.
type Slider struct {
	Min, Max, Step int
	Log            bool // equal ways on the line are equal ratios; Min is above 0
	Unit           string

	Get func(s *settings.Settings) int
	Put func(s *settings.Settings, v int)
}

// At returns the value at a place of the knob, from 0 at the left end to 1 at the right one.
func (s *Slider) At(place float64) int {
	place = min(max(place, 0), 1)
	low, high := float64(s.Min), float64(s.Max)
	v := low + place*(high-low)
	if s.Log {
		v = low * math.Pow(high/low, place)
	}
	return min(s.Min+s.Step*int(math.Round((v-low)/float64(s.Step))), s.Max)
}

// Place returns the knob's place for a value. A flag may set a value beyond the scale: the knob is
// at the end then.
func (s *Slider) Place(v int) float64 {
	low, high, at := float64(s.Min), float64(s.Max), float64(min(max(v, s.Min), s.Max))
	if s.Log {
		return math.Log(at/low) / math.Log(high/low)
	}
	return (at - low) / (high - low)
}

// number is the type of a setting that a slider changes.
type number interface{ int | float64 | time.Duration }

// slide gives a binding that steps through values a slider from the first of them to the last. A
// whole number of the slider is num/den of the setting.
func slide[T number](b Binding, s Slider, values []T, field func(*set) *T, num, den T) Binding {
	whole := func(v T) int { return int(math.Round(float64(v) * float64(den) / float64(num))) }
	s.Min, s.Max = whole(values[0]), whole(values[len(values)-1])
	s.Get = func(from *set) int { return whole(*field(from)) }
	s.Put = func(to *set, v int) { *field(to) = T(v) * num / den }
	b.Slider = &s
	return b
}
