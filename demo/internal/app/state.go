package app

import (
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/ecs"
)

// Cost is the processor's time for a frame.
type Cost struct {
	Update time.Duration // of the world
	Draw   time.Duration // of the picture, without the wait for the display
}

// State is what a run in a window shows at present.
type State struct {
	Settings settings.Settings
	Frames   int    // drawn since the beginning
	Cost     Cost   // of the last frame
	Steps    int    // fixed steps of the last frame, of a scene
	Summary  string // of the run so far
}

// State returns the present state of a run in a window, and false before its first frame. It must
// be called between two frames.
func (r *Run) State() (State, bool) {
	if r.loop == nil || r.loop.show == nil || r.loop.show.frames == 0 {
		return State{}, false
	}
	s := State{Settings: r.loop.show.Settings(), Frames: r.loop.show.frames, Cost: r.loop.cost, Summary: r.loop.show.Summary()}
	if c, ok := r.loop.show.Content.(interface{ Time() ecs.Time }); ok {
		s.Steps = c.Time().Steps
	}
	return s, true
}
