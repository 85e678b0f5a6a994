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

// Every thread of a work group finds the light of a pixel of its own; then each four threads together take one pixel
// after another and add a channel each. The words of a pixel lie side by side, and it is the number of pieces of memory
// that atomics go to, not of words, which costs.
//
//     threads    0     1     2     3     4     5     6     7   ...
//     find      p0    p1    p2    p3    p4    p5    p6    p7
//     add     r(p0) g(p0) b(p0)   -   r(q0) g(q0) b(q0)   -    then the next pixels, four times
//
// Where each four have a body of their own, q0 is p4, the first of the second four. Where all have one, it is p1: what a
// work group adds at a time is a row of 16 pixels.
shared uvec4 found[64];  // units, and the first word they go to
shared int most;         // pixels of the largest body of the work group

void add_all(uint stride, uint step) {
  uint channel = gl_LocalInvocationIndex % 4u;
  barrier();
  for (uint k = 0u, at = gl_LocalInvocationIndex / 4u * stride; channel < 3u && k < 4u; ++k, at += step) {
    uint units = found[at][channel];
    if (units != 0u) atomicAdd(pixels[found[at].w + channel], units);
  }
  barrier();
}

void find(SphereSeen it, uint body, ivec2 low, ivec2 size, int number) {
  uvec4 light = uvec4(0);
  if (number < size.x * size.y) {
    ivec2 pixel = low + ivec2(number % size.x, number / size.x);
    light = uvec4(units_at(it, body, pixel), 4u * pixel_at(pixel));
  }
  found[gl_LocalInvocationIndex] = light;
}

void small_by_fours() {
  uint n = uint(frame.style.z), local = gl_LocalInvocationIndex;
  for (uint begin = gl_WorkGroupID.x * 16u; begin < n; begin += gl_NumWorkGroups.x * 16u) {
    uint body = begin + local / 4u;
    ivec2 low = ivec2(0), size = ivec2(0);
    Sprite s = sprites[min(body, n - 1u)];
    if (body >= n || !is_small(s) || !square_of(s, low, size)) size = ivec2(0);
    if (local == 0u) most = 0;
    barrier();
    if (size.x > 0) atomicMax(most, size.x * size.y);
    barrier();
    SphereSeen it = seen(s);
    for (int p = 0, all = most; p < all; p += 4) {
      find(it, body, low, size, p + int(local % 4u));
      add_all(4u, 1u);
    }
  }
}

void wide_by_rows() {
  for (uint k = gl_WorkGroupID.x; k < wide; k += gl_NumWorkGroups.x) {
    uint body = list[uint(frame.style.z) + k];
    Sprite s = sprites[body];
    ivec2 low, size;
    if (!square_of(s, low, size)) continue;
    SphereSeen it = seen(s);
    for (int p = 0; p < size.x * size.y; p += 64) {
      find(it, body, low, size, p + int(gl_LocalInvocationIndex));
      add_all(1u, 16u);
    }
  }
}

void main() {
  if (pass == 0u) {
    small_by_fours();
  } else {
    wide_by_rows();
  }
}
