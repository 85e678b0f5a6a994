#version 450 core
// From light without an upper end to the screen's 0..1, then to sRGB, one thread a pixel. Glow is compressed by
// 1 - exp(-x) of its brightest channel, so that colours last where much adds up, and only the brightest parts turn to
// white; lit spheres and lines stay as they are up to 0.8 and bend from there.
#include "include/frame.glsl"
#include "include/pixels.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(std430, binding = 3) readonly buffer Lists { uint vertices, instances, first, base, wide, shares; };
layout(location = 0) uniform ivec2 corner;  // lower left, in the screen
layout(location = 1) uniform uint summed;   // 1 where light was summed up by glow.comp
layout(location = 2) uniform int first_column;  // what is left of it stays as it is
layout(binding = 0) uniform sampler2D picture;
layout(rgba8, binding = 0) writeonly uniform image2D screen;

vec3 bend(vec3 x) {
  vec3 over = max(x - 0.8, 0.0);
  return min(x, 0.8) + 0.2 * (1.0 - exp(-over / 0.2));
}

vec3 burn(vec3 x) {
  float most = max(max(x.r, x.g), x.b);
  if (most <= 0.0) return vec3(0);
  float shown = 1.0 - exp(-most);
  return mix(x / most, vec3(1), 0.85 * smoothstep(1.5, 12.0, most)) * shown;
}

void main() {
  ivec2 place = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(place, ivec2(frame.viewport.xy))) || place.x < first_column) return;
  vec3 light = texelFetch(picture, place, 0).rgb;
  if (summed != 0u) light += light_at(place, shares);
  light = max(light, 0.0) * frame.viewport.w;
  light = frame.background.w > 0.5 ? burn(light) : bend(light);
  vec3 low = light * 12.92, high = 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055;
  imageStore(screen, corner + place, vec4(mix(high, low, lessThan(light, vec3(0.0031308))), 1));
}
