//go:build cgo

package gl

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"
)

const (
	// Header is the first line of a shader.
	Header = "#version 330 core\n"
	// SwitchesSRGB reports whether FRAMEBUFFER_SRGB exists: whether drawing to a target of sRGB
	// values can leave out their conversion.
	SwitchesSRGB = true
)

// functions guards go-gl's table of OpenGL functions. A process has one table.
var functions struct {
	sync.Mutex
	// address of the table's glDrawElementsInstanced; nil before the first context
	source unsafe.Pointer
}

// Load fills the table. It leaves a table with the same functions as it is, since contexts of other
// threads may use it: all contexts of one driver have the same functions. An error says that the
// context is older than OpenGL 3.3.
func Load(getProcAddress func(name string) unsafe.Pointer) error {
	functions.Lock()
	defer functions.Unlock()
	source := getProcAddress("glDrawElementsInstanced")
	if source == nil || source != functions.source {
		if err := gl.InitWithProcAddrFunc(getProcAddress); err != nil {
			return fmt.Errorf("the driver lacks a function of OpenGL 3.3 core: %w; update the graphics driver", err)
		}
		functions.source = source
	}
	major, minor := GetInteger(gl.MAJOR_VERSION), GetInteger(gl.MINOR_VERSION)
	if major < 3 || major == 3 && minor < 3 {
		return fmt.Errorf("version 3.3 is needed, the driver offers %d.%d (%s); update the graphics driver", major, minor, Driver())
	}
	return nil
}

// ClampsDepth reports whether DEPTH_CLAMP can be enabled.
func ClampsDepth() bool { return true }

// Driver names the graphics processor and the driver's version.
func Driver() string {
	return gl.GoStr(gl.GetString(gl.RENDERER)) + ", OpenGL " + gl.GoStr(gl.GetString(gl.VERSION))
}

// GetInteger returns a limit of the driver.
func GetInteger(name uint32) (value int32) {
	gl.GetIntegerv(name, &value)
	return value
}

// ShaderSource sets the text of a shader.
func ShaderSource(shader uint32, text string) {
	source, free := gl.Strs(text + "\x00")
	gl.ShaderSource(shader, 1, source, nil)
	free()
}

// CompileShader compiles a shader. It returns the driver's message if that fails.
func CompileShader(shader uint32) (log string, ok bool) {
	gl.CompileShader(shader)
	return status(shader, gl.COMPILE_STATUS, gl.GetShaderiv, gl.GetShaderInfoLog)
}

// LinkProgram links a program. It returns the driver's message if that fails.
func LinkProgram(program uint32) (log string, ok bool) {
	gl.LinkProgram(program)
	return status(program, gl.LINK_STATUS, gl.GetProgramiv, gl.GetProgramInfoLog)
}

// status reads the result of a shader or a program, by the functions for its kind.
func status(id, name uint32, property func(id, name uint32, value *int32), read func(id uint32, size int32, length *int32, log *uint8)) (string, bool) {
	var n int32
	if property(id, name, &n); n != gl.FALSE {
		return "", true
	}
	property(id, gl.INFO_LOG_LENGTH, &n)
	log := make([]byte, max(n, 1))
	read(id, n, nil, &log[0])
	return strings.TrimRight(string(log), "\x00\n "), false
}

// GetUniformLocation returns the location of a uniform, -1 if the program has none of that name.
func GetUniformLocation(program uint32, name string) int32 {
	return gl.GetUniformLocation(program, gl.Str(name+"\x00"))
}

// GetUniformBlockIndex returns the index of a block, INVALID_INDEX if the program has none of that
// name.
func GetUniformBlockIndex(program uint32, name string) uint32 {
	return gl.GetUniformBlockIndex(program, gl.Str(name+"\x00"))
}

// TexImage2D fills a texture. Each texel of data is a byte.
func TexImage2D(target uint32, level, internal, width, height, border int32, format, kind uint32, data unsafe.Pointer) {
	gl.TexImage2D(target, level, internal, width, height, border, format, kind, data)
}

// MapBufferRange maps a part of a buffer. It returns nil if it cannot.
func MapBufferRange(target uint32, offset, size int, access uint32) unsafe.Pointer {
	return gl.MapBufferRange(target, offset, size, access)
}

// The functions below are those of OpenGL.

