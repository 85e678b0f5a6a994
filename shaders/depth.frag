#version 450 core
// Depths of the splats into the depth of the picture, for what is drawn after them.
#include "include/frame.glsl"
#include "include/pixels.glsl"

void main() {
  uint bits = pixels[2u * pixel_at(ivec2(gl_FragCoord.xy))];
  if (bits == 0u) discard;
  gl_FragDepth = uintBitsToFloat(bits);
}
