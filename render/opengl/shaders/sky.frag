in vec2 ndc;
out vec4 result;

void main() {
    vec3 direction;
    if (eye.w > 0.5) {
        // All rays of a parallel projection are one direction; the gradient runs up the picture instead.
        direction = vec3(0, ndc.y * 0.35 + 0.2, 0);
    } else {
        vec4 a = inverseViewProjection * vec4(ndc, -1.0, 1.0);
        vec4 b = inverseViewProjection * vec4(ndc, 1.0, 1.0);
        direction = normalize(b.xyz / b.w - a.xyz / a.w);
    }
    result = vec4(sky(direction), 1.0);
}
