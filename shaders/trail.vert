#version 450 core
// Trails as lines between places that follow each other: an instance a trail, two vertices a line, the newest first. A
// line is left out where its ends are those of two bodies (another one was marked), where one is no number, and where a
// body went through the wall of a periodic box.
#include "include/frame.glsl"
#include "include/trail.glsl"
layout(location = 0) uniform uvec4 shape;  // trails without the marked one, places of each, the oldest or next, filled
layout(location = 2) uniform vec3 period;  // sides of the box; 0: not periodic
layout(location = 0) out vec4 colour;

Place aged(uint age) { return places[gl_InstanceID * shape.y + (shape.z + shape.y - 1u - age) % shape.y]; }

void main() {
  uint newer = uint(gl_VertexID) / 2u, age = newer + uint(gl_VertexID) % 2u;
  Place a = aged(newer), b = aged(newer + 1u), own = aged(age), now = aged(0u);
  vec3 from = vec3(a.x, a.y, a.z), to = vec3(b.x, b.y, b.z), way = abs(to - from);
  bool number = !any(isnan(way)) && !any(isinf(way));
  bool through = any(greaterThan(way, mix(way, 0.5 * period, greaterThan(period, vec3(0)))));
  float left = 1.0 - float(age) / float(shape.y);
  bool marked = gl_InstanceID == int(shape.x);
  colour = vec4((marked ? vec3(1.0, 0.7, 0.25) : vec3(0.22, 0.30, 0.42)) * left * left, 1);
  bool drawn = number && !through && a.body == b.body && a.body == now.body && a.body != kNobody;
  // Outside of the picture, both ends alike.
  gl_Position = drawn ? frame.projection * (frame.view * vec4(own.x, own.y, own.z, 1)) : vec4(2, 2, 2, 1);
}
