// Instances: a pose is a position, a unit quaternion as (w, x, y, z) and a scale.
#ifdef MOTION
layout(location = 2) in vec3 firstPosition;
layout(location = 3) in vec4 firstRotation;
layout(location = 4) in vec3 firstScale;
layout(location = 5) in vec3 secondPosition;
layout(location = 6) in vec4 secondRotation;
layout(location = 7) in vec3 secondScale;
layout(location = 8) in int start;      // ticks; of those with times of their own
layout(location = 9) in float inverse;  // of the duration in ticks; 0 for those that move with the step
uniform int now;                        // ticks
uniform float weight;                   // of the second pose, for those that move with the step
#else
layout(location = 2) in vec3 position;
layout(location = 3) in vec4 rotation;
layout(location = 4) in vec3 scale;
#endif

struct Pose { vec3 position; vec4 rotation; vec3 scale; };

// slerp is the one of components.Slerp, without trigonometry.
vec4 slerp(vec4 a, vec4 b, float t) {
    float s = t - 0.5;
    float z = s * s;
    float k = s * (z - 0.25);
    float c1 = k * (0.68374997 + z * (-0.06132597 + z * 0.75047732));
    float c2 = k * (0.06664478 + z * (0.66724177 - z * 2.91494655));
    float c3 = k * (0.10921768 + z * (0.19937133 + z * 3.38322934));
    float d = dot(a, b);
    float x = 1.0 - abs(d);
    float wb = t + x * (c1 + x * (c2 + x * c3));
    float wa = 1.0 - wb;
    float r = inversesqrt(1.0 - 2.0 * wa * wb * x);
    return r * wa * a + (d < 0.0 ? -r : r) * wb * b;
}

Pose instancePose() {
#ifdef MOTION
    // The difference of two times is taken in integers, which wrap around; only then does it become
    // a float.
    float t = inverse == 0.0 ? weight : clamp(float(now - start) * inverse, 0.0, 1.0);
    // In this form what rests, with two poses that are the same, stays where it is bit for bit
    // whatever t is.
    vec3 position = firstPosition + (secondPosition - firstPosition) * t;
    vec3 scale = firstScale + (secondScale - firstScale) * t;
    return Pose(position, slerp(firstRotation, secondRotation, t), scale);
#else
    return Pose(position, rotation, scale);
#endif
}
