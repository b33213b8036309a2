package app

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/hud"
	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/simulation"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
)

// sceneContent is a scene as [Content]: its simulation, its overlay and its camera.
type sceneContent struct {
	*simulation.Simulation
	theme   render.Theme
	hud     *hud.HUD
	brushes [2]scene.Brush // the second one is for a raw picture beside the other
	camera  camera
	past    ecs.Time // sums over the scenes before the last restart

	rawTitle string // of a raw picture beside the other
	rawRate  int    // in rawTitle
}

// newScene sets up the scene that the settings name. The clock measures fixed steps.
func newScene(set settings.Settings, host simulation.Clock) (*sceneContent, error) {
	sim, err := simulation.New(set, host)
	if err != nil {
		return nil, err
	}
	s := &sceneContent{Simulation: sim, camera: newCamera()}
	s.begin()
	return s, nil
}

// begin prepares theme and overlay of a scene that has just begun.
func (s *sceneContent) begin() {
	s.theme = render.Daylight()
	if s.Info().Dusk {
		s.theme = render.Dusk()
	}
	s.hud = hud.New(&s.theme, s.Followed())
}

// Title implements [Content].
func (s *sceneContent) Title() string { return "Tandem" }

// Theme implements [Content].
func (s *sceneContent) Theme() render.Theme { return s.theme }

// Over implements [Content]: scenes have no end.
func (s *sceneContent) Over() bool { return false }

// Advance implements [Content].
func (s *sceneContent) Advance(real time.Duration) {
	s.Update(real)
	s.hud.Measure(s.Time())
}

// Trace implements [Content].
func (s *sceneContent) Trace(row func(now ecs.Time, name string, logical, visual components.Pose3D)) {
	now := s.Time()
	s.Scene().Trace(func(name string, logical, visual components.Pose3D) { row(now, name, logical, visual) })
}

// Draw implements [Content].
func (s *sceneContent) Draw(f *render.Frame, m hud.Moment) {
	set := s.Settings()
	info := s.Info()
	split := set.Split && info.Splits
	if split {
		info.Title, info.Caption = "One simulation, drawn twice", splitCaption
		if headingsOnTop(f, m, set) {
			info.Title = ""
		}
	}
	// Panels first: labels give way to them.
	clear := s.hud.Draw(&f.Overlay, &hud.State{Info: info, Set: set, Now: s.Time(), Moment: m})
	if !split {
		s.drawPart(f, m, part{m.Room, clear}, false)
		return
	}
	raw, drawn := halves(f, m.Room, clear)
	if set.Overlay != settings.OverlayNone && !m.Covered {
		if rate := s.Time().Rate; rate != s.rawRate {
			s.rawRate, s.rawTitle = rate, fmt.Sprintf("as simulated: %d times a second", rate)
		}
		text, color := "drawn by Tandem: in every frame", f.Theme.Good
		if !set.Interpolate {
			text, color = "interpolation is off", f.Theme.Bad
		}
		raw.heading(f, m, set, f.Theme.Bad, s.rawTitle)
		drawn.heading(f, m, set, color, text)
	}
	s.drawPart(f, m, raw, true)
	s.drawPart(f, m, drawn, false)
}

// splitCaption explains a raw picture beside the other.
const splitCaption = "Both pictures show the same moment at the same frame rate. One has the poses of the last fixed step, the other is drawn between the last two. T shows one picture."

// drawPart draws the scene into a part of the picture.
func (s *sceneContent) drawPart(f *render.Frame, m hud.Moment, p part, raw bool) {
	now, set, info := s.Time(), s.Settings(), s.Info()
	orbit, at := s.Scene().Camera(now), aim{p.room.In(f.Overlay.Bounds()), p.clear, 1}
	foot := render.Rect{}
	switch {
	case hud.Upright(m.Room.In(f.Overlay.Bounds())):
		if all := set.Overlay == settings.OverlayAll && !m.Covered; all && p.clear.H-info.Upright.Foot > p.clear.W/wide {
			at.clear.H -= info.Upright.Foot
			foot = render.Rect{X: p.clear.X, Y: at.clear.Y + at.clear.H, W: p.clear.W, H: info.Upright.Foot}
		}
		at = aimUpright(&orbit, info.Upright, at.view, at.clear)
	case raw || set.Split && info.Splits:
		// The camera stands nearer than in a single narrow picture: the other half shows the edges,
		// too.
		at.near = max(1, min(1.3, wide*at.clear.H/at.clear.W))
	}
	if hud.Short(m.Room.In(f.Overlay.Bounds())) { // the edges of scenes may lie below the panels
		more := min(0.15*at.clear.H, (at.view.H-at.clear.H)/2)
		at.clear.Y, at.clear.H = at.clear.Y-more, at.clear.H+2*more
	}
	view := f.ViewIn(p.room, s.camera.look(orbit, at))
	brush := &s.brushes[0]
	if raw {
		brush = &s.brushes[1]
	}
	brush.Reset()
	s.Scene().Draw(&scene.Picture{
		View: view, Overlay: &f.Overlay, Theme: &f.Theme, Brush: brush,
		Now: now, Raw: raw, Ghosts: set.Ghosts && !raw, Foot: foot,
		Labels: set.Overlay != settings.OverlayNone && view.Viewport.H >= 220 && !m.Covered, Figures: set.Overlay == settings.OverlayAll,
	})
	brush.Show(view)
}

// Apply implements [Content]. A scene that had to restart is shown from its beginning.
func (s *sceneContent) Apply(set settings.Settings) error {
	before, past := s.Settings(), s.Time()
	restarted, err := s.Simulation.Apply(set)
	if err != nil || !restarted {
		return err
	}
	s.ended(past)
	if before.Scene != set.Scene {
		s.camera = newCamera()
	}
	return nil
}

// ended adds up the past time, and begins the next run.
func (s *sceneContent) ended(past ecs.Time) {
	s.past.Normal += past.Normal
	s.past.Real += past.Real
	s.past.Dropped += past.Dropped
	s.past.Tick += past.Tick
	s.begin()
}

// Act implements [Content].
func (s *sceneContent) Act(a keys.Action) error {
	switch a {
	case keys.Step:
		return s.Step()
	case keys.ResetCamera:
		s.camera = newCamera()
	case keys.Restart:
		past := s.Time()
		if err := s.Restart(); err != nil {
			return err
		}
		s.ended(past)
	}
	return nil
}

// Event implements [Content]: the mouse moves the camera.
func (s *sceneContent) Event(e render.Event, size render.Size) { s.camera.event(e, size) }

// Summary implements [Content].
func (s *sceneContent) Summary(frames int) string {
	now := s.Time()
	dropped := "nothing dropped"
	if d := now.Dropped + s.past.Dropped; d > 0 {
		dropped = fmt.Sprintf("%.3f s dropped", d.Seconds())
	}
	return fmt.Sprintf("%s: %d frames, %.3f s of real and %.3f s of normal time, %d fixed steps, %s", s.Settings().Scene, frames,
		(now.Real + s.past.Real).Seconds(), (now.Normal + s.past.Normal).Seconds(), now.Tick+s.past.Tick, dropped)
}
