#version 450 core
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 light;

void main() { light = colour; }
