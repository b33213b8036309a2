in vec3 world;
in vec3 normal;
flat in vec4 tint;
out vec4 result;

void main() {
#ifdef HALO
    // Seen through a sphere that is larger than the body, the light around it fades out where the
    // sphere turns away.
    float toward = max(dot(normalize(normal), toEye(world)), 0.0);
    toward *= toward * toward;
    result = vec4(tint.rgb, 0.6 * toward * toward * tint.a);
#else
    // A little darker towards the edge, as the sun is, so that a sphere reads as one.
    float facing = abs(dot(normalize(normal), toEye(world)));
    result = vec4(tint.rgb * (0.72 + 0.38 * facing), tint.a);
#endif
}
