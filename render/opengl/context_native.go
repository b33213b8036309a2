//go:build cgo

package opengl

import (
	"fmt"
	"unsafe"

	"github.com/tandem-ecs/tandem/render/opengl/internal/gl"
)

// New makes a renderer for the context that is current on this thread. getProcAddress returns the
// address of an OpenGL function, nil for one that does not exist. An error means that the context
// is older than OpenGL 3.3, or that the driver refused a shader or a framebuffer.
//
// For a browser (GOOS=js) New takes a WebGL2 context instead.
func New(getProcAddress func(name string) unsafe.Pointer, config Config) (*Renderer, error) {
	if err := gl.Load(getProcAddress); err != nil {
		return nil, fmt.Errorf("opengl: %w", err)
	}
	return newRenderer(context{}, config)
}

// context is the renderer's context. It is current on the thread, and is not lost.
type context struct{}

func (r *Renderer) ready() (bool, error)   { return true, nil }
func (context) unlessLost(err error) error { return err }
func (context) close()                     {}
