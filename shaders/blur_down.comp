#version 450 core
// A picture at half the size: each pixel is the mean of 4 x 4 with the weights 1 3 3 1, as four linear samples.
layout(local_size_x = 16, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D whole;
layout(rgba16f, binding = 0) writeonly uniform image2D half_size;
layout(location = 7) uniform int first_row;  // of the threads

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) + ivec2(0, first_row);
  if (any(greaterThanEqual(pixel, imageSize(half_size)))) return;
  vec2 at = vec2(2 * pixel + 1), scale = 1.0 / vec2(textureSize(whole, 0));
  vec4 sum = vec4(0);
  for (int k = 0; k < 4; ++k) {
    vec2 corner = vec2(k % 2, k / 2) * 1.5 - 0.75;
    sum += textureLod(whole, (at + corner) * scale, 0.0);
  }
  imageStore(half_size, pixel, 0.25 * sum);
}
