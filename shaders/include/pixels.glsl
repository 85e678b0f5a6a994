// Output of the splats per pixel, row by row from the lower left.
// Opaque bodies, two words per pixel: bits of the depth of the nearest (0: none), and its index.
// Glow, four words: red, green and blue in integer units, and one unused.
layout(std430, binding = 5) buffer Pixels { uint pixels[]; };
const uint kNoBody = 0xffffffffu;

uint pixel_at(ivec2 pixel) { return uint(pixel.y) * uint(frame.viewport.x) + uint(pixel.x); }

// Units per light of 1, a power of two. shares: sum over all bodies, in sixteenths. A body adds at most 0.99 of its
// light to a pixel, so the sum fits 32 bits, with room for rounding up.
float light_units(uint shares) { return ldexp(1.0, min(35 - findMSB(max(shares, 1u)), 24)); }

vec3 light_at(ivec2 pixel, uint shares) {
  uint at = 4u * pixel_at(pixel);
  return vec3(pixels[at], pixels[at + 1u], pixels[at + 2u]) / light_units(shares);
}
