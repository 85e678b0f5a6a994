#version 450 core
// Range of the coloured quantity and box of all bodies. A work group of 256 bodies reduces in shared memory, then gives
// eight values to the totals by atomics. Bodies that are not numbers are passed over.
#include "include/frame.glsl"
#include "include/bodies.glsl"
layout(local_size_x = 256) in;
layout(std430, binding = 1) buffer Stats {
  uint low, high;          // of the quantity; under a logarithm: of what is above 0
  uint box_low[3], box_high[3];
  float marked[4];         // place and radius of the marked body
  uint finite;             // bodies that are numbers
};
shared uint lows[4], highs[4], count;

void main() {
  uint local = gl_LocalInvocationIndex;
  if (local < 4u) lows[local] = 0xffffffffu, highs[local] = 0u;
  if (local == 0u) count = 0u;
  barrier();
  uint i = gl_GlobalInvocationID.x;
  if (i < uint(frame.style.z)) {
    Instance body = bodies[i];
    float value = quantity(body, frame.style.x);
    vec3 at = vec3(body.x, body.y, body.z);
    bool good = !any(isnan(at)) && !any(isinf(at));
    if (good) {
      for (int k = 0; k < 3; ++k) {
        atomicMin(lows[k], ordered(at[k]));
        atomicMax(highs[k], ordered(at[k]));
      }
      atomicAdd(count, 1u);
    }
    if (!isnan(value) && !isinf(value) && (frame.style.y == 0 || value > 0.0)) {
      atomicMin(lows[3], ordered(value));
      atomicMax(highs[3], ordered(value));
    }
    if (int(i) == frame.style.w) {
      marked[0] = body.x;
      marked[1] = body.y;
      marked[2] = body.z;
      marked[3] = body.radius;
    }
  }
  barrier();
  if (local < 3u) {
    atomicMin(box_low[local], lows[local]);
    atomicMax(box_high[local], highs[local]);
  } else if (local == 3u) {
    atomicMin(low, lows[3]);
    atomicMax(high, highs[3]);
    atomicAdd(finite, count);
  }
}
