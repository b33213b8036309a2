package play

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
)

// The text stays within the picture, whatever its size, also before the player is in. Drawing
// allocates nothing once the player is in.
func TestPicturesOfAnySize(t *testing.T) {
	v := newVirtual(t, nil)
	s := v.join(seed(1), nil)
	v.join(seed(2), nil)
	for _, playing := range []bool{false, true} {
		if playing {
			v.run(3*time.Second, nil)
		} else {
			s.Advance(frame)
		}
		for _, size := range []render.Size{{Width: 128, Height: 96}, {Width: 320, Height: 240}, {Width: 420, Height: 420}, {Width: 360, Height: 640}, {Width: 640, Height: 300}, {Width: 800, Height: 500}, {Width: 1280, Height: 720}, {Width: 3840, Height: 2160, Scale: 2}} {
			for _, on := range []settings.Settings{{Graphs: true}, {Graphs: true, Still: true, Ghosts: true}, {Overlay: settings.OverlayCaptions}, {Overlay: settings.OverlayNone}} {
				s.Set(on)
				s.Hint = on.Overlay == settings.OverlayAll && !on.Still
				f := render.NewFrame(view.Theme())
				var brush scene.Brush
				draw := func() {
					f.Begin(size)
					brush.Reset()
					s.Draw(f, render.Whole(), &brush)
				}
				draw()
				for _, corner := range f.Overlay.Vertices() {
					if size.Width >= 320 && (corner.X < 0 || corner.Y < 0 || corner.X > float32(size.Width) || corner.Y > float32(size.Height)) {
						t.Errorf("playing %v, %+v, %v: something is written at %v, %v", playing, on, size, corner.X, corner.Y)
						break
					}
				}
				if n := testing.AllocsPerRun(20, draw); playing && n > 0 {
					t.Errorf("%+v, %v: %v allocations per picture", on, size, n)
				}
			}
		}
	}
}

// -overlay=captions shows names over heads, but no figures, scores and graphs; -overlay=false shows
// nothing.
func TestCaptionsAtAMatch(t *testing.T) {
	v := newVirtual(t, nil)
	s := v.join(seed(1), nil)
	v.join(seed(2), nil)
	v.run(3*time.Second, nil)
	written := func(amount settings.Overlay) int {
		s.Set(settings.Settings{Overlay: amount, Graphs: true})
		f := render.NewFrame(view.Theme())
		f.Begin(render.Size{Width: 1280, Height: 720})
		var brush scene.Brush
		s.Draw(f, render.Whole(), &brush)
		return len(f.Overlay.Vertices())
	}
	all, captions, none := written(settings.OverlayAll), written(settings.OverlayCaptions), written(settings.OverlayNone)
	if none != 0 || captions < 50 || captions > all/3 {
		t.Errorf("%d vertices with all of the overlay, %d with captions, %d with nothing", all, captions, none)
	}
}

// Ghosts of boxes are their edges: faces would tint the platform or crate that they overlap, which
// is most of the time.
func TestGhostsOfBoxesAreEdges(t *testing.T) {
	v := newVirtual(t, nil)
	s := v.join(seed(1), nil)
	v.run(3*time.Second, nil)
	drawn := func(ghosts bool) (shells, lines int) {
		s.Set(settings.Settings{Overlay: settings.OverlayNone, Ghosts: ghosts, Predict: true, Reconcile: true})
		f := render.NewFrame(view.Theme())
		f.Begin(render.Size{Width: 640, Height: 360})
		var brush scene.Brush
		s.Draw(f, render.Whole(), &brush)
		for _, item := range f.Views()[0].Items() {
			switch b := item.(type) {
			case *render.LineBatch:
				lines += len(b.Lines)
			case *render.Batch:
				if b.Style == render.Ghost && b.Mesh == render.Cube {
					shells += len(b.Poses)
				}
			}
		}
		return shells, lines
	}
	_, without := drawn(false)
	shells, with := drawn(true)
	// Twelve for each of three platforms; one more leads from the player to its ghost.
	if shells != 0 || with-without != 3*12+1 {
		t.Errorf("%d shells of boxes and %d lines more than without ghosts, want none and 37", shells, with-without)
	}
}

// The places where a player vanishes and appears are marked for a moment, in all pictures. No
// running player is marked.
func TestJumpsAreMarked(t *testing.T) {
	if testing.Short() {
		t.Skip("600 pictures take long")
	}
	v := newVirtual(t, nil)
	v.join(seed(1), scripted(circle))
	v.join(seed(2), nil)
	marks := func(s *view.Client) (n int) {
		f := render.NewFrame(view.Theme())
		f.Begin(render.Size{Width: 640, Height: 360})
		var brush scene.Brush
		s.Draw(f, render.Whole(), &brush)
		for _, item := range f.Views()[0].Items() {
			if b, ok := item.(*render.Batch); ok && b.Style == render.Glow && b.Mesh == render.Cylinder {
				n += len(b.Poses)
			}
		}
		return n
	}
	most := func(d time.Duration) (most [2]int) {
		v.run(d, func() {
			for i, s := range v.clients {
				most[i] = max(most[i], marks(s))
			}
		})
		return most
	}
	v.run(3*time.Second, nil)
	if m := most(2 * time.Second); m != [2]int{} {
		t.Errorf("%v marks while one runs and one stands, want none", m)
	}
	v.match.Server().Players(func(p *rules.Player) {
		if p.Number() == 1 {
			state := p.State
			state.Pos = arena.NewLevel().Portals[1].Exit
			p.Teleport(state)
		}
	})
	if m := most(2 * time.Second); m != [2]int{2, 2} {
		t.Errorf("%v marks of a jump in the pictures of the two, want two in each", m)
	}
	if m := most(time.Second); m != [2]int{} {
		t.Errorf("%v marks long after the jump, want none", m)
	}
}
