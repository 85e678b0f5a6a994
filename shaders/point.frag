#version 450 core
// A disc of one colour.
#include "include/frame.glsl"
#include "include/ray.glsl"
layout(location = 0) flat in vec4 sphere;
layout(location = 1) flat in vec4 colour;
layout(location = 0) out vec4 light;

void main() {
  vec3 nearest = nearest_to(sphere.xyz, pixel_ray());
  if (dot(nearest, nearest) > sphere.w * sphere.w) discard;
  light = vec4(colour.rgb, 1);
}
