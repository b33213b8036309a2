// Package opengl draws a render.Frame with OpenGL 3.3 core, or in a browser (GOOS=js) with WebGL2.
// The former needs cgo. [New] takes a context. Programs use packages window and offscreen, which
// provide one.
//
// # One picture
//
// For each view the renderer draws the key light's shadow map, then solid instances, the ground,
// the sky, and translucent instances, into a multisampled target with linear blending. It then
// resolves the picture and draws the overlay on it. A window gets a copy of the
// picture.
//
// The code and the shaders are the same for both kinds of OpenGL. WebGL2 cannot switch off the
// conversion to sRGB, so there the resolved picture is copied to a target without it, on which the
// overlay is drawn.
//
// Poses are uploaded as ten floats. The vertex shaders rotate with the quaternion and compute
// VP * (M * v). Buffers are invalidated before they are filled, so that no upload waits for the
// previous frame.
package opengl
