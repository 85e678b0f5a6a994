#version 450 core
// A disc of one colour.
#include "include/frame.glsl"
#include "include/look.glsl"
layout(location = 0) flat in vec4 sphere;
layout(location = 1) flat in vec4 colour;
layout(location = 0) out vec4 light;

void main() {
  if (!disc_at(sphere, ray_at(gl_FragCoord.xy))) discard;
  light = vec4(colour.rgb, 0);
}
