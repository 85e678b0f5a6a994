#version 450 core
// Light that blending adds up.
#include "include/frame.glsl"
#include "include/look.glsl"
layout(location = 0) flat in vec4 sphere;
layout(location = 1) flat in vec4 colour;
layout(location = 0) out vec4 light;

void main() {
  vec3 rgb;
  if (!glow_at(sphere, colour, ray_at(gl_FragCoord.xy), rgb)) discard;
  light = vec4(rgb, 0);
}
