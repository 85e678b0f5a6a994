#version 450 core
// Light that adds up: a core and a halo about it. What is too small for a pixel is drawn larger and as much dimmer.
layout(location = 0) in vec3 at;
layout(location = 1) flat in vec4 sphere;
layout(location = 2) flat in vec4 colour;
layout(location = 3) in vec2 corner;
layout(location = 0) out vec4 light;

void main() {
  float r2 = dot(corner, corner);
  if (r2 > 1.0) discard;
  float halo = exp(-4.0 * r2) - exp(-4.0);
  float core = exp(-40.0 * r2);
  light = vec4((0.16 * colour.rgb * halo + 0.7 * mix(colour.rgb, vec3(1), 0.25) * core) * colour.a, 1);
}
