package match

import (
	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// controls is the controller of keyboard and mouse, or of two thumbs. It keeps a press until a tick
// has used it, however short the press was.
type controls struct {
	thumbs        thumbs
	held          map[render.Key]bool
	mouse         [2]float32
	aimed         bool // the mouse has moved
	yaw           uint16
	pitch         int8
	fire, rocket  bool // held
	jumped, fired bool // pressed since the last tick
	launched      bool // a rocket, since the last tick
	pushed        bool
}

// Input implements [view.Controller].
func (h *controls) Input(s *view.Client, _ netcode.Tick) (in arena.Input, push bool) {
	held := func(key render.Key) int8 {
		if h.held[key] {
			return 7
		}
		return 0
	}
	in.X, in.Z = held('D')-held('A'), held('S')-held('W')
	if h.aimed {
		if yaw, pitch, ok := s.AimAt(h.mouse[0], h.mouse[1]); ok {
			h.yaw, h.pitch = yaw, pitch
		}
	}
	in.Yaw, in.Pitch = h.yaw, h.pitch
	in.Jump = h.jumped || h.held[render.KeySpace]
	in.Fire, in.Rocket = h.fired || h.fire, h.launched || h.rocket
	push = h.pushed
	h.thumbs.input(s, h, &in)
	h.jumped, h.fired, h.launched, h.pushed = false, false, false, false
	return in, push
}

// release lets go of everything.
func (h *controls) release() {
	*h = controls{thumbs: thumbs{known: h.thumbs.known, w: h.thumbs.w, h: h.thumbs.h}, mouse: h.mouse, aimed: h.aimed, yaw: h.yaw, pitch: h.pitch}
}

// event handles the window's events, except the keys of package keys.
func (h *controls) event(e render.Event, size render.Size) {
	h.thumbs.event(h, e, size)
	if e.Finger != 0 {
		return // the thumbs'
	}
	switch e.Kind {
	case render.KeyPress:
		if h.held == nil {
			h.held = map[render.Key]bool{}
		}
		h.held[e.Key] = true
		h.jumped = h.jumped || e.Key == render.KeySpace
	case render.KeyRelease:
		delete(h.held, e.Key)
	case render.MouseMove:
		h.mouse, h.aimed = [2]float32{e.X, e.Y}, true
	case render.MousePress:
		if e.Button == render.MouseLeft {
			h.fire, h.fired = true, true
		} else if e.Button == render.MouseRight {
			h.rocket, h.launched = true, true
		}
	case render.MouseRelease:
		if e.Button == render.MouseLeft {
			h.fire = false
		} else if e.Button == render.MouseRight {
			h.rocket = false
		}
	case render.Focus:
		if !e.Focus {
			h.fire, h.rocket = false, false
			clear(h.held)
		}
	}
}
