#version 450 core
// One triangle that covers the viewport.
layout(location = 0) out vec2 uv;  // 0..1

void main() {
  uv = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
  gl_Position = vec4(uv * 2.0 - 1.0, 0, 1);
}
