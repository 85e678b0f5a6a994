#version 450 core
// Tone mapping of spheres, points and lines, one thread per pixel: their occlusion, then from light to sRGB. Light is
// unchanged up to 0.8 and compressed above.
#include "include/frame.glsl"
#include "include/srgb.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(location = 0) uniform ivec2 corner;      // lower left, in the window
layout(location = 1) uniform int first_column;  // pixels left of it are not written
layout(location = 2) uniform uint occluded;     // 1: there is a result of occlusion.comp
layout(location = 3) uniform uint transparent;  // 1: what is not drawn has alpha 0
layout(location = 7) uniform int first_row;  // of the threads
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) uniform sampler2D drawn;  // depth
layout(binding = 2) uniform sampler2D shade;
layout(binding = 0) writeonly uniform image2D screen;

// The mean over 8 x 8 pixels around this one, 4 x 4 results, that are about as far away. Between two pixels with a
// result there are four on each axis; at a pixel with one there are five, of which the outer two count half.
//
//     result     0   1   2   3   4        pixel 4: 0/2 1 2 3 4/2
//     pixel      0 1 2 3 4 5 6 7 8        pixel 5: 1 2 3 4
float light_kept(ivec2 pixel, float depth) {
  float front = frame.projection[3][2] / depth, near = 0.02 * front;
  ivec2 odd = pixel & 1, first = pixel / 2 - 2 + odd, most = 4 - odd, last = textureSize(shade, 0) - 1;
  float sum = 0.0, weights = 0.0;
  for (int y = 0; y <= most.y; ++y) {
    for (int x = 0; x <= most.x; ++x) {
      vec2 there = texelFetch(shade, clamp(first + ivec2(x, y), ivec2(0), last), 0).rg;
      float weight = there.g > 0.0 ? near / (near + abs(there.g - front)) : 0.0;
      weight *= weight * weight;
      if (odd.x == 0 && (x == 0 || x == 4)) weight *= 0.5;
      if (odd.y == 0 && (y == 0 || y == 4)) weight *= 0.5;
      sum += weight * there.r, weights += weight;
    }
  }
  return weights > 0.0 ? sum / weights : 1.0;
}

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) + ivec2(0, first_row);
  if (any(greaterThanEqual(pixel, ivec2(frame.viewport.xy))) || pixel.x < first_column) return;
  vec4 light = texelFetch(picture, pixel, 0);
  if (occluded != 0u && light.a > 0.0) light.rgb *= light_kept(pixel, texelFetch(drawn, pixel, 0).r);
  bool nothing = transparent != 0u && texelFetch(drawn, pixel, 0).r <= 0.0;
  vec4 shown = vec4(to_srgb(compress(max(light.rgb, 0.0) * frame.viewport.w)), 1);
  imageStore(screen, corner + pixel, nothing ? vec4(0) : shown);
}
