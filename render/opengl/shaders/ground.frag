in vec3 world;
out vec4 result;

// lines is how much of a pixel the lines of a grid with unit cells cover. Lines thinner than a
// pixel are drawn a pixel wide and fainter,
// and where cells become smaller than pixels the grid becomes its own mean, so that nothing
// flickers.
float lines(vec2 p, float width) {
    vec2 pixel = max(fwidth(p), 1e-6);
    vec2 drawn = clamp(vec2(width), pixel, vec2(0.5));
    vec2 fade = pixel * 1.2;
    vec2 distance = abs(fract(p - 0.5) - 0.5) * 2.0;
    vec2 cover = 1.0 - smoothstep(drawn - fade, drawn + fade, distance);
    cover *= clamp(width / drawn, 0.0, 1.0);
    cover = mix(cover, vec2(width), clamp(pixel * 2.0 - 1.0, 0.0, 1.0));
    return mix(cover.x, 1.0, cover.y);
}

void main() {
    vec2 p = world.xz / viewport.z;
    vec3 albedo = groundColor.rgb;
    albedo = mix(albedo, gridMinor.rgb, gridMinor.a * lines(p, 0.02));
    albedo = mix(albedo, gridMajor.rgb, gridMajor.a * lines(p / 10.0, 0.004));
    vec3 n = vec3(0, 1, 0);
    vec3 light = ambientAbove.rgb + fillColor.rgb * (fillDirection.y * 0.5 + 0.5);
    light += keyColor.rgb * max(toKey(world).y, 0.0) * lit(world, n);
    float faded = smoothstep(0.15, 1.0, length(world.xz - target.xz) / target.w);
    vec3 horizon = sky(-toEye(world));
    result = vec4(mix(shoulder(albedo * light), horizon, faded), 1.0);
}
