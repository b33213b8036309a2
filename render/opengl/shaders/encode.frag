uniform sampler2D picture;
out vec4 result;

// The light of the picture as sRGB values, which the target keeps as they are.
void main() {
    vec3 c = texelFetch(picture, ivec2(gl_FragCoord.xy), 0).rgb;
    vec3 curve = 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055;
    result = vec4(mix(curve, 12.92 * c, lessThanEqual(c, vec3(0.0031308))), 1.0);
}
