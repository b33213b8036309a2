in vec4 color;
in float across;
uniform float width;
out vec4 result;

void main() {
    float cover = clamp(max(width, 1.0) * 0.5 + 0.5 - abs(across), 0.0, 1.0);
    vec3 c = mix(color.rgb / 12.92, pow((color.rgb + 0.055) / 1.055, vec3(2.4)), step(0.04045, color.rgb));
    result = vec4(c, color.a * cover);
}
