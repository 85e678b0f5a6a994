#version 450 core
// Copies the depths of the splats into the depth buffer, for whatever is drawn later.
#include "include/frame.glsl"
#include "include/pixels.glsl"

void main() {
  uint bits = pixels[2u * pixel_at(ivec2(gl_FragCoord.xy))];
  if (bits == 0u) discard;
  gl_FragDepth = uintBitsToFloat(bits);
}
