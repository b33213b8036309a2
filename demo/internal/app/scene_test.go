package app

import (
	"math"
	"testing"

	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/simulation"
	"github.com/tandem-ecs/tandem/render"
)

// The lines of a graph differ in colour, also for eyes without the receptors for green: by the
// matrix of Machado, Oliveira and Fernandes (2009) for deuteranopia.
func TestGraphColoursDiffer(t *testing.T) {
	seen := func(c render.Color) [3]float64 {
		l := c.Linear()
		m := [3][3]float64{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}
		var out [3]float64
		for i := range 3 {
			v := m[i][0]*float64(l[0]) + m[i][1]*float64(l[1]) + m[i][2]*float64(l[2])
			out[i] = 255 * math.Pow(min(max(v, 0), 1), 1/2.2)
		}
		return out
	}
	apart := func(a, b render.Color) float64 {
		x, y := seen(a), seen(b)
		return math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2]))
	}
	const least = 60 // of 441
	theme := render.Dusk()
	if d := apart(theme.Accent(0), theme.Accent(6)); d > least {
		t.Errorf("vermilion and moss are %.0f apart: the test shows nothing", d)
	}
	for _, name := range scenes.Names() {
		set := settings.Default()
		set.Scene = name
		s, err := newScene(set, &simulation.VirtualClock{})
		if err != nil {
			t.Fatal(err)
		}
		followed := s.Followed()
		for i, a := range followed {
			for _, b := range followed[:i] {
				if d := apart(theme.Accent(a.Accent), theme.Accent(b.Accent)); d < least {
					t.Errorf("%s: the lines of %q and %q are %.0f apart", name, a.Name, b.Name, d)
				}
			}
		}
		s.Close()
	}
}
