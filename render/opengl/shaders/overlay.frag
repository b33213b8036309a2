in vec2 uv;
in vec4 tint;
uniform sampler2D atlas;
out vec4 result;

void main() {
    result = vec4(tint.rgb, tint.a * texture(atlas, uv).r);
}
