// Package render is the picture: cameras, batches of instances, an overlay of text and graphs, and one small interface to whatever draws them.
//
// This package is plain data and mathematics. It builds without cgo, also for the browser; the code that needs a graphics library lives below:
//
//	opengl      draws a Frame with OpenGL 3.3 core, in whatever context is current
//	window      a GLFW window with its events, drawn by opengl
//	offscreen   a picture in memory without any display (EGL), drawn by opengl
//	record      PNG, GIF and MP4 files from the pictures
//
// # A picture
//
//	frame := render.NewFrame(render.Daylight())
//	cubes := render.NewBatch(render.Cube, render.Solid, frame.Theme.Accent(0))
//	for !win.ShouldClose() {
//		for e, ok := win.Poll(); ok; e, ok = win.Poll() { ... }
//		frame.Begin(win.Size())
//		cubes.Reset()
//		cubes.Append(pose)                       // visual poses, in world space
//		view := frame.View(orbit.Camera())
//		view.Add(cubes)
//		frame.Overlay.Text(12, 12, render.TextBody, frame.Theme.Text, "hello")
//		err := win.Draw(frame)
//	}
//
// Everything keeps its memory from one frame to the next: in steady state neither filling nor drawing a frame allocates.
//
// # Two ways to move
//
// A [Batch] takes poses that the synchronizer has blended and uploads them for every frame. A [MotionBatch] takes the two poses between which an instance
// moves, uploads what a fixed step changed, and lets the vertex shader blend: at 240 frames and 20 steps per second eleven frames of twelve upload nothing.
//
// # Units and frames
//
// World space is right-handed with Y up. Angles are in radians. The overlay counts in points from the upper left corner; [Size].Scale is the number of pixels per point.
// Colours are sRGB; lighting and blending are done in linear light.
package render
