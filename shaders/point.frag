#version 450 core
// A disc of one colour.
layout(location = 0) in vec3 at;
layout(location = 1) flat in vec4 sphere;
layout(location = 2) flat in vec4 colour;
layout(location = 3) in vec2 corner;
layout(location = 0) out vec4 light;

void main() {
  if (dot(corner, corner) > 1.0) discard;
  light = vec4(colour.rgb, 1);
}
