out vec3 world;

void main() {
    // A square around the camera's target, as large as what has not faded.
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    world = vec3(target.x + corner.x * target.w, groundColor.w, target.z - corner.y * target.w);
    gl_Position = viewProjection * vec4(world, 1.0);
}
