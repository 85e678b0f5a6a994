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

void add(uint at, float light, uint chance) {
  uint whole = uint(light + float(chance & 1023u) / 1024.0);
  if (whole != 0u) atomicAdd(pixels[at], whole);
}

void onto(SphereSeen it, uint body, ivec2 pixel) {
  vec3 light;
  if (!glow_at(vec4(it.centre, it.radius), it.colour, ray_at(vec2(pixel) + 0.5), light)) return;
  if (texelFetch(drawn, pixel, 0).r >= frame.projection[3][2] / -it.centre.z) return;
  uint at = pixel_at(pixel), chance = mixed(body * 0x9e3779b9u ^ at);
  light *= light_units(shares);
  add(4u * at, light.r, chance);
  add(4u * at + 1u, light.g, chance >> 10);
  add(4u * at + 2u, light.b, chance >> 20);
}
