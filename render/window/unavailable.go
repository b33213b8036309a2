//go:build !cgo && !js

package window

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/render"
)

// Window is a window on the display. In this build there is none.
type Window struct{ render.Surface }

var _ render.Surface = (*Window)(nil)

// Open returns an error that says how to build with windows.
func Open(c Config) (*Window, error) {
	if _, err := c.withDefaults(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("window: %w: this program was built without cgo: build it with CGO_ENABLED=1 and a C compiler (Debian and Ubuntu: "+
		"apt install gcc libc6-dev pkg-config libgl-dev libxcursor-dev libxrandr-dev libxinerama-dev libxi-dev libxxf86vm-dev)", ErrNoDisplay)
}

// Driver and the other methods cannot be reached, since Open returns no Window.
func (*Window) Driver() string             { return "none" }
func (*Window) Poll() (render.Event, bool) { return render.Event{}, false }
func (*Window) ShouldClose() bool          { return true }
func (*Window) RequestClose()              {}
func (*Window) Down(render.Key) bool       { return false }
func (*Window) Minimised() bool            { return false }
func (*Window) Focused() bool              { return false }
func (*Window) VSync() bool                { return false }
func (*Window) Waited() time.Duration      { return 0 }
func (*Window) SetVSync(bool)              {}
func (*Window) SetTitle(string)            {}
func (*Window) Fullscreen() bool           { return false }
func (*Window) SetFullscreen(bool)         {}
