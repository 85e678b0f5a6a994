#version 450 core
// From light without an upper end to the screen's 0..1, then to sRGB. Glow is compressed by 1 - exp(-x) of its
// brightest channel, so that colours last where much adds up, and only the brightest parts turn to white; lit spheres
// and lines stay as they are up to 0.8 and bend from there.
#include "include/frame.glsl"
layout(binding = 0) uniform sampler2D picture;
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 colour;

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
  vec3 light = max(texture(picture, place).rgb, 0.0) * frame.viewport.w;
  light = frame.background.w > 0.5 ? burn(light) : bend(light);
  vec3 low = light * 12.92, high = 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055;
  colour = vec4(mix(high, low, lessThan(light, vec3(0.0031308))), 1);
}
