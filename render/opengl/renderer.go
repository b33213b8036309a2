//go:build cgo || js

package opengl

import (
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/opengl/internal/gl"
)

// Config is the way to draw. Its zero value works.
type Config struct {
	Quality render.Quality // zero chooses by the kind of graphics processor
	// Interactive makes the zero Quality faster with a software rasteriser, for a program in a
	// window
	Interactive bool
}

// Renderer is the OpenGL implementation of render.Renderer.
type Renderer struct {
	context context
	config  Config

	settings settings
	driver   string
	programs programs
	target   target
	shadow   shadowMap
	uniforms uint32 // buffer
	// allocated apart, since memory with Go pointers in it must not be passed to C
	scene *sceneBlock
	light *mgl32.Mat4
	empty uint32 // vertex array without attributes

	meshes    [render.MeshCount][2]meshBuffer // the second of each has fewer triangles
	instances map[any]*instances              // by batch
	overlay   overlayBuffer

	frame uint64
	ahead bool // Upload has begun the next frame of Draw
	stats render.Stats
	noted error // the first error of the driver in the middle of the frame
}

var _ render.Renderer = (*Renderer)(nil)

// settings are the values of a render.Quality.
type settings struct {
	samples    int32
	shadowSize int32 // zero: none
	taps       int   // of the shadow filter, in each direction
	spacing    float32
}

func settingsOf(c Config, driver string) settings {
	q := c.Quality
	if q == render.QualityAuto {
		q = render.QualityHigh
		software := []string{"llvmpipe", "softpipe", "SwiftShader", "Software Rasterizer", "Microsoft Basic Render"}
		if slices.ContainsFunc(software, func(name string) bool { return strings.Contains(driver, name) }) {
			if q = render.QualityBalanced; c.Interactive {
				q = render.QualityFast
			}
		}
	}
	switch q {
	case render.QualityPlain:
		return settings{taps: 1, spacing: 1}
	case render.QualityFast:
		return settings{shadowSize: 1024, taps: 2, spacing: 1}
	case render.QualityBalanced:
		return settings{samples: 4, shadowSize: 1024, taps: 2, spacing: 1}
	default:
		return settings{samples: 8, shadowSize: 2048, taps: 4, spacing: 1.2}
	}
}

// keepFrames is the number of frames without a batch after which its graphics memory is freed.
const keepFrames = 600

// newRenderer makes a renderer for the current context.
func newRenderer(c context, config Config) (*Renderer, error) {
	r := &Renderer{context: c, config: config}
	if err := r.build(); err != nil {
		return nil, err
	}
	return r, nil
}

// build makes everything that is there before the first frame.
func (r *Renderer) build() (err error) {
	r.driver = gl.Driver()
	r.settings = settingsOf(r.config, r.driver)
	r.settings.samples = min(r.settings.samples, gl.GetInteger(gl.MAX_SAMPLES))
	r.instances = make(map[any]*instances)
	if r.programs, err = newPrograms(defines(r.settings.taps, r.settings.spacing)); err != nil {
		r.programs.delete()
		return err
	}
	// A sampler needs a complete texture even if nothing is sampled, so there is always a shadow
	// map.
	if r.shadow, err = newShadowMap(max(r.settings.shadowSize, 1)); err != nil {
		r.programs.delete()
		return err
	}
	r.scene, r.light = new(sceneBlock), new(mgl32.Mat4)
	r.overlay = newOverlayBuffer()
	gl.GenVertexArrays(1, &r.empty)
	gl.BindVertexArray(r.empty)
	for m := range render.Mesh(render.MeshCount) {
		r.meshes[m] = [2]meshBuffer{newMeshBuffer(m, false), newMeshBuffer(m, true)}
	}
	gl.GenBuffers(1, &r.uniforms)
	gl.BindBuffer(gl.UNIFORM_BUFFER, r.uniforms)
	gl.BufferData(gl.UNIFORM_BUFFER, sceneSize, nil, gl.STREAM_DRAW)
	gl.BindBufferBase(gl.UNIFORM_BUFFER, 0, r.uniforms)
	return nil
}

