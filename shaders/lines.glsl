// Lines: box, axes, and trails, whose past positions a ring buffer holds.

//@ include/trail.glsl
// Past positions of bodies: `length` per trail, one trail after another; each is a ring buffer.
struct Position {
  float x, y, z;
  uint body;
};
const uint kNoBody = 0xffffffffu;
layout(std430, binding = 4) buffer Ring { Position positions[]; };

//@ trail.comp
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

//@ trail.vert
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

//@ line.vert
// Lines of the box and the axes.
#include "include/frame.glsl"
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 line_colour;
layout(location = 0) out vec4 colour;

void main() {
  colour = line_colour;
  gl_Position = frame.projection * (frame.view * vec4(position, 1));
}

//@ line.frag
// Lines and trails. Alpha 0: no surface with a normal.
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 light;

void main() { light = vec4(colour.rgb, 0); }
