// Package opengl draws a render.Frame with OpenGL 3.3 core. It needs cgo and a current context.
// Programs use packages window and offscreen, which provide one.
//
// # One picture
//
// For each view the renderer draws the key light's shadow map, then solid instances, the ground,
// the sky, and translucent instances, into a multisampled target with linear blending. It then
// resolves the picture and draws the overlay on it. A window gets a copy of the
// picture.
//
// Poses are uploaded as ten floats. The vertex shaders rotate with the quaternion and compute
// VP * (M * v). Buffers are invalidated before they are filled, so that no upload waits for the
// previous frame.
package opengl
