#version 450 core
// A large body: a square of six vertices, without a vertex buffer. It stands across the line from the eye to the body,
// and just covers the cone in which the sphere is seen.
#include "include/frame.glsl"
#include "include/sprites.glsl"
layout(std430, binding = 2) readonly buffer Sprites { Sprite sprites[]; };
layout(std430, binding = 3) readonly buffer Lists {
  uint vertices, instances, first, base;
  uint wide, shares, unused[2];
  uint squares[];
};
layout(location = 0) flat out vec4 sphere;
layout(location = 1) flat out vec4 colour;

const vec2 kCorners[6] = vec2[](vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1));

void main() {
  uint body = squares[gl_VertexID / 6];
  if (body == 0xffffffffu) {  // a place that is not taken: a triangle without area
    sphere = colour = gl_Position = vec4(0, 0, 0, 1);
    return;
  }
  SphereSeen it = seen(sprites[body]);
  vec2 corner = kCorners[gl_VertexID % 6];
  sphere = vec4(it.centre, it.radius);
  colour = it.colour;
  float away = length(it.centre);
  vec3 line = it.centre / away;
  vec3 side = normalize(cross(line, abs(line.y) < 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0)));
  float half_width = it.radius * away / sqrt(away * away - it.radius * it.radius);
  gl_Position = frame.projection * vec4(it.centre + half_width * (corner.x * side + corner.y * cross(side, line)), 1);
}
