// Package app runs the demo: in a window with keys, or off screen with files.
package app

import (
	"fmt"
	"io"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/hud"
	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/simulation"
	"github.com/tandem-ecs/tandem/demo/internal/trace"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
)

// Show is a simulation with its picture, its trace and its camera. It is driven frame by frame, from outside.
type Show struct {
	sim     *simulation.Simulation
	hud     *hud.HUD
	frame   *render.Frame
	brushes [2]scene.Brush // the second one is for a raw picture beside the other
	camera  camera
	groups  []keys.Group

	table  *trace.Writer // nil: no trace
	frames int           // since the beginning of the show
	past   ecs.Time      // sums over the scenes before the last restart

	// Live says that somebody sits before a window.
	Live bool
	// Recording is the length of the clip that is being recorded; negative: none is.
	Recording time.Duration
	// UpdateTime and DrawTime are what the processor spent on a frame of late, for the overlay of a window.
	UpdateTime, DrawTime time.Duration

	toast      string
	toastUntil time.Duration // of the show's real time
	real       time.Duration
}

// NewShow sets up the scene that the settings name. The host says what fixed steps cost; trace is where the table goes, or nil.
func NewShow(set settings.Settings, host simulation.Host, table io.Writer) (*Show, error) {
	sim, err := simulation.New(set, host)
	if err != nil {
		return nil, err
	}
	s := &Show{
		sim:       sim,
		frame:     render.NewFrame(theme(sim.Info())),
		camera:    newCamera(),
		groups:    keys.Groups(scenes.Names()),
		Recording: -1,
	}
	if table != nil {
		s.table = trace.NewWriter(table)
	}
	s.hud = hud.New(&s.frame.Theme, sim.Scene().Followed())
	return s, nil
}

// Advance runs one frame that took the given real time, and writes its rows.
func (s *Show) Advance(real time.Duration) {
	s.real += max(real, 0)
	s.sim.Update(real)
	now := s.sim.Time()
	s.hud.Measure(now)
	if s.table != nil {
		s.sim.Scene().Trace(func(name string, logical, visual components.Pose3D) {
			s.table.Row(s.frames, now, name, logical, visual)
		})
	}
	s.frames++
}

// Draw draws the present moment.
func (s *Show) Draw(surface render.Surface) error {
	f := s.frame
	f.Begin(surface.Size())
	if f.Size.Empty() {
		return nil
	}
	now := s.sim.Time()
	set := s.sim.Settings()
	if set.Split && s.sim.Info().Splits {
		const gap = 0.004
		raw := s.drawPart(render.Whole().Column(0, 2, gap), true)
		drawn := s.drawPart(render.Whole().Column(1, 2, gap), false)
		if set.Overlay {
			heading(&f.Overlay, raw, f.Theme.Bad, "raw: as simulated")
			if set.Interpolate {
				heading(&f.Overlay, drawn, f.Theme.Good, "interpolated")
			} else {
				heading(&f.Overlay, drawn, f.Theme.Bad, "interpolation is off")
			}
		}
	} else {
		s.drawPart(render.Whole(), false)
	}
	state := hud.State{
		Info: s.sim.Info(), Set: set, Now: now, Keys: s.groups, Live: s.Live, Recording: s.Recording,
		Update: s.UpdateTime, Draw: s.DrawTime,
	}
	if s.real < s.toastUntil {
		state.Toast = s.toast
	}
	s.hud.Draw(&f.Overlay, &state)
	return surface.Draw(f)
}

// drawPart lets the scene draw into a part of the picture, given in fractions, and returns it in points.
func (s *Show) drawPart(part render.Rect, raw bool) render.Rect {
	f, now, set := s.frame, s.sim.Time(), s.sim.Settings()
	w, h := f.Size.Points()
	aspect := w * part.W / (h * part.H)
	if part.W < 1 {
		aspect *= 1.3 // nearer than in a narrow picture of its own: there is another one to see what is at the edges
	}
	view := f.ViewIn(part, s.camera.look(s.sim.Scene().Camera(now), aspect))
	brush := &s.brushes[0]
	if raw {
		brush = &s.brushes[1]
	}
	brush.Reset()
	s.sim.Scene().Draw(&scene.Picture{
		View: view, Overlay: &f.Overlay, Theme: &f.Theme, Brush: brush,
		Now: now, Raw: raw, Ghosts: set.Ghosts && !raw, Labels: set.Overlay && h >= 240,
	})
	brush.Show(view)
	return view.Viewport
}

// heading says what a half of the picture shows.
func heading(o *render.Overlay, part render.Rect, color render.Color, text string) {
	style := render.TextHeading
	if part.W < 400 {
		style = render.TextSmall
	}
	w, h := o.Width(style, text)+20, o.LineHeight(style)+8
	r := render.Rect{X: part.X + (part.W-w)/2, Y: part.Y + max(part.H*0.22, 44), W: w, H: h}
	o.Panel(r)
	o.TextAligned(r.X+w/2, r.Y+4, render.AlignCenter, style, color, text)
}

// Change applies other settings. A scene that had to start anew is shown from its beginning.
func (s *Show) Change(set settings.Settings) error {
	before, past := s.sim.Settings(), s.sim.Time()
	restarted, err := s.sim.Apply(set)
	if err != nil {
		return err
	}
	if restarted {
		s.begun(past)
		if before.Scene != set.Scene {
			s.camera = newCamera()
		}
	}
	return nil
}

// Restart begins the scene anew.
func (s *Show) Restart() error {
	past := s.sim.Time()
	if err := s.sim.Restart(); err != nil {
		return err
	}
	s.begun(past)
	return nil
}

func (s *Show) begun(past ecs.Time) {
	s.past.Normal += past.Normal
	s.past.Real += past.Real
	s.past.Dropped += past.Dropped
	s.past.Tick += past.Tick
	s.frame.Theme = theme(s.sim.Info())
	s.hud = hud.New(&s.frame.Theme, s.sim.Scene().Followed())
}

func theme(info scene.Info) render.Theme {
	if info.Dusk {
		return render.Dusk()
	}
	return render.Daylight()
}

// Step makes the next frame of a paused show run one fixed step.
func (s *Show) Step() error { return s.sim.Step() }

// Say shows a passing remark.
func (s *Show) Say(text string) { s.toast, s.toastUntil = text, s.real+1800*time.Millisecond }

// Settings returns the present settings.
func (s *Show) Settings() settings.Settings { return s.sim.Settings() }

// Time returns the engine's time.
func (s *Show) Time() ecs.Time { return s.sim.Time() }

// Flush writes out the trace.
func (s *Show) Flush() error {
	if s.table == nil {
		return nil
	}
	return s.table.Flush()
}

// Close ends the simulation.
func (s *Show) Close() { s.sim.Close() }

// Summary says in one line what has been run.
func (s *Show) Summary() string {
	now := s.sim.Time()
	dropped := "nothing dropped"
	if d := now.Dropped + s.past.Dropped; d > 0 {
		dropped = fmt.Sprintf("%.3f s dropped", d.Seconds())
	}
	return fmt.Sprintf("%s: %d frames, %.3f s of real and %.3f s of normal time, %d fixed steps, %s", s.sim.Settings().Scene, s.frames,
		(now.Real + s.past.Real).Seconds(), (now.Normal + s.past.Normal).Seconds(), now.Tick+s.past.Tick, dropped)
}
