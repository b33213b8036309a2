package render

import "image"

// Renderer draws frames. Package opengl implements it.
//
// A renderer belongs to one graphics context and thereby to one operating-system thread. All calls
// must come from that thread.
type Renderer interface {
	// Draw draws the frame. Everything in the frame may be changed as soon as Draw returns. A frame
	// of an empty size draws nothing. An error names the mistake in the frame or the report of
	// the graphics driver. The next frame may be drawn all the same.
	Draw(f *Frame) error

	// Capture returns the picture of the last Draw, in dst if that has the right size, else in a
	// new image. Rows run from the top, and alpha is 255.
	Capture(dst *image.RGBA) (*image.RGBA, error)

	// Stats returns the work of the last Draw.
	Stats() Stats

	// Close frees the graphics memory. Only Close may be called after it.
	Close()
}

// Surface is a renderer with a picture to draw on: that of a window (package window) or one in
// memory (package offscreen).
type Surface interface {
	Renderer

	// Size returns the present size, for [Frame.Begin]. It may differ from one frame to the next.
	Size() Size
}

// Stats counts the work of one frame.
type Stats struct {
	DrawCalls int
	Instances int
	Triangles int
	Uploaded  int // bytes of instances, lines and overlay sent to the graphics processor
}

// Quality weighs looks against time.
type Quality uint8

const (
	// QualityAuto is High on a graphics processor. On a software rasteriser it is Fast in a window,
	// which must keep up, and Balanced off screen.
	QualityAuto Quality = iota
	// QualityPlain has neither antialiasing nor shadows: for measuring.
	QualityPlain
	// QualityFast has shadows but no antialiasing.
	QualityFast
	// QualityBalanced has 4 samples per pixel and a shadow map of 1024 texels.
	QualityBalanced
	// QualityHigh has up to 8 samples per pixel, a shadow map of 2048 texels, and a wider filter
	// for its edges.
	QualityHigh
)
