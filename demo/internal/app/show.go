// Package app runs scenes and matches: in a window with keys, or off screen with files.
package app

import (
	"fmt"
	"io"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/hud"
	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/panel"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/trace"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
)

// Content is a scene, or the clients of a match. All methods are called on one goroutine.
type Content interface {
	Info() scene.Info
	Title() string // of the window
	Theme() render.Theme
	Settings() settings.Settings

	// Apply changes the settings.
	Apply(settings.Settings) error
	// Act carries out a key's action beyond a change of the settings.
	Act(keys.Action) error
	// Event handles a window's event. The size is that of the picture.
	Event(e render.Event, size render.Size)

	// Advance runs one frame that took the given real time.
	Advance(real time.Duration)
	// Trace calls row for every named body.
	Trace(row func(now ecs.Time, name string, logical, visual components.Pose3D))
	// Draw draws the current moment into a frame that has begun.
	Draw(f *render.Frame, m hud.Moment)

	// Over reports whether the content has ended. Then a run without a window ends.
	Over() bool
	// Summary describes a run of so many frames in one line or more.
	Summary(frames int) string
	Close()
}

// Show is content with its picture and its trace. The caller drives it frame by frame.
type Show struct {
	Content
	hud.Moment
	Recording bool // a clip is being recorded
	dropped   bool // the content is in the place of what the run has opened
	panel     panel.Panel

	frame     *render.Frame
	scenes    []string      // names of those that keys choose
	info      scene.Info    // of the content, when the keys were chosen for it
	groups    []keys.Group  // of all keys
	shownKeys []keys.Group  // of those with an effect here
	table     *trace.Writer // nil: no trace
	frames    int           // since the beginning of the show
	real      time.Duration

	remarks    io.Writer // log of remarks; nil: none
	toast      string
	toastUntil time.Duration // of the show's real time
}

// NewShow returns a show that has not begun. Keys choose among the scenes of the given names. The
// trace goes to table, unless that is nil.
func NewShow(c Content, names []string, table io.Writer) *Show {
	s := &Show{frame: render.NewFrame(c.Theme()), scenes: names}
	s.put(c)
	if table != nil {
		s.table = trace.NewWriter(table)
	}
	return s
}

// put replaces the content.
func (s *Show) put(c Content) {
	s.Content, s.info = c, c.Info()
	s.info.Dropped = s.dropped
	s.groups = keys.For(s.scenes, s.info)
	s.shownKeys = keys.Here(s.groups, s.info)
	s.panel.Put(s.groups, s.info)
}

// Advance runs one frame that took the given real time, and writes its rows.
func (s *Show) Advance(real time.Duration) {
	s.real += max(real, 0)
	s.Content.Advance(real)
	if now := s.Info(); now.Replay != s.info.Replay { // the last seconds of a match, or back
		s.put(s.Content)
	}
	if s.table != nil {
		s.Content.Trace(func(now ecs.Time, name string, logical, visual components.Pose3D) {
			s.table.Row(s.frames, now, name, logical, visual)
		})
	}
	s.frames++
}

// Draw draws the current moment.
func (s *Show) Draw(surface render.Surface) error {
	f := s.frame
	f.Theme = s.Theme()
	f.Begin(surface.Size())
	if f.Size.Empty() {
		return nil
	}
	set := s.Settings()
	s.Room, s.Covered = render.Whole(), false
	if s.Live {
		s.Room, s.Covered = s.panel.Room(f.Size, &set)
	}
	s.Content.Draw(f, s.Moment)
	if s.Live {
		s.panel.Draw(&f.Overlay, f.Size, &set)
	}
	over := hud.Over{Keys: s.shownKeys, Help: set.Keys, Match: s.info.Match, Replay: s.info.Replay, Recording: s.Recording, Room: s.Room}
	if s.toast != "" && s.real < s.toastUntil {
		over.Toast = s.toast
	}
	over.Draw(&f.Overlay)
	return surface.Draw(f)
}

// Say shows a remark for a short time, and logs it.
func (s *Show) Say(text string) {
	if text == "" {
		return
	}
	s.toast, s.toastUntil = text, s.real+1800*time.Millisecond
	if s.remarks != nil {
		fmt.Fprintln(s.remarks, text)
	}
}

// greet shows the content's greeting, for longer than a remark.
func (s *Show) greet() { s.toast, s.toastUntil = s.Info().Greeting, s.real+4*time.Second }

// Flush writes buffered rows of the trace.
func (s *Show) Flush() error {
	if s.table == nil {
		return nil
	}
	return s.table.Flush()
}

// Summary describes the run.
func (s *Show) Summary() string { return s.Content.Summary(s.frames) }
