#version 450 core
// Shades the bodies found by nearest.comp, one thread per pixel, unless something nearer was drawn before. (A fragment
// shader could do this too, but compute cards have few rasterizer units.)
#include "include/frame.glsl"
#include "include/look.glsl"
#include "include/sprites.glsl"
#include "include/pixels.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(std430, binding = 2) readonly buffer Sprites { Sprite sprites[]; };
layout(location = 2) uniform uint ball;  // 1: spheres; 0: discs
layout(binding = 1) uniform sampler2D drawn;
layout(rgba16f, binding = 0) writeonly uniform image2D picture;

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(pixel, ivec2(frame.viewport.xy)))) return;
  uint body = pixels[2u * pixel_at(pixel) + 1u];
  if (body == kNoBody) return;
  if (texelFetch(drawn, pixel, 0).r >= uintBitsToFloat(pixels[2u * pixel_at(pixel)])) return;
  ViewSphere it = view_sphere(sprites[body]);
  vec4 light = vec4(it.colour.rgb, 0);
  float depth;
  if (ball != 0u) sphere_at(vec4(it.centre, it.radius), it.colour.rgb, ray_at(vec2(pixel) + 0.5), light, depth);
  imageStore(picture, pixel, light);
}
