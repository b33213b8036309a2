out vec3 direction; // of the line of sight, of any length

void main() {
    // One triangle that covers the viewport, on the far plane.
    vec2 ndc = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    gl_Position = vec4(ndc, 1.0, 1.0);
    if (eye.w > 0.5) {
        // All lines of sight of a parallel projection are one direction; the gradient runs up the
        // picture instead.
        direction = vec3(0.0, ndc.y * 0.35 + 0.2, 1.0);
    } else {
        vec4 far = inverseViewProjection * vec4(ndc, 1.0, 1.0);
        direction = far.xyz / far.w - eye.xyz; // linear across the picture
    }
}
