#version 450 core
// Colours of the bodies that nearest.comp found, one thread a pixel. What was drawn before and is nearer stays. (Units
// that draw could do this too, but on a card for computing they are few.)
#include "include/frame.glsl"
#include "include/ray.glsl"
#include "include/look.glsl"
#include "include/sprites.glsl"
#include "include/pixels.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(std430, binding = 2) readonly buffer Sprites { Sprite sprites[]; };
layout(location = 2) uniform uint ball;  // 1: spheres; 0: discs
layout(binding = 1) uniform sampler2D drawn;
layout(rgba16f, binding = 0) writeonly uniform image2D picture;

void main() {
  ivec2 place = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(place, ivec2(frame.viewport.xy)))) return;
  uint body = pixels[2u * pixel_at(place) + 1u];
  if (body == kNobody) return;
  if (texelFetch(drawn, place, 0).r >= uintBitsToFloat(pixels[2u * pixel_at(place)])) return;
  SphereSeen it = seen(sprites[body]);
  vec3 light = it.colour.rgb;
  float depth;
  if (ball != 0u) sphere_at(vec4(it.centre, it.radius), it.colour.rgb, ray_at(vec2(place) + 0.5), light, depth);
  imageStore(picture, place, vec4(light, 1));
}
