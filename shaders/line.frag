#version 450 core
// Lines and trails. Alpha 0: no surface with a normal.
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 light;

void main() { light = vec4(colour.rgb, 0); }
