#version 450 core
// Lines of the box and the axes.
#include "include/frame.glsl"
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 line_colour;
layout(location = 0) out vec4 colour;

void main() {
  colour = line_colour;
  gl_Position = frame.projection * (frame.view * vec4(position, 1));
}
