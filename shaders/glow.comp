#version 450 core
// Sums the light of small bodies in integer units: the sum is bit-equal in any order of threads, and no term is lost
// next to a large sum. Fractions of a unit are rounded stochastically, with a hash of body and pixel as the random
// number, so that light below one unit adds up too. (Sums of more than 32 bits would need the result of each atomic,
// and threads would wait for it.)
#include "include/frame.glsl"
#include "include/look.glsl"
#include "include/sprites.glsl"
#include "include/pixels.glsl"
#include "include/splat.glsl"
layout(binding = 1) uniform sampler2D drawn;  // depth of the lines, which occlude

uint lowbias32(uint x) {  // by Chris Wellons
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// Light of a body at a pixel, in units; 0 outside its disc and where a line occludes it.
uvec3 units_at(ViewSphere it, uint body, ivec2 pixel) {
  vec3 light;
  if (!glow_at(vec4(it.centre, it.radius), it.colour, ray_at(vec2(pixel) + 0.5), light)) return uvec3(0);
  if (texelFetch(drawn, pixel, 0).r >= frame.projection[3][2] / -it.centre.z) return uvec3(0);
  uint random = lowbias32(body * 0x9e3779b9u ^ pixel_at(pixel));
  return uvec3(light * light_units(shares) + vec3(uvec3(random, random >> 10, random >> 20) & 1023u) / 1024.0);
}

// Every thread of a work group computes the light of one pixel; then groups of four threads take one pixel after
// another and add one channel each. The words of a pixel are adjacent, and the cost of atomics is the number of memory
// sectors that they touch, not of words.
//
//     threads    0     1     2     3     4     5     6     7   ...
//     compute   p0    p1    p2    p3    p4    p5    p6    p7
//     add     r(p0) g(p0) b(p0)   -   r(q0) g(q0) b(q0)   -    then the next pixels, four times
//
// If each four threads have their own body, q0 is p4, the first pixel of the second four. If the work group shares one
// body, q0 is p1, and the group adds a row of 16 pixels at a time.
shared uvec4 lights[64];  // units, and the index of the pixel's first word
shared int max_pixels;     // pixel count of the largest body of the work group

void add_all(uint stride, uint step) {
  uint channel = gl_LocalInvocationIndex % 4u;
  barrier();
  for (uint k = 0u, at = gl_LocalInvocationIndex / 4u * stride; channel < 3u && k < 4u; ++k, at += step) {
    uint units = lights[at][channel];
    if (units != 0u) atomicAdd(pixels[lights[at].w + channel], units);
  }
  barrier();
}

void compute_light(ViewSphere it, uint body, ivec2 low, ivec2 size, int number) {
  uvec4 light = uvec4(0);
  if (number < size.x * size.y) {
    ivec2 pixel = low + ivec2(number % size.x, number / size.x);
    light = uvec4(units_at(it, body, pixel), 4u * pixel_at(pixel));
  }
  lights[gl_LocalInvocationIndex] = light;
}

void splat_small() {
  uint n = uint(frame.style.z), local = gl_LocalInvocationIndex;
  for (uint begin = gl_WorkGroupID.x * 16u; begin < n; begin += gl_NumWorkGroups.x * 16u) {
    uint body = begin + local / 4u;
    ivec2 low = ivec2(0), size = ivec2(0);
    Sprite s = sprites[min(body, n - 1u)];
    if (body >= n || !is_small(s) || !pixel_square(s, low, size)) size = ivec2(0);
    if (local == 0u) max_pixels = 0;
    barrier();
    if (size.x > 0) atomicMax(max_pixels, size.x * size.y);
    barrier();
    ViewSphere it = view_sphere(s);
    for (int p = 0, all = max_pixels; p < all; p += 4) {
      compute_light(it, body, low, size, p + int(local % 4u));
      add_all(4u, 1u);
    }
  }
}

void splat_wide() {
  for (uint k = gl_WorkGroupID.x; k < wide; k += gl_NumWorkGroups.x) {
    uint body = list[uint(frame.style.z) + k];
    Sprite s = sprites[body];
    ivec2 low, size;
    if (!pixel_square(s, low, size)) continue;
    ViewSphere it = view_sphere(s);
    for (int p = 0; p < size.x * size.y; p += 64) {
      compute_light(it, body, low, size, p + int(gl_LocalInvocationIndex));
      add_all(1u, 16u);
    }
  }
}

void main() {
  if (pass == 0u) {
    splat_small();
  } else {
    splat_wide();
  }
}
