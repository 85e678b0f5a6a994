#version 450 core
// Light of small bodies, summed up in whole units: the sum is the same bits in whatever order threads come, and nothing
// is lost in it, however little a body adds to however much. Parts of a unit become a whole one as often as they are
// large, by a number that follows from body and pixel alone, so that what is dimmer than a unit adds up too. (Sums of
// more than 32 bits would need the answer of each atomic, for which a thread waits.)
#include "include/frame.glsl"
#include "include/ray.glsl"
#include "include/look.glsl"
#include "include/sprites.glsl"
#include "include/pixels.glsl"
#include "include/splat.glsl"
layout(binding = 1) uniform sampler2D drawn;  // depth of lines, which hide what is behind them

uint mixed(uint x) {  // Wellons' lowbias32
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// Of a body at a pixel, in units; none where it does not shine there or is hidden.
uvec3 units_at(SphereSeen it, uint body, ivec2 pixel) {
  vec3 light;
  if (!glow_at(vec4(it.centre, it.radius), it.colour, ray_at(vec2(pixel) + 0.5), light)) return uvec3(0);
  if (texelFetch(drawn, pixel, 0).r >= frame.projection[3][2] / -it.centre.z) return uvec3(0);
  uint chance = mixed(body * 0x9e3779b9u ^ pixel_at(pixel));
  return uvec3(light * light_units(shares) + vec3(uvec3(chance, chance >> 10, chance >> 20) & 1023u) / 1024.0);
}

void onto(SphereSeen it, uint body, ivec2 pixel) {
  uvec3 units = units_at(it, body, pixel);
  uint at = 4u * pixel_at(pixel);
  if (units.r != 0u) atomicAdd(pixels[at], units.r);
  if (units.g != 0u) atomicAdd(pixels[at + 1u], units.g);
  if (units.b != 0u) atomicAdd(pixels[at + 2u], units.b);
}

// Small bodies, four threads each. Every thread finds the light of a pixel of its own; then the four go from pixel to
// pixel and each adds one channel, so that the three words of a pixel, which lie side by side, go to memory together:
// it is the number of such trips that costs.
//
//     threads    0    1    2    3
//     find      p0   p1   p2   p3
//     add     r(p0) g(p0) b(p0)  -    then p1, p2, p3, and on to the next four pixels
shared uvec4 found[64];  // units, and where they go
shared int rounds;       // of four pixels, of the largest body of the work group

void by_fours() {
  uint n = uint(frame.style.z), local = gl_LocalInvocationIndex, four = local / 4u, own = local % 4u;
  for (uint begin = gl_WorkGroupID.x * 16u; begin < n; begin += gl_NumWorkGroups.x * 16u) {
    uint body = begin + four;
    ivec2 low, size = ivec2(0);
    Sprite s;
    bool here = body < n;
    if (here) s = sprites[body];
    here = here && is_small(s) && square_of(s, low, size);
    if (local == 0u) rounds = 0;
    barrier();
    if (here) atomicMax(rounds, (size.x * size.y + 3) / 4);
    barrier();
    int all = rounds;
    for (int k = 0; k < all; ++k) {
      int p = 4 * k + int(own);
      found[local] = uvec4(0);
      if (here && p < size.x * size.y) {
        ivec2 pixel = low + ivec2(p % size.x, p / size.x);
        found[local] = uvec4(units_at(seen(s), body, pixel), 4u * pixel_at(pixel));
      }
      barrier();
      for (uint other = 4u * four; own < 3u && other < 4u * four + 4u; ++other) {
        uint units = found[other][own];
        if (units != 0u) atomicAdd(pixels[found[other].w + own], units);
      }
      barrier();
    }
  }
}

void main() {
  if (pass == 0u) {
    by_fours();
  } else {
    wide_ones();
  }
}
