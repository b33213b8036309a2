//go:build js

package gl

import (
	"syscall/js"
	"unsafe"
)

const (
	// Header is the first lines of a shader.
	Header = "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2DShadow;\n"
	// SwitchesSRGB reports whether FRAMEBUFFER_SRGB exists: whether drawing to a target of sRGB
	// values can leave out their conversion.
	SwitchesSRGB = false
)

// ClampsDepth reports whether DEPTH_CLAMP can be enabled.
func ClampsDepth() bool { return current.clampsDepth }

// Driver names the graphics processor and the version of WebGL.
func Driver() string {
	parameter := func(name any) string { return current.GetParameter.Invoke(name).String() }
	renderer := parameter(RENDERER)
	if renderer == "WebKit WebGL" { // Chromium and Safari tell more by an extension
		if info := current.GetExtension.Invoke("WEBGL_debug_renderer_info"); info.Truthy() {
			renderer = parameter(info.Get("UNMASKED_RENDERER_WEBGL"))
		}
	}
	return renderer + ", " + parameter(VERSION)
}

// GetInteger returns a limit of the browser.
func GetInteger(name uint32) int32 { return integer(current.GetParameter.Invoke(name)) }

// integer returns a number; 0 for what a lost context returns instead.
func integer(v js.Value) int32 {
	if v.Type() != js.TypeNumber {
		return 0
	}
	return int32(v.Int())
}

// ShaderSource sets the text of a shader.
func ShaderSource(shader uint32, text string) {
	current.ShaderSource.Invoke(current.objects[shader], text)
}

// CompileShader compiles a shader. It returns the browser's message if that fails.
func CompileShader(shader uint32) (log string, ok bool) {
	o := current.objects[shader]
	current.CompileShader.Invoke(o)
	return current.GetShaderInfoLog.Invoke(o).String(), current.GetShaderParameter.Invoke(o, compileStatus).Truthy()
}

// LinkProgram links a program. It returns the browser's message if that fails.
func LinkProgram(program uint32) (log string, ok bool) {
	o := current.objects[program]
	current.LinkProgram.Invoke(o)
	return current.GetProgramInfoLog.Invoke(o).String(), current.GetProgramParameter.Invoke(o, linkStatus).Truthy()
}

const (
	compileStatus = 0x8B81
	linkStatus    = 0x8B82
)

// GetUniformLocation returns the location of a uniform, -1 if the program has none of that name.
func GetUniformLocation(program uint32, name string) int32 {
	v := current.GetUniformLocation.Invoke(current.objects[program], name)
	if !v.Truthy() {
		return -1
	}
	current.locations = append(current.locations, v)
	return int32(len(current.locations) - 1)
}

// location returns a uniform's location. That of none is null, and to set it does nothing.
func location(l int32) js.Value {
	if l < 0 {
		return js.Null()
	}
	return current.locations[l]
}

// GetUniformBlockIndex returns the index of a block, INVALID_INDEX if the program has none of that
// name.
func GetUniformBlockIndex(program uint32, name string) uint32 {
	v := current.GetUniformBlockIndex.Invoke(current.objects[program], name)
	if v.Type() != js.TypeNumber {
		return INVALID_INDEX
	}
	return uint32(v.Float())
}

// TexImage2D fills a texture. Each texel of data is a byte.
func TexImage2D(target uint32, level, internal, width, height, border int32, format, kind uint32, data unsafe.Pointer) {
	if data == nil {
		current.TexImage2D.Invoke(target, level, internal, width, height, border, format, kind, nil)
		return
	}
	current.send(int(width*height), data)
	current.TexImage2D.Invoke(target, level, internal, width, height, border, format, kind, current.bytes, 0)
}

// MapBufferRange returns nil: memory cannot be mapped.
func MapBufferRange(target uint32, offset, size int, access uint32) unsafe.Pointer { return nil }

// GetError returns NO_ERROR. To ask, the browser waits until another process has done all that it
// was asked for, and it writes every error to its console.
func GetError() uint32 { return NO_ERROR }

// The functions below are those of OpenGL.

