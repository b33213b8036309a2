in vec3 direction;
out vec4 result;

void main() {
    result = vec4(sky(normalize(direction)), 1.0);
}
