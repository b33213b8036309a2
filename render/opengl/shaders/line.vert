layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 2) in vec4 fromColor;
layout(location = 3) in vec4 toColor;
uniform float width; // pixels
out vec4 color;
out float across;    // pixels from the middle

void main() {
    vec4 a = viewProjection * vec4(from, 1.0);
    vec4 b = viewProjection * vec4(to, 1.0);
    // An end behind the near plane would turn the line around when divided by its w: cut it off
    // there.
    float da = a.z + a.w, db = b.z + b.w;
    vec4 a0 = a, b0 = b;
    if (da < 0.0 && db > 0.0) a = mix(a0, b0, da / (da - db) + 1e-4);
    if (db < 0.0 && da > 0.0) b = mix(b0, a0, db / (db - da) + 1e-4);
    vec2 sa = a.xy / a.w * viewport.xy * 0.5;
    vec2 sb = b.xy / b.w * viewport.xy * 0.5;
    vec2 d = sb - sa;
    float l = length(d);
    vec2 n = l > 1e-6 ? vec2(-d.y, d.x) / l : vec2(0.0);
    float side = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
    bool atEnd = gl_VertexID >= 2;
    vec4 p = atEnd ? b : a;
    float half_ = max(width, 1.0) * 0.5 + 1.0;
    across = side * half_;
    p.xy += n * side * half_ * 2.0 / viewport.xy * p.w;
    color = atEnd ? toColor : fromColor;
    color.rgb = linear(color.rgb);
    gl_Position = (da < 0.0 && db < 0.0) ? vec4(2.0, 2.0, 2.0, 1.0) : p;
}