func ActiveTexture(unit uint32) { current.ActiveTexture.Invoke(unit) }
func AttachShader(program, shader uint32) {
	current.AttachShader.Invoke(current.objects[program], current.objects[shader])
}
func BindBuffer(target, buffer uint32) { current.BindBuffer.Invoke(target, current.objects[buffer]) }
func BindBufferBase(target, index, buffer uint32) {
	current.BindBufferBase.Invoke(target, index, current.objects[buffer])
}
func BindFramebuffer(target, framebuffer uint32) {
	current.BindFramebuffer.Invoke(target, current.objects[framebuffer])
}
func BindRenderbuffer(target, renderbuffer uint32) {
	current.BindRenderbuffer.Invoke(target, current.objects[renderbuffer])
}
func BindTexture(target, texture uint32) {
	current.BindTexture.Invoke(target, current.objects[texture])
}
func BindVertexArray(array uint32)         { current.BindVertexArray.Invoke(current.objects[array]) }
func BlendFunc(source, destination uint32) { current.BlendFunc.Invoke(source, destination) }
func BlendFuncSeparate(source, destination, sourceAlpha, destinationAlpha uint32) {
	current.BlendFuncSeparate.Invoke(source, destination, sourceAlpha, destinationAlpha)
}
func BlitFramebuffer(x0, y0, x1, y1, toX0, toY0, toX1, toY1 int32, mask, filter uint32) {
	current.BlitFramebuffer.Invoke(x0, y0, x1, y1, toX0, toY0, toX1, toY1, mask, filter)
}
func BufferData(target uint32, size int, data unsafe.Pointer, usage uint32) {
	if data == nil {
		current.BufferData.Invoke(target, size, usage)
		return
	}
	current.send(size, data)
	current.BufferData.Invoke(target, current.bytes, usage, 0, size)
}
func BufferSubData(target uint32, offset, size int, data unsafe.Pointer) {
	current.send(size, data)
	current.BufferSubData.Invoke(target, offset, current.bytes, 0, size)
}
func CheckFramebufferStatus(target uint32) uint32 {
	return uint32(integer(current.CheckFramebufferStatus.Invoke(target)))
}
func Clear(mask uint32)                       { current.Clear.Invoke(mask) }
func ClearColor(r, g, b, a float32)           { current.ClearColor.Invoke(r, g, b, a) }
func CreateProgram() uint32                   { return current.add(current.CreateProgram.Invoke()) }
func CreateShader(kind uint32) uint32         { return current.add(current.CreateShader.Invoke(kind)) }
func DeleteBuffers(n int32, ids *uint32)      { current.remove(current.DeleteBuffer, n, ids) }
func DeleteFramebuffers(n int32, ids *uint32) { current.remove(current.DeleteFramebuffer, n, ids) }
func DeleteProgram(program uint32)            { current.remove(current.DeleteProgram, 1, &program) }
func DeleteRenderbuffers(n int32, ids *uint32) {
	current.remove(current.DeleteRenderbuffer, n, ids)
}
func DeleteShader(shader uint32)              { current.remove(current.DeleteShader, 1, &shader) }
func DeleteTextures(n int32, ids *uint32)     { current.remove(current.DeleteTexture, n, ids) }
func DeleteVertexArrays(n int32, ids *uint32) { current.remove(current.DeleteVertexArray, n, ids) }
func DepthFunc(function uint32)               { current.DepthFunc.Invoke(function) }
func DepthMask(on bool)                       { current.DepthMask.Invoke(on) }
func Disable(capability uint32) {
	if current.has(capability) {
		current.Disable.Invoke(capability)
	}
}
func DisableVertexAttribArray(location uint32)   { current.DisableVertexAttribArray.Invoke(location) }
func DrawArrays(mode uint32, first, count int32) { current.DrawArrays.Invoke(mode, first, count) }
func DrawArraysInstanced(mode uint32, first, count, instances int32) {
	current.DrawArraysInstanced.Invoke(mode, first, count, instances)
}
func DrawBuffer(buffer uint32) { current.DrawBuffers.Invoke([]any{buffer}) }
func DrawElements(mode uint32, count int32, kind uint32, indices unsafe.Pointer) {
	current.DrawElements.Invoke(mode, count, kind, int(uintptr(indices)))
}
func DrawElementsInstanced(mode uint32, count int32, kind uint32, indices unsafe.Pointer, instances int32) {
	current.DrawElementsInstanced.Invoke(mode, count, kind, int(uintptr(indices)), instances)
}
func Enable(capability uint32) {
	if current.has(capability) {
		current.Enable.Invoke(capability)
	}
}
func EnableVertexAttribArray(location uint32) { current.EnableVertexAttribArray.Invoke(location) }
func FramebufferRenderbuffer(target, attachment, renderTarget, renderbuffer uint32) {
	current.FramebufferRenderbuffer.Invoke(target, attachment, renderTarget, current.objects[renderbuffer])
}
func FramebufferTexture2D(target, attachment, textureTarget, texture uint32, level int32) {
	current.FramebufferTexture2D.Invoke(target, attachment, textureTarget, current.objects[texture], level)
}
func GenBuffers(n int32, ids *uint32)       { current.create(current.CreateBuffer, n, ids) }
func GenFramebuffers(n int32, ids *uint32)  { current.create(current.CreateFramebuffer, n, ids) }
func GenRenderbuffers(n int32, ids *uint32) { current.create(current.CreateRenderbuffer, n, ids) }
func GenTextures(n int32, ids *uint32)      { current.create(current.CreateTexture, n, ids) }
func GenVertexArrays(n int32, ids *uint32)  { current.create(current.CreateVertexArray, n, ids) }
func PixelStorei(name uint32, value int32)  { current.PixelStorei.Invoke(name, value) }
func PolygonOffset(factor, units float32)   { current.PolygonOffset.Invoke(factor, units) }
func ReadBuffer(buffer uint32)              { current.ReadBuffer.Invoke(buffer) }
func ReadPixels(x, y, width, height int32, format, kind uint32, pixels unsafe.Pointer) {
	size := 4 * int(width) * int(height)
	current.reserve(size)
	current.ReadPixels.Invoke(x, y, width, height, format, kind, current.bytes, 0)
	js.CopyBytesToGo(unsafe.Slice((*byte)(pixels), size), current.bytes)
}
func RenderbufferStorageMultisample(target uint32, samples int32, format uint32, width, height int32) {
	current.RenderbufferStorageMultisample.Invoke(target, samples, format, width, height)
}
func Scissor(x, y, width, height int32) { current.Scissor.Invoke(x, y, width, height) }
func TexParameteri(target, name uint32, value int32) {
	current.TexParameteri.Invoke(target, name, value)
}
func Uniform1f(l int32, x float32)    { current.Uniform1f.Invoke(location(l), x) }
func Uniform1i(l, x int32)            { current.Uniform1i.Invoke(location(l), x) }
func Uniform2f(l int32, x, y float32) { current.Uniform2f.Invoke(location(l), x, y) }
func UniformBlockBinding(program, index, binding uint32) {
	current.UniformBlockBinding.Invoke(current.objects[program], index, binding)
}
func UniformMatrix4fv(l, count int32, transpose bool, values *float32) {
	current.send(64*int(count), unsafe.Pointer(values))
	current.UniformMatrix4fv.Invoke(location(l), transpose, current.floats, 0, 16*count)
}
func UnmapBuffer(target uint32) bool { return false }
func UseProgram(program uint32)      { current.UseProgram.Invoke(current.objects[program]) }
func VertexAttrib4Nub(location uint32, r, g, b, a uint8) {
	current.VertexAttrib4f.Invoke(location, float32(r)/255, float32(g)/255, float32(b)/255, float32(a)/255)
}
func VertexAttribDivisor(location, divisor uint32) {
	current.VertexAttribDivisor.Invoke(location, divisor)
}
func VertexAttribIPointerWithOffset(location uint32, n int32, kind uint32, stride int32, offset uintptr) {
	current.VertexAttribIPointer.Invoke(location, n, kind, stride, int(offset))
}
func VertexAttribPointerWithOffset(location uint32, n int32, kind uint32, normalized bool, stride int32, offset uintptr) {
	current.VertexAttribPointer.Invoke(location, n, kind, normalized, stride, int(offset))
}
func Viewport(x, y, width, height int32) { current.Viewport.Invoke(x, y, width, height) }
