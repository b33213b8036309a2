in vec3 world;
in vec3 normal;
flat in vec4 tint;
out vec4 result;

void main() {
    // A little darker towards the edge, as the sun is, so that a sphere reads as one.
    float facing = abs(dot(normalize(normal), toEye(world)));
    result = vec4(tint.rgb * (0.72 + 0.38 * facing), tint.a);
}
