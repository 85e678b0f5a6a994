#version 450 core
// The nearest small body at each pixel, in two passes over the bodies: first the greatest depth, then the lowest index
// among the bodies with exactly that depth. Neither depends on the order of threads, so pictures are bit-equal.
#include "include/frame.glsl"
#include "include/look.glsl"
#include "include/sprites.glsl"
#include "include/pixels.glsl"
#include "include/splat.glsl"
layout(location = 1) uniform uint round;  // 0: depths; 1: indices
layout(location = 2) uniform uint ball;   // 1: spheres; 0: discs

void splat_pixel(ViewSphere it, uint body, ivec2 pixel) {
  vec4 sphere = vec4(it.centre, it.radius);
  vec3 ray = ray_at(vec2(pixel) + 0.5);
  vec4 lit;
  float depth = frame.projection[3][2] / -it.centre.z;
  if (ball != 0u ? !sphere_at(sphere, it.colour.rgb, ray, lit, depth) : !disc_at(sphere, ray)) return;
  // The bits of positive floats have the order of the floats.
  uint bits = floatBitsToUint(depth), at = 2u * pixel_at(pixel);
  if (round == 0u) {
    if (pixels[at] < bits) atomicMax(pixels[at], bits);  // a stale value only costs the atomic
  } else if (pixels[at] == bits) {
    atomicMin(pixels[at + 1u], body);
  }
}

// Splats every `stride`th pixel of a body, from `begin` on.
void splat(uint body, Sprite s, int begin, int stride) {
  ivec2 low, size;
  if (!pixel_square(s, low, size)) return;
  ViewSphere it = view_sphere(s);
  int x = begin % size.x, y = begin / size.x, right = stride % size.x, up = stride / size.x;
  while (y < size.y) {
    splat_pixel(it, body, low + ivec2(x, y));
    x += right, y += up;
    if (x >= size.x) x -= size.x, ++y;
  }
}

//     bodies    0 1 2 3 4 5 ...        wide list    7      9     ...
//     threads   0 1 2 3 4 5 ...        groups      0000   1111       each thread every 64th pixel of the body's square
void main() {
  uint n = uint(frame.style.z);
  if (pass == 0u) {
    for (uint i = gl_GlobalInvocationID.x; i < n; i += gl_NumWorkGroups.x * 64u) {
      Sprite s = sprites[i];
      if (is_small(s)) splat(i, s, 0, 1);
    }
  } else {
    for (uint k = gl_WorkGroupID.x; k < wide; k += gl_NumWorkGroups.x) {
      uint body = list[n + k];
      splat(body, sprites[body], int(gl_LocalInvocationIndex), 64);
    }
  }
}
