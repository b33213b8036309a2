layout(location = 0) in vec2 position; // pixels
layout(location = 1) in vec2 place;    // in the atlas, in texels
layout(location = 2) in vec4 color;
uniform vec2 surface;                  // pixels
uniform sampler2D atlas;
out vec2 uv;
out vec4 tint;

void main() {
    uv = place / vec2(textureSize(atlas, 0));
    tint = color;
    gl_Position = vec4(position.x / surface.x * 2.0 - 1.0, 1.0 - position.y / surface.y * 2.0, 0.0, 1.0);
}
