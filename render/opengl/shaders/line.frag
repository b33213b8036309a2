in vec4 color;
in float across;
uniform float width;
out vec4 result;

void main() {
    float cover = clamp(max(width, 1.0) * 0.5 + 0.5 - abs(across), 0.0, 1.0);
    result = vec4(color.rgb, color.a * cover);
}
