in vec3 world;
in vec3 local;
in vec3 normal;
flat in vec3 size;
flat in vec4 turn;
flat in vec4 tint;
uniform int mesh;
out vec4 result;

float middle(vec3 v) { return max(min(v.x, v.y), min(max(v.x, v.y), v.z)); }

// outline is the distance from the nearest line of the mesh's wire figure, in the mesh's own units.
float outline() {
    vec3 p = abs(local);
    if (mesh == CUBE) return middle(0.5 - p); // on a face one is zero: the edge is where a second one is
    if (mesh == SPHERE) return min(p.x, min(p.y, p.z));
    if (mesh == CAPSULE) return min(min(p.x, p.z), abs(p.y - 0.5));
    float r = length(local.xz);
    if (mesh == CYLINDER) return min(max(0.5 - r, 0.5 - p.y), min(p.x, p.z) + step(0.4999, p.y));
    if (mesh == CONE) return min(max(0.5 - r, local.y + 0.5), min(p.x, p.z) + step(local.y, -0.4999));
    if (mesh == DISC) return 0.5 - length(local.xy);
    return 1.0;
}

void main() {
    float facing = abs(dot(normalize(normal), toEye(world)));
    float d = outline();
    // A line of constant width on the screen, with edges that fade over one pixel.
    float pixels = d / max(fwidth(d), 1e-6);
    float line = 1.0 - smoothstep(0.35, 1.35, pixels / forward.w);
    float shell = 0.10 + 0.5 * pow(1.0 - facing, 3.0);
    float strength = max(shell, 0.85 * line);
    if (!gl_FrontFacing) strength *= 0.45;
    result = vec4(mix(tint.rgb, vec3(1.0), 0.12 + 0.25 * line), strength * tint.a);
}
