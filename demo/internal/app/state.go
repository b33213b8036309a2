package app

import (
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

// Cost is the processor's time for a frame.
type Cost struct {
	Update time.Duration // of the world
	Draw   time.Duration // of the picture, without the wait for the display
}

// State is what a run in a window shows at present.
type State struct {
	Settings settings.Settings
	Frames   int  // drawn since the beginning
	Cost     Cost // of the last frame
}

// State returns the present state of a run in a window, and false before its first frame. It must be
// called between two frames.
func (r *Run) State() (State, bool) {
	if r.loop == nil || r.loop.show == nil || r.loop.show.frames == 0 {
		return State{}, false
	}
	return State{r.loop.show.Settings(), r.loop.show.frames, r.loop.cost}, true
}