func ActiveTexture(unit uint32)                    { gl.ActiveTexture(unit) }
func AttachShader(program, shader uint32)          { gl.AttachShader(program, shader) }
func BindBuffer(target, buffer uint32)             { gl.BindBuffer(target, buffer) }
func BindBufferBase(target, index, buffer uint32)  { gl.BindBufferBase(target, index, buffer) }
func BindFramebuffer(target, framebuffer uint32)   { gl.BindFramebuffer(target, framebuffer) }
func BindRenderbuffer(target, renderbuffer uint32) { gl.BindRenderbuffer(target, renderbuffer) }
func BindTexture(target, texture uint32)           { gl.BindTexture(target, texture) }
func BindVertexArray(array uint32)                 { gl.BindVertexArray(array) }
func BlendFunc(source, destination uint32)         { gl.BlendFunc(source, destination) }
func BlendFuncSeparate(source, destination, sourceAlpha, destinationAlpha uint32) {
	gl.BlendFuncSeparate(source, destination, sourceAlpha, destinationAlpha)
}
func BlitFramebuffer(x0, y0, x1, y1, toX0, toY0, toX1, toY1 int32, mask, filter uint32) {
	gl.BlitFramebuffer(x0, y0, x1, y1, toX0, toY0, toX1, toY1, mask, filter)
}
func BufferData(target uint32, size int, data unsafe.Pointer, usage uint32) {
	gl.BufferData(target, size, data, usage)
}
func BufferSubData(target uint32, offset, size int, data unsafe.Pointer) {
	gl.BufferSubData(target, offset, size, data)
}
func CheckFramebufferStatus(target uint32) uint32 { return gl.CheckFramebufferStatus(target) }
func Clear(mask uint32)                           { gl.Clear(mask) }
func ClearColor(r, g, b, a float32)               { gl.ClearColor(r, g, b, a) }
func CreateProgram() uint32                       { return gl.CreateProgram() }
func CreateShader(kind uint32) uint32             { return gl.CreateShader(kind) }
func DeleteBuffers(n int32, ids *uint32)          { gl.DeleteBuffers(n, ids) }
func DeleteFramebuffers(n int32, ids *uint32)     { gl.DeleteFramebuffers(n, ids) }
func DeleteProgram(program uint32)                { gl.DeleteProgram(program) }
func DeleteRenderbuffers(n int32, ids *uint32)    { gl.DeleteRenderbuffers(n, ids) }
func DeleteShader(shader uint32)                  { gl.DeleteShader(shader) }
func DeleteTextures(n int32, ids *uint32)         { gl.DeleteTextures(n, ids) }
func DeleteVertexArrays(n int32, ids *uint32)     { gl.DeleteVertexArrays(n, ids) }
func DepthFunc(function uint32)                   { gl.DepthFunc(function) }
func DepthMask(on bool)                           { gl.DepthMask(on) }
func Disable(capability uint32)                   { gl.Disable(capability) }
func DisableVertexAttribArray(location uint32)    { gl.DisableVertexAttribArray(location) }
func DrawArrays(mode uint32, first, count int32)  { gl.DrawArrays(mode, first, count) }
func DrawArraysInstanced(mode uint32, first, count, instances int32) {
	gl.DrawArraysInstanced(mode, first, count, instances)
}
func DrawBuffer(buffer uint32) { gl.DrawBuffer(buffer) }
func DrawElements(mode uint32, count int32, kind uint32, indices unsafe.Pointer) {
	gl.DrawElements(mode, count, kind, indices)
}
func DrawElementsInstanced(mode uint32, count int32, kind uint32, indices unsafe.Pointer, instances int32) {
	gl.DrawElementsInstanced(mode, count, kind, indices, instances)
}
func Enable(capability uint32)                { gl.Enable(capability) }
func EnableVertexAttribArray(location uint32) { gl.EnableVertexAttribArray(location) }
func FramebufferRenderbuffer(target, attachment, renderTarget, renderbuffer uint32) {
	gl.FramebufferRenderbuffer(target, attachment, renderTarget, renderbuffer)
}
func FramebufferTexture2D(target, attachment, textureTarget, texture uint32, level int32) {
	gl.FramebufferTexture2D(target, attachment, textureTarget, texture, level)
}
func GenBuffers(n int32, ids *uint32)       { gl.GenBuffers(n, ids) }
func GenFramebuffers(n int32, ids *uint32)  { gl.GenFramebuffers(n, ids) }
func GenRenderbuffers(n int32, ids *uint32) { gl.GenRenderbuffers(n, ids) }
func GenTextures(n int32, ids *uint32)      { gl.GenTextures(n, ids) }
func GenVertexArrays(n int32, ids *uint32)  { gl.GenVertexArrays(n, ids) }
func GetError() uint32                      { return gl.GetError() }
func PixelStorei(name uint32, value int32)  { gl.PixelStorei(name, value) }
func PolygonOffset(factor, units float32)   { gl.PolygonOffset(factor, units) }
func ReadBuffer(buffer uint32)              { gl.ReadBuffer(buffer) }
func ReadPixels(x, y, width, height int32, format, kind uint32, pixels unsafe.Pointer) {
	gl.ReadPixels(x, y, width, height, format, kind, pixels)
}
func RenderbufferStorageMultisample(target uint32, samples int32, format uint32, width, height int32) {
	gl.RenderbufferStorageMultisample(target, samples, format, width, height)
}
func Scissor(x, y, width, height int32)              { gl.Scissor(x, y, width, height) }
func TexParameteri(target, name uint32, value int32) { gl.TexParameteri(target, name, value) }
func Uniform1f(location int32, x float32)            { gl.Uniform1f(location, x) }
func Uniform1i(location, x int32)                    { gl.Uniform1i(location, x) }
func Uniform2f(location int32, x, y float32)         { gl.Uniform2f(location, x, y) }
func UniformBlockBinding(program, index, binding uint32) {
	gl.UniformBlockBinding(program, index, binding)
}
func UniformMatrix4fv(location, count int32, transpose bool, values *float32) {
	gl.UniformMatrix4fv(location, count, transpose, values)
}
func UnmapBuffer(target uint32) bool                     { return gl.UnmapBuffer(target) }
func UseProgram(program uint32)                          { gl.UseProgram(program) }
func VertexAttrib4Nub(location uint32, r, g, b, a uint8) { gl.VertexAttrib4Nub(location, r, g, b, a) }
func VertexAttribDivisor(location, divisor uint32)       { gl.VertexAttribDivisor(location, divisor) }
func VertexAttribIPointerWithOffset(location uint32, n int32, kind uint32, stride int32, offset uintptr) {
	gl.VertexAttribIPointerWithOffset(location, n, kind, stride, offset)
}
func VertexAttribPointerWithOffset(location uint32, n int32, kind uint32, normalized bool, stride int32, offset uintptr) {
	gl.VertexAttribPointerWithOffset(location, n, kind, normalized, stride, offset)
}
func Viewport(x, y, width, height int32) { gl.Viewport(x, y, width, height) }
