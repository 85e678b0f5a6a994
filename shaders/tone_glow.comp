#version 450 core
// Tone mapping of glow, one thread per pixel: from unbounded light to sRGB, by the curve of expose.comp. The curve maps
// the brightest channel, so that colours stay where much light adds up; only the brightest parts turn pale. Lines are
// drawn over it in their own colour.
#include "include/frame.glsl"
#include "include/exposure.glsl"
#include "include/srgb.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(location = 0) uniform ivec2 corner;      // lower left, in the window
layout(location = 1) uniform int first_column;  // pixels left of it are not written
layout(location = 2) uniform float spread;      // share of the light that is blurred
layout(location = 3) uniform uint transparent;  // 1: over nothing, with alpha
layout(location = 7) uniform int first_row;  // of the threads
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) uniform sampler2D blurred;  // at half the size
layout(binding = 2) uniform sampler2D lines;
layout(binding = 0) writeonly uniform image2D screen;

const float kWhite = 0.94;  // sRGB, of the brightness that is white: brighter light approaches 1

vec3 developed(vec3 light) {
  float brightest = max(max(light.r, light.g), light.b);
  if (brightest <= 0.0) return vec3(0);
  float shade = log(1.0 + steepness * brightest / white) / log(1.0 + steepness);
  shade = kWhite * min(shade, 1.0) + (1.0 - kWhite) * (1.0 - exp(-max(shade - 1.0, 0.0) / (1.0 - kWhite)));
  return mix(light / brightest, vec3(1), 0.7 * smoothstep(0.55, 1.05, shade)) * to_linear(shade);
}

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) + ivec2(0, first_row);
  if (any(greaterThanEqual(pixel, ivec2(frame.viewport.xy))) || pixel.x < first_column) return;
  vec2 at = (vec2(pixel) + 0.5) / vec2(2 * textureSize(blurred, 0));
  vec3 light = mix(texelFetch(picture, pixel, 0).rgb, textureLod(blurred, at, 0.0).rgb, spread);
  light = developed(light * frame.viewport.w);
  // Light covers what is behind it as far as it is bright, and a line as far as that is.
  float covered = max(max(light.r, light.g), light.b);
  if (transparent == 0u) light += frame.background.rgb * (1.0 - covered);
  vec3 line = texelFetch(lines, pixel, 0).rgb;
  light += line * (1.0 - light);
  if (transparent == 0u) {
    imageStore(screen, corner + pixel, vec4(to_srgb(light), 1));
    return;
  }
  covered = 1.0 - (1.0 - covered) * (1.0 - min(max(max(line.r, line.g), line.b), 1.0));
  imageStore(screen, corner + pixel, covered * 65535.0 > 0.5 ? vec4(to_srgb(min(light / covered, 1.0)), covered) : vec4(0));
}
