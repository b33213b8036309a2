layout(location = 0) in vec3 meshPosition;
layout(location = 1) in vec3 meshNormal;
layout(location = 10) in vec4 color;

out vec3 world;
out vec3 local;
out vec3 normal;
flat out vec3 size;
flat out vec4 turn;
flat out vec4 tint;

void main() {
    Pose p = instancePose();
    local = meshPosition;
    size = abs(p.scale);
#ifdef HALO
    size *= 2.2;
#endif
    turn = p.rotation;
    // A negative scale mirrors. All meshes are symmetric in x and z, so a mirrored one is a mesh of
    // positive scale again, with its triangles the right way
    // round, after half a turn around X where y is negative.
    if (p.scale.y < 0.0) turn = vec4(-turn.y, turn.x, turn.w, -turn.z);
    world = p.position + rotate(turn, meshPosition * size);
    normal = rotate(turn, meshNormal / max(size, 1e-6));
    tint = vec4(linear(color.rgb), color.a);
    gl_Position = viewProjection * vec4(world, 1.0);
}
