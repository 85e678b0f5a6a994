#version 450 core
// Places of now into the ring of trails: one thread a trail. Trail k of m is that of body k n / m; the one after the last
// is that of the marked body.
#include "include/bodies.glsl"
#include "include/trail.glsl"
layout(local_size_x = 64) in;
layout(location = 0) uniform uvec4 shape;  // trails without the marked one, places of each, place to write, bodies
layout(location = 1) uniform uint marked;  // a body's number; nobody is no body's

void main() {
  uint trail = gl_GlobalInvocationID.x, m = shape.x, n = shape.w;
  if (trail > m) return;
  // k n / m without the product, which does not fit into 32 bits.
  uint body = trail == m ? marked : n >= m ? trail * (n / m) + trail * (n % m) / m : trail;
  Place place = Place(0.0, 0.0, 0.0, kNobody);
  if (body < n) place = Place(bodies[body].x, bodies[body].y, bodies[body].z, body);
  places[trail * shape.y + shape.z] = place;
}
