//go:build js

package gl

import (
	"errors"
	"reflect"
	"strings"
	"syscall/js"
	"unsafe"
)

// current is the context that all functions are for.
var current *Context

// Context is a WebGL2 context, with the tables that stand for OpenGL's numbers.
type Context struct {
	methods
	objects     []js.Value // by number; number 0 is null
	free        []uint32   // numbers of deleted objects
	locations   []js.Value // of uniforms
	clampsDepth bool

	// one array of bytes, seen as two types, through which data reaches JavaScript
	bytes, floats js.Value
	room          int // its length
}

// methods are the methods of JavaScript's context. Each is bound to it once, since to look up a
// method by its name takes ten times as long as the call. Their names begin with a small letter.
type methods struct {
	ActiveTexture, AttachShader, BindBuffer, BindBufferBase, BindFramebuffer, BindRenderbuffer,
	BindTexture, BindVertexArray, BlendFunc, BlendFuncSeparate, BlitFramebuffer, BufferData,
	BufferSubData, CheckFramebufferStatus, Clear, ClearColor, CompileShader, CreateBuffer,
	CreateFramebuffer, CreateProgram, CreateRenderbuffer, CreateShader, CreateTexture,
	CreateVertexArray, DeleteBuffer, DeleteFramebuffer, DeleteProgram, DeleteRenderbuffer,
	DeleteShader, DeleteTexture, DeleteVertexArray, DepthFunc, DepthMask, Disable,
	DisableVertexAttribArray, DrawArrays, DrawArraysInstanced, DrawBuffers, DrawElements,
	DrawElementsInstanced, Enable, EnableVertexAttribArray, FramebufferRenderbuffer,
	FramebufferTexture2D, GetExtension, GetParameter, GetProgramInfoLog,
	GetProgramParameter, GetShaderInfoLog, GetShaderParameter, GetUniformBlockIndex,
	GetUniformLocation, IsContextLost, LinkProgram, PixelStorei, PolygonOffset, ReadBuffer,
	ReadPixels, RenderbufferStorageMultisample, Scissor, ShaderSource, TexImage2D, TexParameteri,
	Uniform1f, Uniform1i, Uniform2f, UniformBlockBinding, UniformMatrix4fv, UseProgram,
	VertexAttrib4f, VertexAttribDivisor, VertexAttribIPointer, VertexAttribPointer, Viewport js.Value
}

// NewContext takes a WebGL2RenderingContext.
func NewContext(value js.Value) (*Context, error) {
	if !value.Truthy() || !value.Get("drawElementsInstanced").Truthy() {
		return nil, errors.New(`the browser gave no WebGL2 context: call New with the result of canvas.getContext("webgl2"), and switch on hardware acceleration if that is null`)
	}
	c := &Context{objects: []js.Value{js.Null()}}
	for m, i := reflect.ValueOf(&c.methods).Elem(), 0; i < m.NumField(); i++ {
		name := m.Type().Field(i).Name
		method := value.Get(strings.ToLower(name[:1])+name[1:]).Call("bind", value)
		m.Field(i).Set(reflect.ValueOf(method))
	}
	c.clampsDepth = c.GetExtension.Invoke("EXT_depth_clamp").Truthy()
	c.reserve(1 << 16)
	return c, nil
}

// Use makes the context current.
func (c *Context) Use() { current = c }

// Lost reports whether the browser has taken the context away. All functions then do nothing.
func (c *Context) Lost() bool { return c.IsContextLost.Invoke().Bool() }

// has reports whether a capability can be enabled and disabled.
func (c *Context) has(capability uint32) bool {
	return capability != FRAMEBUFFER_SRGB && (capability != DEPTH_CLAMP || c.clampsDepth)
}

// add gives an object a number.
func (c *Context) add(object js.Value) uint32 {
	if n := len(c.free); n > 0 {
		id := c.free[n-1]
		c.free = c.free[:n-1]
		c.objects[id] = object
		return id
	}
	c.objects = append(c.objects, object)
	return uint32(len(c.objects) - 1)
}

func (c *Context) create(method js.Value, n int32, ids *uint32) {
	for k := range unsafe.Slice(ids, n) {
		unsafe.Slice(ids, n)[k] = c.add(method.Invoke())
	}
}

func (c *Context) remove(method js.Value, n int32, ids *uint32) {
	for _, id := range unsafe.Slice(ids, n) {
		if id != 0 {
			method.Invoke(c.objects[id])
			c.objects[id] = js.Null()
			c.free = append(c.free, id)
		}
	}
}

// reserve makes room for so many bytes in the arrays.
func (c *Context) reserve(size int) {
	if size > c.room {
		c.room = (size + size/2 + 3) &^ 3
		c.bytes = js.Global().Get("Uint8Array").New(c.room)
		c.floats = js.Global().Get("Float32Array").New(c.bytes.Get("buffer"))
	}
}

// send copies data to the arrays.
func (c *Context) send(size int, data unsafe.Pointer) {
	c.reserve(size)
	js.CopyBytesToJS(c.bytes, unsafe.Slice((*byte)(data), size))
}
