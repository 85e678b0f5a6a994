#version 450 core
// Lines of the box and the axes.
#include "include/frame.glsl"
layout(location = 0) in vec3 place;
layout(location = 1) in vec4 paint;
layout(location = 0) out vec4 colour;

void main() {
  colour = paint;
  gl_Position = frame.projection * (frame.view * vec4(place, 1));
}
