package match

import (
	"io"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/hud"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// The flag -compare plays a match twice, with the same inputs on the same lines, and draws the
// first player of both: on the left as the newest snapshot has everything, on the right by Tandem.
// Hits depend on what a player sees, so the two matches stay the same only if no player shoots.

// naive returns the settings of the left match.
func naive(set settings.Settings) settings.Settings {
	set.Predict, set.Reconcile, set.Interpolation = false, false, interp.Naive
	return set
}

// compare begins the other match, whose players do in each tick what those of this match do.
func (m *Match) compare(c Config) {
	c.Settings, c.Virtual, c.Log = naive(m.set), m.config.Virtual, io.Discard
	m.other = New(c)
	for i, s := range m.clients {
		inputs := &record{Controller: s.Controller()}
		s.SetController(inputs)
		m.other.clients[i].SetController((*replayed)(inputs))
		s.Marks, m.other.clients[i].Marks = true, true
	}
}

// record notes the inputs of a controller by their ticks.
type record struct {
	view.Controller
	inputs [256]recorded // by the last bits of the tick
}

type recorded struct {
	tick  netcode.Tick
	input arena.Input
	push  bool
}

// Input implements [view.Controller].
func (r *record) Input(s *view.Client, t netcode.Tick) (arena.Input, bool) {
	var in arena.Input
	var push bool
	if r.Controller != nil {
		in, push = r.Controller.Input(s, t)
	}
	r.inputs[t%256] = recorded{t, in, push}
	return in, push
}

// replayed is the controller of a player that does what another has done in the same tick.
type replayed record

// Input implements [view.Controller].
func (r *replayed) Input(_ *view.Client, t netcode.Tick) (arena.Input, bool) {
	if in := r.inputs[t%256]; in.tick == t {
		return in.input, in.push
	}
	return arena.Input{}, false
}

// drawBoth draws the first players of both matches side by side.
func (m *Match) drawBoth(f *render.Frame, now hud.Moment) {
	for i, side := range [...]*Match{m.other, m} {
		part := hud.Beside(f, now.Room, i, 2, 0.006)
		if m.set.Overlay != settings.OverlayNone && !now.Covered {
			title, color := "naive: the newest snapshot", f.Theme.Bad
			if i == 1 {
				title, color = "Tandem", f.Theme.Good
			}
			at := part.In(f.Overlay.Bounds())
			scene.Heading(&f.Overlay, at.X+at.W/2, at.Y+captionTop(m.set.Overlay), render.TextHeading, color, title)
		}
		s := side.clients[0]
		s.Hint, s.Bare, s.Cross = now.Live, now.Covered, i == 1 && m.controls.aimed
		side.brushes[0].Reset()
		s.Draw(f, part, &side.brushes[0])
	}
}

// captionTop returns the distance of the titles from the upper edge, in points.
func captionTop(o settings.Overlay) float32 {
	if o == settings.OverlayAll {
		return 76 // below the panels of the match
	}
	return 10
}
