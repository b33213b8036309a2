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
	s.hud.Draw(&f.Overlay, &hud.State{Info: info, Set: set, Now: s.Time(), Moment: m})
	if !split {
		s.drawPart(f, m, m.Room, false)
		return
	}
	const gap = 0.004
	raw, drawn, all := hud.Beside(f, m.Room, 0, 2, gap), hud.Beside(f, m.Room, 1, 2, gap), f.Overlay.Bounds()
	if set.Overlay != settings.OverlayNone && !m.Covered {
		if rate := s.Time().Rate; rate != s.rawRate {
			s.rawRate, s.rawTitle = rate, fmt.Sprintf("as simulated: %d times a second", rate)
		}
		top := headingsOnTop(f, m, set)
		heading(&f.Overlay, raw.In(all), top, f.Theme.Bad, s.rawTitle)
		if set.Interpolate {
			heading(&f.Overlay, drawn.In(all), top, f.Theme.Good, "drawn by Tandem: in every frame")
		} else {
			heading(&f.Overlay, drawn.In(all), top, f.Theme.Bad, "interpolation is off")
		}
	}
	s.drawPart(f, m, raw, true)
	s.drawPart(f, m, drawn, false)
}

// splitCaption explains a raw picture beside the other.
const splitCaption = "Both pictures show the same moment at the same frame rate. One has the poses of the last fixed step, the other is drawn between the last two. T shows one picture."

// drawPart draws the scene into a part of the picture, given in fractions.
func (s *sceneContent) drawPart(f *render.Frame, m hud.Moment, part render.Rect, raw bool) {
	now, set := s.Time(), s.Settings()
	w, h := f.Size.Points()
	aspect := w * part.W / (h * part.H)
	if raw || set.Split && s.Info().Splits {
		// The camera stands nearer than in a single narrow picture: the other half shows the edges,
		// too.
		aspect = max(aspect, min(aspect*1.3, wide))
	}
	view := f.ViewIn(part, s.camera.look(s.Scene().Camera(now), aspect))
	brush := &s.brushes[0]
	if raw {
		brush = &s.brushes[1]
	}
	brush.Reset()
	s.Scene().Draw(&scene.Picture{
		View: view, Overlay: &f.Overlay, Theme: &f.Theme, Brush: brush,
		Now: now, Raw: raw, Ghosts: set.Ghosts && !raw,
		Labels: set.Overlay != settings.OverlayNone && view.Viewport.H >= 220 && !m.Covered, Figures: set.Overlay == settings.OverlayAll,
	})
	brush.Show(view)
}

// headingsOnTop reports whether the titles of both halves take the place of the picture's title: in
// small pictures without figures.
func headingsOnTop(f *render.Frame, m hud.Moment, set settings.Settings) bool {
	return set.Overlay == settings.OverlayCaptions && m.Room.In(f.Overlay.Bounds()).H < 260
}

// heading writes the title of a half of the picture, at its upper edge if top is set.
func heading(o *render.Overlay, part render.Rect, top bool, color render.Color, text string) {
	style := render.TextHeading
	y := part.H * 0.22
	if part.W < 400 || part.H < 400 {
		style, y = render.TextSmall, 44
	}
	if top {
		y = 8
	}
	scene.Heading(o, part.X+part.W/2, part.Y+y, style, color, text)
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
