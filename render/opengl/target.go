//go:build cgo || js

package opengl

import (
	"fmt"

	"github.com/tandem-ecs/tandem/render/opengl/internal/gl"
)

// target holds the picture of a frame: a multisampled framebuffer for the scene, and a plain one to
// which it is resolved. Both hold sRGB values, so that blending and resolving work on light. The
// overlay is drawn on bytes as they are: on the plain one if the conversion can be switched off,
// else on a copy.
type target struct {
	width, height, samples int32

	scene               uint32 // framebuffer; the same as final without multisampling
	sceneColor, depth   uint32 // renderbuffers
	final, finalTexture uint32
	shown, shownColor   uint32 // framebuffer with the overlay; the same as final without a copy
}

func newTarget(width, height, samples int32) (t target, err error) {
	t = target{width: width, height: height, samples: samples}
	t.finalTexture = newTexture(pictureUnit, gl.NEAREST)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, nil)
	gl.GenFramebuffers(1, &t.final)
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.final)
	gl.FramebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, t.finalTexture, 0)

	t.shown = t.final
	if !gl.SwitchesSRGB {
		gl.GenFramebuffers(1, &t.shown)
		gl.BindFramebuffer(gl.FRAMEBUFFER, t.shown)
		gl.GenRenderbuffers(1, &t.shownColor)
		gl.BindRenderbuffer(gl.RENDERBUFFER, t.shownColor)
		gl.RenderbufferStorageMultisample(gl.RENDERBUFFER, 0, gl.RGBA8, width, height)
		gl.FramebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, t.shownColor)
		gl.BindFramebuffer(gl.FRAMEBUFFER, t.final)
	}

	gl.GenRenderbuffers(1, &t.depth)
	gl.BindRenderbuffer(gl.RENDERBUFFER, t.depth)
	gl.RenderbufferStorageMultisample(gl.RENDERBUFFER, samples, gl.DEPTH_COMPONENT24, width, height)
	t.scene = t.final
	if samples > 0 {
		if err := complete("picture"); err != nil {
			t.delete()
			return target{}, err
		}
		gl.GenFramebuffers(1, &t.scene)
		gl.BindFramebuffer(gl.FRAMEBUFFER, t.scene)
		gl.GenRenderbuffers(1, &t.sceneColor)
		gl.BindRenderbuffer(gl.RENDERBUFFER, t.sceneColor)
		gl.RenderbufferStorageMultisample(gl.RENDERBUFFER, samples, gl.SRGB8_ALPHA8, width, height)
		gl.FramebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, t.sceneColor)
	}
	gl.FramebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, t.depth)
	if err := complete("scene"); err != nil {
		t.delete()
		return target{}, err
	}
	return t, nil
}

// newTexture makes a texture in a unit and leaves it bound.
func newTexture(unit uint32, filter int32) (id uint32) {
	gl.GenTextures(1, &id)
	gl.ActiveTexture(gl.TEXTURE0 + unit)
	gl.BindTexture(gl.TEXTURE_2D, id)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE)
	return id
}

// complete returns an error if the driver cannot draw to the bound framebuffer.
func complete(name string) error {
	if status := gl.CheckFramebufferStatus(gl.FRAMEBUFFER); status != gl.FRAMEBUFFER_COMPLETE {
		return fmt.Errorf("opengl: the driver refuses the %s's framebuffer (status 0x%x): try render.QualityPlain", name, status)
	}
	return nil
}

// resolve averages the samples into the final picture and leaves it bound for drawing.
func (t *target) resolve() {
	if t.scene != t.final {
		gl.BindFramebuffer(gl.READ_FRAMEBUFFER, t.scene)
		gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, t.final)
		gl.BlitFramebuffer(0, 0, t.width, t.height, 0, 0, t.width, t.height, gl.COLOR_BUFFER_BIT, gl.NEAREST)
	}
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.final)
}

func (t *target) delete() {
	if t.scene != t.final {
		gl.DeleteFramebuffers(1, &t.scene)
	}
	if t.shown != t.final {
		gl.DeleteFramebuffers(1, &t.shown)
	}
	gl.DeleteFramebuffers(1, &t.final)
	gl.DeleteRenderbuffers(1, &t.shownColor)
	gl.DeleteRenderbuffers(1, &t.sceneColor)
	gl.DeleteRenderbuffers(1, &t.depth)
	gl.DeleteTextures(1, &t.finalTexture)
	*t = target{}
}

// shadowMap is a depth texture that compares when it is sampled.
type shadowMap struct {
	size                 int32
	framebuffer, texture uint32
}

func newShadowMap(size int32) (s shadowMap, err error) {
	s.size = size
	s.texture = newTexture(shadowUnit, gl.LINEAR)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.DEPTH_COMPONENT24, size, size, 0, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT, nil)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL)
	gl.GenFramebuffers(1, &s.framebuffer)
	gl.BindFramebuffer(gl.FRAMEBUFFER, s.framebuffer)
	gl.FramebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, s.texture, 0)
	gl.DrawBuffer(gl.NONE)
	gl.ReadBuffer(gl.NONE)
	if err := complete("shadow map"); err != nil {
		s.delete()
		return shadowMap{}, err
	}
	return s, nil
}

func (s *shadowMap) delete() {
	gl.DeleteFramebuffers(1, &s.framebuffer)
	gl.DeleteTextures(1, &s.texture)
}
