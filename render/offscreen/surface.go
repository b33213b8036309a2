//go:build cgo && linux

package offscreen

import (
	"fmt"
	"runtime"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/opengl"
)

// Surface is a picture in memory to draw on. It implements render.Surface.
//
// All calls must come from the goroutine that called [New].
type Surface struct {
	*opengl.Renderer
	context *context
	size    render.Size
}

var _ render.Surface = (*Surface)(nil)

// New makes a surface. It ties the calling goroutine to its operating-system thread until Close
// (runtime.LockOSThread), since an OpenGL context belongs to a thread.
func New(c Config) (*Surface, error) {
	size, err := c.size()
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	ctx, err := newContext(platforms[:]...)
	if err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("offscreen: %w: %w", ErrUnavailable, err)
	}
	renderer, err := opengl.New(ctx.procAddress, opengl.Config{Quality: c.Quality})
	if err != nil {
		ctx.close()
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("offscreen: %w: %w", ErrUnavailable, err)
	}
	return &Surface{Renderer: renderer, context: ctx, size: size}, nil
}

// Size returns the size for [render.Frame.Begin].
func (s *Surface) Size() render.Size { return s.size }

// Resize changes the size of the following pictures.
func (s *Surface) Resize(width, height int, scale float32) error {
	size, err := Config{Width: width, Height: height, Scale: scale}.size()
	if err == nil {
		s.size = size
	}
	return err
}

// Close frees the picture and all graphics memory. Further calls do nothing.
func (s *Surface) Close() {
	if s.context == nil {
		return
	}
	s.Renderer.Close()
	s.context.close()
	s.context = nil
	runtime.UnlockOSThread()
}
