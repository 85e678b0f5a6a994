#version 450 core
// Tone mapping: from unbounded light to 0..1, then to sRGB, one thread per pixel. Glow is compressed by 1 - exp(-x) of
// its brightest channel, which keeps colours where much light adds up and turns only the brightest parts white; lit
// spheres and lines are unchanged up to 0.8 and compressed above.
#include "include/frame.glsl"
#include "include/pixels.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(std430, binding = 3) readonly buffer Lists { uint vertices, instances, first, base, wide, shares; };
layout(location = 0) uniform ivec2 corner;  // lower left, in the window
layout(location = 1) uniform uint summed;   // 1: add the light summed by glow.comp
layout(location = 2) uniform int first_column;  // pixels left of it are not written
layout(binding = 0) uniform sampler2D picture;
layout(rgba8, binding = 0) writeonly uniform image2D screen;

vec3 compress(vec3 x) {
  vec3 over = max(x - 0.8, 0.0);
  return min(x, 0.8) + 0.2 * (1.0 - exp(-over / 0.2));
}

vec3 tone_glow(vec3 x) {
  float brightest = max(max(x.r, x.g), x.b);
  if (brightest <= 0.0) return vec3(0);
  float mapped = 1.0 - exp(-brightest);
  return mix(x / brightest, vec3(1), 0.85 * smoothstep(1.5, 12.0, brightest)) * mapped;
}

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(pixel, ivec2(frame.viewport.xy))) || pixel.x < first_column) return;
  vec3 light = texelFetch(picture, pixel, 0).rgb;
  if (summed != 0u) light += light_at(pixel, shares);
  light = max(light, 0.0) * frame.viewport.w;
  light = frame.background.w > 0.5 ? tone_glow(light) : compress(light);
  vec3 low = light * 12.92, high = 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055;
  imageStore(screen, corner + pixel, vec4(mix(high, low, lessThan(light, vec3(0.0031308))), 1));
}