// Driver names the graphics processor and the driver's version.
func (r *Renderer) Driver() string { return r.driver }

// Stats returns the work of the last Draw.
func (r *Renderer) Stats() render.Stats { return r.stats }

// Upload does the first part of Draw: it uploads the frame's batches. The next Draw must be of the
// same frame, and does not upload them again. Use it to measure uploads apart from drawing, or to
// upload while the program would wait.
func (r *Renderer) Upload(f *render.Frame) error {
	r.stats = render.Stats{}
	if ok, err := r.ready(); !ok {
		return err
	}
	r.frame++
	r.ahead = true
	r.upload(f)
	return r.context.unlessLost(r.takeNoted())
}

// Draw draws the frame into the renderer's own picture; see [Renderer.Present] and
// [Renderer.Capture].
func (r *Renderer) Draw(f *render.Frame) error {
	ok, err := r.ready()
	if !ok || f.Size.Empty() {
		r.stats, r.ahead = render.Stats{}, false
		return err
	}
	if !r.ahead {
		err = r.Upload(f)
	}
	r.ahead = false
	return r.context.unlessLost(errors.Join(err, r.draw(f)))
}

// draw draws a frame that is uploaded.
func (r *Renderer) draw(f *render.Frame) error {
	if err := r.resize(int32(f.Size.Width), int32(f.Size.Height)); err != nil {
		return err
	}

	gl.Enable(gl.FRAMEBUFFER_SRGB)
	blendOver()
	gl.BindFramebuffer(gl.FRAMEBUFFER, r.target.scene)
	gl.Disable(gl.SCISSOR_TEST)
	gl.DepthMask(true)
	back := f.Theme.Backdrop.Linear()
	gl.ClearColor(back[0], back[1], back[2], 1)
	gl.Clear(gl.COLOR_BUFFER_BIT)
	views := f.Views()
	for i := range views {
		r.drawView(f, &views[i])
	}
	r.target.resolve()
	gl.Viewport(0, 0, r.target.width, r.target.height)
	if gl.SwitchesSRGB {
		gl.Disable(gl.FRAMEBUFFER_SRGB)
	} else {
		r.encode()
	}
	r.drawOverlay(&f.Overlay)
	gl.BindVertexArray(0)
	if r.frame%256 == 0 {
		r.freeUnused()
	}
	return errors.Join(r.takeNoted(), driverError())
}

// encode copies the picture to the framebuffer that keeps bytes as they are.
func (r *Renderer) encode() {
	gl.BindFramebuffer(gl.FRAMEBUFFER, r.target.shown)
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.Disable(gl.BLEND)
	gl.BindVertexArray(r.empty)
	gl.UseProgram(r.programs.encode.id)
	gl.DrawArrays(gl.TRIANGLES, 0, 3)
	r.drawn(1)
}

// upload uploads all batches of the frame. It leaves batches with errors out of the picture.
func (r *Renderer) upload(f *render.Frame) {
	views := f.Views()
	for i := range views {
		for _, item := range views[i].Items() {
			switch b := item.(type) {
			case *render.Batch:
				r.uploadBatch(b)
				r.stats.Instances += len(b.Poses)
			case *render.MotionBatch:
				r.uploadMotion(b)
				r.stats.Instances += b.Len()
			case *render.LineBatch:
				r.uploadLines(b)
			}
		}
	}
}

func (r *Renderer) resize(width, height int32) error {
	if r.target.width == width && r.target.height == height {
		return nil
	}
	r.target.delete()
	for {
		t, err := newTarget(width, height, r.settings.samples)
		if err == nil || r.settings.samples == 0 {
			r.target = t
			return err
		}
		// Some drivers offer fewer samples for this format, or have no memory for so many.
		r.settings.samples /= 2
		driverError()
	}
}

