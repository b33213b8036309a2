// The shadow map needs positions only.
layout(location = 0) in vec3 meshPosition;
uniform mat4 lightMatrix;

void main() {
    Pose p = instancePose();
    vec3 world = p.position + rotate(p.rotation, meshPosition * p.scale);
    gl_Position = lightMatrix * vec4(world, 1.0);
#ifdef CLAMP
    // Without DEPTH_CLAMP, what is nearer to the light than the map reaches is moved to its front.
    gl_Position.z = max(gl_Position.z, -gl_Position.w);
#endif
}
