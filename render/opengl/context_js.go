package opengl

import (
	"fmt"
	"syscall/js"

	"github.com/tandem-ecs/tandem/render/opengl/internal/gl"
)

// New makes a renderer for a WebGL2RenderingContext, the result of canvas.getContext("webgl2"). It
// needs no depth, stencil or antialiasing of that context. An error means that it is no such
// context, or that the browser refused a shader or a framebuffer.
//
// A page may have several renderers, each with a context of its own. The renderer survives the loss
// of its context: while that is lost, Draw draws nothing and returns no error, and Capture returns
// one. When the browser has restored it, the next Draw builds everything anew and uploads the whole
// of each batch, whatever its revision. The caller need not listen for webglcontextlost.
func New(webgl2 js.Value, config Config) (*Renderer, error) {
	c := &webContext{value: webgl2}
	var err error
	if c.gl, err = gl.NewContext(webgl2); err != nil {
		return nil, fmt.Errorf("opengl: %w", err)
	}
	c.gl.Use()
	r, err := newRenderer(c, config)
	if err != nil {
		return nil, err
	}
	// Without preventDefault the browser does not restore a context.
	c.listen("webglcontextlost", func(event js.Value) { event.Call("preventDefault") })
	c.listen("webglcontextrestored", func(js.Value) { c.restored = true })
	return r, nil
}

type context = *webContext

// webContext is the renderer's context.
type webContext struct {
	value     js.Value
	gl        *gl.Context
	restored  bool // it was lost, and nothing of the renderer is left in it
	listeners []listener
}

type listener struct {
	event string
	call  js.Func
}

func (c *webContext) listen(event string, call func(event js.Value)) {
	f := js.FuncOf(func(_ js.Value, args []js.Value) any {
		call(args[0])
		return nil
	})
	c.value.Get("canvas").Call("addEventListener", event, f)
	c.listeners = append(c.listeners, listener{event, f})
}

func (c *webContext) close() {
	for _, l := range c.listeners {
		c.value.Get("canvas").Call("removeEventListener", l.event, l.call)
		l.call.Release()
	}
	c.listeners = nil
}

// ready makes the context current, and builds the renderer anew if the context was restored. It
// returns false if there is nothing to draw with.
func (r *Renderer) ready() (bool, error) {
	c := r.context
	c.gl.Use()
	if c.gl.Lost() {
		return false, nil
	}
	if !c.restored {
		return true, nil
	}
	renewed, err := gl.NewContext(c.value)
	if err == nil {
		c.gl = renewed
		c.gl.Use()
		*r = Renderer{context: c, config: r.config}
		err = r.build()
	}
	c.restored = err != nil
	return err == nil, c.unlessLost(err)
}

// unlessLost returns the error, or nil if it comes from the loss of the context.
func (c *webContext) unlessLost(err error) error {
	if err != nil && c.gl.Lost() {
		return nil
	}
	return err
}