// Present copies the picture to the default framebuffer, a window's back buffer, of the given size
// in pixels.
func (r *Renderer) Present(width, height int) {
	if ok, _ := r.ready(); !ok || r.target.width == 0 {
		return
	}
	gl.BindFramebuffer(gl.READ_FRAMEBUFFER, r.target.shown)
	gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, 0)
	filter := uint32(gl.NEAREST)
	if r.target.width != int32(width) || r.target.height != int32(height) {
		filter = gl.LINEAR // the window was resized since Draw
	}
	gl.BlitFramebuffer(0, 0, r.target.width, r.target.height, 0, 0, int32(width), int32(height), gl.COLOR_BUFFER_BIT, filter)
}

// Capture returns the picture of the last Draw; see render.Renderer.
func (r *Renderer) Capture(dst *image.RGBA) (*image.RGBA, error) {
	ok, err := r.ready()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("opengl: the graphics context is lost: draw again when it is back")
	}
	w, h := int(r.target.width), int(r.target.height)
	if w == 0 {
		return nil, errors.New("opengl: there is no picture to capture: call Draw first")
	}
	if dst == nil || dst.Rect != image.Rect(0, 0, w, h) || dst.Stride != 4*w {
		dst = image.NewRGBA(image.Rect(0, 0, w, h))
	}
	gl.BindFramebuffer(gl.READ_FRAMEBUFFER, r.target.shown)
	gl.PixelStorei(gl.PACK_ALIGNMENT, 4)
	gl.ReadPixels(0, 0, int32(w), int32(h), gl.RGBA, gl.UNSIGNED_BYTE, unsafe.Pointer(&dst.Pix[0]))
	flip(dst)
	return dst, driverError()
}

// flip reverses the order of the rows, since OpenGL delivers them from the bottom, and makes all
// pixels opaque.
func flip(img *image.RGBA) {
	h := img.Rect.Dy()
	for y := 0; y < h/2; y++ {
		top := img.Pix[y*img.Stride : (y+1)*img.Stride]
		bottom := img.Pix[(h-1-y)*img.Stride : (h-y)*img.Stride]
		for i := range top {
			top[i], bottom[i] = bottom[i], top[i]
		}
	}
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255
	}
}

// freeUnused frees the memory of batches that have not been drawn for a while.
func (r *Renderer) freeUnused() {
	for k, g := range r.instances {
		if r.frame-g.frame > keepFrames {
			g.delete()
			delete(r.instances, k)
		}
	}
}

// Close frees all graphics memory.
func (r *Renderer) Close() {
	if r.instances == nil {
		return
	}
	r.context.close()
	if ok, _ := r.ready(); !ok {
		return // all of it is gone
	}
	for _, g := range r.instances {
		g.delete()
	}
	r.instances = nil
	for i := range r.meshes {
		r.meshes[i][0].delete()
		r.meshes[i][1].delete()
	}
	r.overlay.delete()
	r.shadow.delete()
	r.target.delete()
	r.programs.delete()
	gl.DeleteBuffers(1, &r.uniforms)
	gl.DeleteVertexArrays(1, &r.empty)
}

// note keeps the first error of the frame, for the result of Draw or Upload.
func (r *Renderer) note(err error) {
	if r.noted == nil {
		r.noted = err
	}
}

func (r *Renderer) takeNoted() error {
	err := r.noted
	r.noted = nil
	return err
}

// driverError returns the first error that OpenGL has noted since the last call, and clears all.
func driverError() error {
	var first uint32
	// A lost context may report errors without end.
	for i := 0; i < 16; i++ {
		e := gl.GetError()
		if e == gl.NO_ERROR {
			break
		}
		if first == 0 {
			first = e
		}
	}
	switch first {
	case 0:
		return nil
	case gl.OUT_OF_MEMORY:
		return errors.New("opengl: the graphics processor is out of memory: draw fewer instances or a smaller picture")
	}
	return fmt.Errorf("opengl: the driver reported error 0x%x", first)
}
