// Package opengl draws a render.Frame with OpenGL 3.3 core. It needs cgo and a current context;
// packages window and offscreen provide one and are what programs use.
//
// # One picture
//
// Per view: the key light's shadow map, then solid instances, the ground, the sky, and whatever is
// translucent, into a multisampled target with linear blending; at the end the resolved picture
// takes the overlay in one call. A window gets a copy of it.
//
// Poses go up as the ten floats that they are; the vertex shaders rotate with the quaternion and
// compute VP * (M * v). Buffers are orphaned before they are filled, so that nothing waits for the
// previous frame.
package opengl
