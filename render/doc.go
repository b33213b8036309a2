// Package render describes pictures as data: cameras, batches of instances, an overlay of text and
// graphs, and one small interface to the code that draws them.
//
// Most users need [Frame], [Camera], [Batch] and [Overlay]. This package is plain data and
// mathematics. It builds without cgo, also for the browser. The packages below it need a graphics
// library or write files:
//
//	opengl      draws a Frame with OpenGL 3.3 core or WebGL2, in whatever context is current
//	window      a GLFW window with its events, drawn by opengl
//	offscreen   a picture in memory without any display (EGL), drawn by opengl
//	record      PNG, GIF and MP4 files from the pictures
//	instancing  gives marked entities of a world instances that the graphics processor blends
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
// Frames, batches and overlays keep their memory. In steady state neither filling nor drawing a
// frame allocates.
//
// # Cameras
//
// A [Camera] is a value. [Orbit] makes one on a sphere around a target, [OrbitControl] moves it
// with the mouse, and [Follow] moves its target after a visual pose. [View.Project] returns the
// place of a point of the world on the screen, for labels. [Camera.Ray] returns the line of sight
// under the cursor. [Frame.ViewIn] divides the surface among several cameras.
//
// # What is drawn
//
// The meshes are constants ([Cube] to [Disc]). A [Style] is the surface of a batch: [Solid] with
// light and shadow, [Glass], [Ghost] (logical poses beside visual ones) or [Glow]. A [LineBatch]
// holds tracks and orbits. [Ground] is a plane with a grid that fades into the horizon. A [Theme]
// holds light, surroundings and colours: [Daylight] or [Dusk].
//
// The [Overlay] of a frame takes text, numbers ([Overlay.At] and the methods of [Writer], which
// allocate nothing), rectangles and lines. [Graph], [Overlay.Key], [Overlay.Meter] and
// [Overlay.Label] are made for the demo's overlay: nothing else in this module draws with them.
//
// # Frame rates and input
//
// [Pacer] spaces frames where the display does not. A window delivers every [Event] in order. A
// [Key] is named by the character that is printed on it.
//
// # Two ways to move
//
// A [Batch] takes poses that the synchronizer has blended and uploads them for every frame. A
// [MotionBatch] takes one pose for each instance that moves in a fixed step, its pose at the end of
// the step, and the vertex shader blends: at 240 frames and 20 steps per second eleven frames of
// twelve upload nothing.
//
// # Units and frames
//
// World space is right-handed with Y up; poses given to batches are in world space. Angles are in
// radians. The overlay counts in points from the upper left corner. [Size].Scale is the number of
// pixels per point. Colours are sRGB. Lighting and blending are done in linear light.
package render
