//go:build !cgo || !linux

package offscreen

import (
	"fmt"

	"github.com/tandem-ecs/tandem/render"
)

// Surface is a picture in memory to draw on. In this build there is none.
type Surface struct{ render.Surface }

var _ render.Surface = (*Surface)(nil)

// New returns an error that says how to build with drawing off screen.
func New(c Config) (*Surface, error) {
	if _, err := c.size(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("offscreen: %w: this program was built without cgo or for a system without EGL: build it on Linux with CGO_ENABLED=1 and a C compiler (Debian and Ubuntu: apt install gcc libc6-dev pkg-config libgl-dev)", ErrUnavailable)
}

// Upload and the other methods cannot be reached, since New returns no Surface.
func (*Surface) Upload(*render.Frame) error                    { return ErrUnavailable }
func (*Surface) Resize(width, height int, scale float32) error { return ErrUnavailable }
func (*Surface) Driver() string                                { return "none" }
