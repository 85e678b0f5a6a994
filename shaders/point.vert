#version 450 core
// A small body: a point that covers its bounding square.
#include "include/frame.glsl"
#include "include/sprites.glsl"
layout(std430, binding = 2) readonly buffer Sprites { Sprite sprites[]; };
layout(location = 0) flat out vec4 sphere;
layout(location = 1) flat out vec4 colour;

void main() {
  Sprite s = sprites[gl_VertexID];
  ViewSphere it = view_sphere(s);
  sphere = vec4(it.centre, it.radius);
  colour = it.colour;
  gl_PointSize = s.pixels;
  gl_Position = s.pixels > 0.0 ? frame.projection * vec4(it.centre, 1) : vec4(0, 0, -1, 0);
}
