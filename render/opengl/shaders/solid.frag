in vec3 world;
in vec3 local;
in vec3 normal;
flat in vec3 size;
flat in vec4 turn;
flat in vec4 tint;
uniform int mesh;
out vec4 result;

vec3 surfaceNormal() {
    if (mesh != CUBE) return normalize(normal);
    // The edges of a cube are shaded as if they were rounded off: the normal of a box with rounded
    // edges, at this point.
    float radius = 0.07 * min(size.x, min(size.y, size.z));
    vec3 inner = abs(local) * size - (0.5 * size - radius);
    vec3 n = sign(local) * max(inner, 0.0);
    if (dot(n, n) < 1e-12) return normalize(normal);
    return normalize(n.x * rotate(turn, vec3(1, 0, 0)) + n.y * rotate(turn, vec3(0, 1, 0)) + n.z * rotate(turn, vec3(0, 0, 1)));
}

void main() {
    vec3 c = shade(tint.rgb, world, surfaceNormal(), 0.28);
#ifdef GLASS
    result = vec4(shoulder(c), tint.a);
#else
    result = vec4(shoulder(c), 1.0);
#endif
}
