package browser

import "github.com/tandem-ecs/tandem/render"

// maxEvents bounds the events that wait for the program, but for releases.
const maxEvents = 4096

// Room reports whether an event is to be kept behind n others that wait. There is always room for a
// release: a key whose release is lost would stay pressed. Each release follows a press that had
// room, so the events are bounded.
func Room(n int, kind render.EventKind) bool {
	switch kind {
	case render.KeyRelease, render.MouseRelease, render.TouchRelease:
		return true
	}
	return n < maxEvents
}
