uniform sampler2DShadow shadowMap;

// lit returns the share of the key light that reaches a point: a mean over neighbouring texels, each of
// them compared and filtered by the hardware.
float lit(vec3 world, vec3 n) {
    if (keyDirection.w < 0.5) return 1.0;
    // A step along the normal keeps a surface out of its own shadow; longer where light grazes.
    float grazing = 1.0 - max(dot(n, toKey(world)), 0.0);
    float texelSize = keyColor.w * (keyPlace.w > 0.5 ? distance(keyPlace.xyz, world) : 1.0);
    vec4 q = shadowMatrix * vec4(world + n * texelSize * (0.6 + 1.8 * grazing), 1.0);
    if (q.w <= 0.0) return 1.0;
    vec3 p = q.xyz / q.w;
    vec2 edge = abs(p.xy - 0.5) * 2.0;
    float inside = 1.0 - smoothstep(0.85, 1.0, max(edge.x, edge.y));
    if (inside <= 0.0) return 1.0;
    vec2 texel = 1.0 / vec2(textureSize(shadowMap, 0));
    float sum = 0.0;
    for (int y = 0; y < TAPS; y++) {
        for (int x = 0; x < TAPS; x++) {
            vec2 offset = (vec2(x, y) - float(TAPS - 1) * 0.5) * TAP_SPACING;
            sum += texture(shadowMap, vec3(p.xy + offset * texel, p.z));
        }
    }
    return mix(1.0, sum / float(TAPS * TAPS), inside);
}

// shade returns the light that a surface sends to the eye.
vec3 shade(vec3 albedo, vec3 world, vec3 n, float gloss) {
    vec3 v = toEye(world);
    float up = n.y * 0.5 + 0.5;
    // Near the ground less of the surroundings is seen, most of all from below.
    float height = max(world.y - groundColor.w, 0.0);
    float near = 1.0 / (1.0 + 2.0 * height + 3.0 * height * height);
    float open = 1.0 - 0.45 * near * (1.0 - up);
    vec3 light = mix(ambientBelow.rgb, ambientAbove.rgb, up) * open;

    vec3 l = toKey(world);
    float key = max(dot(n, l), 0.0);
    float shadow = key > 0.0 ? lit(world, n) : 0.0;
    light += keyColor.rgb * key * shadow;
    light += fillColor.rgb * (dot(n, fillDirection.xyz) * 0.5 + 0.5);

    float facing = max(dot(n, v), 0.0);
    float rim = (1.0 - facing) * (1.0 - facing);
    rim *= rim;
    // The highlight's 48th power (Blinn's half-vector), by squaring.
    float h = max(dot(n, normalize(l + v)), 0.0);
    h *= h; h *= h; h *= h; h *= h;
    vec3 shine = keyColor.rgb * (shadow * h * h * h);
    shine += ambientAbove.rgb * rim * (0.3 + 0.7 * up);
    return albedo * light + gloss * shine;
}
