// Package gl has the part of OpenGL that package opengl uses, under its own names, on two back
// ends: OpenGL 3.3 core by go-gl with cgo, and WebGL2 in a browser. What the two do not share is
// told apart by the constants and functions Header, SwitchesSRGB and ClampsDepth.
//
// As in OpenGL, all functions are for the current context: with cgo that of the thread, in a
// browser that of [Context.Use].
package gl

// The values are OpenGL's.
const (
	ARRAY_BUFFER              = 0x8892
	BLEND                     = 0x0BE2
	CLAMP_TO_EDGE             = 0x812F
	COLOR_ATTACHMENT0         = 0x8CE0
	COLOR_BUFFER_BIT          = 0x00004000
	COMPARE_REF_TO_TEXTURE    = 0x884E
	CULL_FACE                 = 0x0B44
	DEPTH_ATTACHMENT          = 0x8D00
	DEPTH_BUFFER_BIT          = 0x00000100
	DEPTH_CLAMP               = 0x864F
	DEPTH_COMPONENT           = 0x1902
	DEPTH_COMPONENT24         = 0x81A6
	DEPTH_TEST                = 0x0B71
	DRAW_FRAMEBUFFER          = 0x8CA9
	ELEMENT_ARRAY_BUFFER      = 0x8893
	FLOAT                     = 0x1406
	FRAGMENT_SHADER           = 0x8B30
	FRAMEBUFFER               = 0x8D40
	FRAMEBUFFER_COMPLETE      = 0x8CD5
	FRAMEBUFFER_SRGB          = 0x8DB9
	INT                       = 0x1404
	INVALID_INDEX             = 0xFFFFFFFF
	LEQUAL                    = 0x0203
	LINEAR                    = 0x2601
	MAP_INVALIDATE_BUFFER_BIT = 0x0008
	MAP_WRITE_BIT             = 0x0002
	MAX_SAMPLES               = 0x8D57
	NEAREST                   = 0x2600
	NONE                      = 0
	NO_ERROR                  = 0
	ONE                       = 1
	ONE_MINUS_SRC_ALPHA       = 0x0303
	OUT_OF_MEMORY             = 0x0505
	PACK_ALIGNMENT            = 0x0D05
	POLYGON_OFFSET_FILL       = 0x8037
	R8                        = 0x8229
	READ_FRAMEBUFFER          = 0x8CA8
	RED                       = 0x1903
	RENDERBUFFER              = 0x8D41
	RENDERER                  = 0x1F01
	RGBA                      = 0x1908
	RGBA8                     = 0x8058
	SCISSOR_TEST              = 0x0C11
	SRC_ALPHA                 = 0x0302
	SRGB8_ALPHA8              = 0x8C43
	STATIC_DRAW               = 0x88E4
	STREAM_DRAW               = 0x88E0
	TEXTURE0                  = 0x84C0
	TEXTURE_2D                = 0x0DE1
	TEXTURE_COMPARE_FUNC      = 0x884D
	TEXTURE_COMPARE_MODE      = 0x884C
	TEXTURE_MAG_FILTER        = 0x2800
	TEXTURE_MIN_FILTER        = 0x2801
	TEXTURE_WRAP_S            = 0x2802
	TEXTURE_WRAP_T            = 0x2803
	TRIANGLES                 = 0x0004
	TRIANGLE_STRIP            = 0x0005
	UNIFORM_BUFFER            = 0x8A11
	UNPACK_ALIGNMENT          = 0x0CF5
	UNSIGNED_BYTE             = 0x1401
	UNSIGNED_INT              = 0x1405
	UNSIGNED_SHORT            = 0x1403
	VERSION                   = 0x1F02
	VERTEX_SHADER             = 0x8B31
)
