package keys_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

// sliders returns the bindings that have one.
func sliders() (all []keys.Binding) {
	for _, g := range keys.Groups(scenes.WithArena()) {
		for _, b := range g.Bindings {
			if b.Kind() == keys.Slide {
				all = append(all, b)
			}
		}
	}
	return all
}

// A slider's value comes back from the place of the knob, and from the settings. A place further to
// the right never means less.
func TestSliders(t *testing.T) {
	all := sliders()
	if len(all) != 5 {
		t.Fatalf("%d sliders, want rate, speed, latency, jitter and loss", len(all))
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(all).Draw(t, "slider").Slider
		v := min(s.Min+s.Step*rapid.IntRange(0, (s.Max-s.Min)/s.Step).Draw(t, "step"), s.Max)
		if place := s.Place(v); place < 0 || place > 1 || s.At(place) != v {
			t.Fatalf("%d is at %v, where %d is", v, place, s.At(place))
		}
		set := settings.Default()
		if s.Put(&set, v); s.Get(&set) != v {
			t.Fatalf("%d is %d in the settings", v, s.Get(&set))
		}
		a, b := rapid.Float64Range(-0.5, 1.5).Draw(t, "a"), rapid.Float64Range(-0.5, 1.5).Draw(t, "b")
		if low, high := s.At(min(a, b)), s.At(max(a, b)); low > high || low < s.Min || high > s.Max {
			t.Fatalf("%v and %v are %d and %d", a, b, low, high)
		}
	})
	for _, b := range all {
		s := b.Slider
		if s.At(0) != s.Min || s.At(1) != s.Max || s.Place(s.Min-1000) != 0 || s.Place(s.Max+1000) != 1 {
			t.Errorf("%s: the ends are %d and %d, want %d and %d", b.Label, s.At(0), s.At(1), s.Min, s.Max)
		}
		if middle := float64(s.At(0.5)); s.Log && (middle*middle < 0.9*float64(s.Min*s.Max) || middle*middle > 1.1*float64(s.Min*s.Max)) {
			t.Errorf("%s: the middle of a logarithmic scale from %d to %d is %v", b.Label, s.Min, s.Max, middle)
		}
	}
}

// A key keeps within the range of its slider, and has a remark.
func TestSlidersAndKeysAgree(t *testing.T) {
	for _, b := range sliders() {
		for _, at := range []float64{0, 0.3, 1} {
			byKnob := settings.Default()
			byKnob.Rate = 60
			b.Slider.Put(&byKnob, b.Slider.At(at))
			byKey := byKnob
			for range 20 { // to the end, and around
				b.Change(&byKey, keys.Press{Index: len(b.Keys) - 1})
				if v := b.Slider.Get(&byKey); v < b.Slider.Min || v > b.Slider.Max {
					t.Errorf("%s: the key reaches %d, beyond %d to %d", b.Label, v, b.Slider.Min, b.Slider.Max)
				}
			}
			if b.Remark(byKnob) == "" {
				t.Errorf("%s says nothing", b.Label)
			}
		}
	}
}
