#version 450 core
// Light that adds up: a core and a halo about it. What is too small for a pixel is drawn larger and as much dimmer.
#include "include/frame.glsl"
#include "include/ray.glsl"
layout(location = 0) flat in vec4 sphere;
layout(location = 1) flat in vec4 colour;
layout(location = 0) out vec4 light;

void main() {
  vec3 nearest = nearest_to(sphere.xyz, pixel_ray());
  float r2 = dot(nearest, nearest) / (sphere.w * sphere.w);
  if (r2 > 1.0) discard;
  float halo = exp(-4.0 * r2) - exp(-4.0);
  float core = exp(-40.0 * r2);
  light = vec4((0.16 * colour.rgb * halo + 0.7 * mix(colour.rgb, vec3(1), 0.25) * core) * colour.a, 1);
}
