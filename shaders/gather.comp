#version 450 core
// Adds the light summed by glow.comp to the light that was drawn, and counts the pixels of the picture by brightness,
// one thread per pixel. Counts are integers: their order does not matter.
#include "include/frame.glsl"
#include "include/pixels.glsl"
#include "include/exposure.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(std430, binding = 3) readonly buffer Lists { uint vertices, instances, first, base, wide, shares; };
layout(location = 0) uniform uint summed;  // 1: there is light summed by glow.comp
layout(location = 7) uniform int first_row;  // of the threads
layout(rgba16f, binding = 0) uniform image2D picture;
shared uint counts[kBins];
const float kMost = 60000.0;  // what half floats hold

void main() {
  uint local = gl_LocalInvocationIndex;
  counts[local] = 0u;
  barrier();
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) + ivec2(0, first_row);
  if (all(lessThan(pixel, ivec2(frame.viewport.xy)))) {
    vec3 light = imageLoad(picture, pixel).rgb;
    if (summed != 0u) {
      light = min(light + light_at(pixel, shares), kMost);
      imageStore(picture, pixel, vec4(light, 0));
    }
    float brightest = max(max(light.r, light.g), light.b);
    if (brightest > 0.0) atomicAdd(counts[bin_of(brightest)], 1u);
  }
  barrier();
  if (counts[local] > 0u) atomicAdd(bins[local], counts[local]);
}
