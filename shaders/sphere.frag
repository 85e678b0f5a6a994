#version 450 core
// Shades the sphere at the hit of the view ray, and writes its depth, which is nearer than that of the square through
// its centre.
#include "include/frame.glsl"
#include "include/look.glsl"
layout(location = 0) flat in vec4 sphere;  // centre and radius, view space
layout(location = 1) flat in vec4 colour;
layout(location = 0) out vec4 light;
layout(depth_greater) out float gl_FragDepth;

void main() {
  float depth;
  if (!sphere_at(sphere, colour.rgb, ray_at(gl_FragCoord.xy), light, depth)) discard;
  gl_FragDepth = depth;
}
