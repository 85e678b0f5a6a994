#version 450 core
// A large body: a square of six vertices, without a vertex buffer. It faces the camera and just covers the tangent cone
// of the sphere.
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
  if (body == 0xffffffffu) {  // an unused slot: a degenerate triangle
    sphere = colour = gl_Position = vec4(0, 0, 0, 1);
    return;
  }
  ViewSphere it = view_sphere(sprites[body]);
  vec2 corner = kCorners[gl_VertexID % 6];
  sphere = vec4(it.centre, it.radius);
  colour = it.colour;
  float range = length(it.centre);
  vec3 direction = it.centre / range;
  vec3 side = normalize(cross(direction, abs(direction.y) < 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0)));
  float half_width = it.radius * range / sqrt(range * range - it.radius * it.radius);
  vec3 offset = half_width * (corner.x * side + corner.y * cross(side, direction));
  gl_Position = frame.projection * vec4(it.centre + offset, 1);
}
