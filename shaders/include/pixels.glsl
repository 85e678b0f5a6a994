// What splats leave at the pixels of the picture, row by row from the lower left.
// Matter, two words a pixel: depth of what is nearest, as bits (0: nothing), and the number of the body there.
// Glow, four: red, green and blue in whole units, and one that is not used.
layout(std430, binding = 5) buffer Pixels { uint pixels[]; };
const uint kNobody = 0xffffffffu;

uint pixel_at(ivec2 place) { return uint(place.y) * uint(frame.viewport.x) + uint(place.x); }

// Units of light to the one, a power of two. shares: of all bodies, in sixteenths. A body gives a pixel less than 0.87
// times its share, so all of them together less than 32 bits hold, and the rest is for what is rounded up.
float light_units(uint shares) { return ldexp(1.0, min(35 - findMSB(max(shares, 1u)), 24)); }

vec3 light_at(ivec2 place, uint shares) {
  uint at = 4u * pixel_at(place);
  return vec3(pixels[at], pixels[at + 1u], pixels[at + 2u]) / light_units(shares);
}
