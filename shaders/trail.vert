#version 450 core
// Trails in the colours of their bodies, as lines between consecutive positions: one instance per trail, two vertices per line, the newest first. A
// line is omitted if its ends belong to two bodies (the marked body changed), if one is not finite, or if the body
// crossed a periodic wall.
#include "include/frame.glsl"
#include "include/sprites.glsl"
#include "include/trail.glsl"
layout(std430, binding = 2) readonly buffer Sprites { Sprite sprites[]; };
layout(location = 0) uniform uvec4 shape;  // trails without the marked one, length, slot of the oldest, filled
layout(location = 2) uniform vec3 period;  // sides of the box; 0: not periodic
layout(location = 0) out vec4 colour;

Position position_at(uint age) { return positions[gl_InstanceID * shape.y + (shape.z + shape.y - 1u - age) % shape.y]; }

void main() {
  uint newer = uint(gl_VertexID) / 2u, age = newer + uint(gl_VertexID) % 2u;
  Position a = position_at(newer), b = position_at(newer + 1u), own = position_at(age), now = position_at(0u);
  vec3 from = vec3(a.x, a.y, a.z), to = vec3(b.x, b.y, b.z), delta = abs(to - from);
  bool finite = !any(isnan(delta)) && !any(isinf(delta));
  bool wrapped = any(greaterThan(delta, mix(delta, 0.5 * period, greaterThan(period, vec3(0)))));
  float fade = 1.0 - float(age) / float(shape.y);
  bool marked = gl_InstanceID == int(shape.x);
  vec3 own_colour = now.body < uint(frame.style.z) ? view_sphere(sprites[now.body]).colour.rgb : vec3(0.5, 0.65, 0.9);
  colour = vec4((marked ? vec3(1.0, 0.7, 0.25) : 0.5 * own_colour) * fade * fade, 1);
  bool drawn = finite && !wrapped && a.body == b.body && a.body == now.body && a.body != kNoBody;
  // Omitted lines are clipped: both ends coincide outside the picture.
  gl_Position = drawn ? frame.projection * (frame.view * vec4(own.x, own.y, own.z, 1)) : vec4(2, 2, 2, 1);
}
