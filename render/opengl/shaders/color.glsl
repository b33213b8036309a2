// linear is the light of an sRGB colour: a cubic that is off by less than 0.002, since exact powers
// per vertex cost more than all else there.
vec3 linear(vec3 c) {
    return c * (c * (c * 0.305306011 + 0.682171111) + 0.012522878);
}
