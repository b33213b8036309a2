in vec3 world;
in vec3 local;
in vec3 normal;
flat in vec3 size;
flat in vec4 turn;
flat in vec4 tint;
uniform int mesh;
out vec4 result;

float middle(vec3 v) { return max(min(v.x, v.y), min(max(v.x, v.y), v.z)); }

float least(vec3 v) { return min(v.x, min(v.y, v.z)); }

// outline is the distance from the nearest line of the mesh's wire figure, in pixels. Derivatives
// are taken of what is smooth at the lines: the distance itself has a kink there.
float outline() {
    vec3 pixel = max(fwidth(local), 1e-6);
    vec3 plane = abs(local) / pixel;        // from the planes through the middle
    vec3 side = (0.5 - abs(local)) / pixel; // from the sides of the unit cube
    float radius = length(mesh == DISC ? local.xy : local.xz);
    float rim = (0.5 - radius) / max(fwidth(radius), 1e-6);
    if (mesh == CUBE) return middle(side); // on a face one is zero: the edge is where a second one is
    if (mesh == SPHERE) return least(plane);
    if (mesh == CAPSULE) return min(min(plane.x, plane.z), abs(abs(local.y) - 0.5) / pixel.y);
    if (mesh == DISC) return rim;
    if (mesh == RING) return 1e6;
    // A cylinder or cone: the rim is where a flat end meets the curved side; lines along the side.
    bool flat_ = mesh == CYLINDER ? abs(local.y) > 0.4999 : local.y < -0.4999;
    return flat_ ? rim : min(min(plane.x, plane.z), mesh == CYLINDER ? side.y : (local.y + 0.5) / pixel.y);
}

void main() {
    float facing = abs(dot(normalize(normal), toEye(world)));
    // Lines of constant width on the screen, with edges that fade over one pixel.
    float line = 1.0 - smoothstep(0.35, 1.35, outline() / forward.w);
    float away = 1.0 - facing;
    float shell = 0.14 + 0.45 * away * away * away;
    float strength = max(shell, 0.92 * line);
    if (!gl_FrontFacing) strength *= 0.5;
    // Lines are darker than the shell on a bright ground and brighter on a dark one.
    float bright = step(0.2, dot(groundColor.rgb, vec3(0.21, 0.72, 0.07)));
    vec3 drawn = mix(mix(tint.rgb, vec3(1.0), 0.3), tint.rgb * 0.55, bright);
    result = vec4(mix(tint.rgb, drawn, line), strength * tint.a);
}
