#version 450 core
// Which small body is nearest at each pixel. Twice over the bodies: first the greatest depth is found, then, of the
// bodies that have just that depth there, the least number. Neither depends on the order in which threads come, so the
// picture is the same bits each time.
#include "include/frame.glsl"
#include "include/ray.glsl"
#include "include/look.glsl"
#include "include/sprites.glsl"
#include "include/pixels.glsl"
#include "include/splat.glsl"
layout(location = 1) uniform uint round;  // 0: depths; 1: numbers
layout(location = 2) uniform uint ball;   // 1: spheres; 0: discs

void onto(SphereSeen it, uint body, ivec2 pixel) {
  vec4 sphere = vec4(it.centre, it.radius);
  vec3 ray = ray_at(vec2(pixel) + 0.5), lit;
  float depth = frame.projection[3][2] / -it.centre.z;
  if (ball != 0u ? !sphere_at(sphere, it.colour.rgb, ray, lit, depth) : !disc_at(sphere, ray)) return;
  // Positive floats are in the order of their bits.
  uint bits = floatBitsToUint(depth), at = 2u * pixel_at(pixel);
  if (round == 0u) {
    if (pixels[at] < bits) atomicMax(pixels[at], bits);  // an old value only costs the atomic
  } else if (pixels[at] == bits) {
    atomicMin(pixels[at + 1u], body);
  }
}

void main() {
  if (pass == 0u) {
    small_ones();
  } else {
    wide_ones();
  }
}
