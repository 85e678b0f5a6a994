#version 450 core
// Range of the coloured quantity and bounding box of all bodies: a tree reduction over each work group of 256 bodies,
// then atomics on the totals. Skips bodies with non-finite positions.
#include "include/frame.glsl"
#include "include/bodies.glsl"
layout(local_size_x = 256) in;
layout(std430, binding = 1) buffer Stats {
  uint low, high;          // of the quantity; if logarithmic, of its positive values
  uint box_low[3], box_high[3];
  float marked[4];         // position and radius of the marked body
  uint finite;             // bodies with finite positions
};
shared vec4 lows[256], highs[256];  // x, y, z and the quantity
shared uint counts[256];

void main() {
  const float kInfinity = uintBitsToFloat(0x7f800000u);
  uint local = gl_LocalInvocationIndex, i = gl_GlobalInvocationID.x;
  vec4 least = vec4(kInfinity), most = vec4(-kInfinity);
  uint number = 0u;
  if (i < uint(frame.style.z)) {
    Instance body = bodies[i];
    float value = quantity(body, frame.style.x);
    vec3 at = vec3(body.x, body.y, body.z);
    if (!any(isnan(at)) && !any(isinf(at))) {
      least.xyz = most.xyz = at;
      number = 1u;
    }
    if (!isnan(value) && !isinf(value) && (frame.style.y == 0 || value > 0.0)) least.w = most.w = value;
    if (int(i) == frame.style.w) {
      marked[0] = body.x;
      marked[1] = body.y;
      marked[2] = body.z;
      marked[3] = body.radius;
    }
  }
  lows[local] = least, highs[local] = most, counts[local] = number;
  for (uint half_size = 128u; half_size > 0u; half_size /= 2u) {
    barrier();
    if (local < half_size) {
      lows[local] = min(lows[local], lows[local + half_size]);
      highs[local] = max(highs[local], highs[local + half_size]);
      counts[local] += counts[local + half_size];
    }
  }
  if (local != 0u) return;
  for (int k = 0; k < 3 && counts[0] > 0u; ++k) {
    atomicMin(box_low[k], ordered(lows[0][k]));
    atomicMax(box_high[k], ordered(highs[0][k]));
  }
  if (lows[0].w <= highs[0].w) {
    atomicMin(low, ordered(lows[0].w));
    atomicMax(high, ordered(highs[0].w));
  }
  atomicAdd(finite, counts[0]);
}
