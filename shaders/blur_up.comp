#version 450 core
// Adds a picture of half the size to this one, as the mean of four linear samples half a pixel away: with blur_down.comp, a
// light of one pixel becomes a smooth and almost round spot, and the sum of all light stays.
layout(local_size_x = 16, local_size_y = 8) in;
layout(location = 0) uniform vec2 weights;  // of this picture, of the other
layout(location = 7) uniform int first_row;  // of the threads
layout(binding = 0) uniform sampler2D half_size;
layout(rgba16f, binding = 0) uniform image2D whole;

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) + ivec2(0, first_row);
  if (any(greaterThanEqual(pixel, imageSize(whole)))) return;
  vec2 at = 0.5 * (vec2(pixel) + 0.5), scale = 1.0 / vec2(textureSize(half_size, 0));
  vec4 sum = vec4(0);
  for (int k = 0; k < 4; ++k) sum += textureLod(half_size, (at + vec2(k % 2, k / 2) - 0.5) * scale, 0.0);
  imageStore(whole, pixel, weights.x * imageLoad(whole, pixel) + weights.y * 0.25 * sum);
}
