// All programs of a view share this block. The Go struct sceneBlock has the same layout.
layout(std140) uniform Scene {
    mat4 viewProjection;
    mat4 inverseViewProjection;
    mat4 shadowMatrix;   // world to the shadow map's texture space
    vec4 eye;            // w: 1 for a parallel projection
    vec4 forward;        // direction of view; w: pixels per point
    vec4 target;         // target of the camera; w: distance at which the ground has faded
    vec4 keyDirection;   // w: 1 with shadows
    vec4 keyPlace;       // of a lamp; w: 1 if there is one, else the light is in keyDirection
    vec4 keyColor;       // w: world size of a shadow texel; of a lamp's, at a distance of 1
    vec4 fillDirection;
    vec4 fillColor;
    vec4 ambientAbove;
    vec4 ambientBelow;
    vec4 skyTop;
    vec4 skyHorizon;
    vec4 groundColor;    // w: height
    vec4 gridMinor;
    vec4 gridMajor;      // alpha as strength
    vec4 viewport;       // size in pixels; z: size of a grid cell
};

// sky returns the light from a direction. Ground that has faded has the same colour.
vec3 sky(vec3 direction) {
    return mix(skyHorizon.rgb, skyTop.rgb, smoothstep(-0.02, 0.55, direction.y));
}

// toEye returns the unit vector from a point to the camera.
vec3 toEye(vec3 world) {
    return eye.w > 0.5 ? -forward.xyz : normalize(eye.xyz - world);
}

// toKey returns the unit vector from a point to the key light.
vec3 toKey(vec3 world) {
    return keyPlace.w > 0.5 ? normalize(keyPlace.xyz - world) : keyDirection.xyz;
}

// shoulder leaves most of the range alone and rolls off towards white, so that bright surfaces keep
// their colour.
vec3 shoulder(vec3 c) {
    vec3 over = max(c - 0.75, 0.0);
    return min(c, 0.75) + 0.25 * over / (0.25 + over);
}

// rotate turns a vector by a unit quaternion (w, x, y, z).
vec3 rotate(vec4 q, vec3 v) {
    return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v);
}
