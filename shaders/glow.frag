#version 450 core
// Light that adds up by blending.
#include "include/frame.glsl"
#include "include/ray.glsl"
#include "include/look.glsl"
layout(location = 0) flat in vec4 sphere;
layout(location = 1) flat in vec4 colour;
layout(location = 0) out vec4 light;

void main() {
  vec3 shone;
  if (!glow_at(sphere, colour, ray_at(gl_FragCoord.xy), shone)) discard;
  light = vec4(shone, 1);
}
