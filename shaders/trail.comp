#version 450 core
// Appends the current positions to the trails, one thread per trail. Trail k of m belongs to body k n / m; one more
// after the last belongs to the marked body.
#include "include/bodies.glsl"
#include "include/trail.glsl"
layout(local_size_x = 64) in;
layout(location = 0) uniform uvec4 shape;  // trails without the marked one, length, slot to write, bodies
layout(location = 1) uniform uint marked;  // index of a body, or kNoBody

void main() {
  uint trail = gl_GlobalInvocationID.x, m = shape.x, n = shape.w;
  if (trail > m) return;
  // k n / m without the product, which does not fit into 32 bits.
  uint body = trail == m ? marked : n >= m ? trail * (n / m) + trail * (n % m) / m : trail;
  Position position = Position(0.0, 0.0, 0.0, kNoBody);
  if (body < n) position = Position(bodies[body].x, bodies[body].y, bodies[body].z, body);
  positions[trail * shape.y + shape.z] = position;
}
