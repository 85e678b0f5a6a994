#version 450 core
// A square for each body, six vertices without a vertex buffer: body gl_VertexID / 6, corner gl_VertexID % 6. The square
// stands across the line from the eye to the body, and just covers the cone in which the sphere is seen.
#include "include/frame.glsl"
#include "include/bodies.glsl"
layout(std430, binding = 1) readonly buffer Stats { uint low, high; };
layout(binding = 0) uniform sampler1D colours;

layout(location = 0) out vec3 at;           // of the square's point, view space
layout(location = 1) flat out vec4 sphere;  // centre and radius, view space
layout(location = 2) flat out vec4 colour;  // linear RGB, and the share of its light that a small body keeps
layout(location = 3) out vec2 corner;       // -1..1 over the square

const vec2 kCorners[6] = vec2[](vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1));

float scaled(float value) {
  float a = unordered(low), b = unordered(high);
  if (!(b > a)) return 0.5;
  if (frame.style.y != 0) {
    if (!(value > 0.0)) return 0.0;
    return log(value / a) / log(b / a);
  }
  return (value - a) / (b - a);
}

void main() {
  Instance body = bodies[gl_VertexID / 6];
  corner = kCorners[gl_VertexID % 6];
  vec3 centre = (frame.view * vec4(body.x, body.y, body.z, 1)).xyz;
  float away = length(centre);
  float radius = (body.radius > 0.0 ? body.radius : frame.size.x) * frame.size.y;
  if (frame.size.w > 0.0) radius = frame.size.x * frame.size.y * frame.size.w;  // light, not matter: one size for all
  float least = frame.size.z * frame.viewport.z * max(-centre.z, 0.0);
  float shown = max(radius, least);
  sphere = vec4(centre, shown);
  float t = clamp(scaled(quantity(body, frame.style.x)), 0.0, 1.0);
  float share = frame.size.w > 0.0 ? (radius * radius) / (shown * shown) : 1.0;
  colour = vec4(textureLod(colours, (t * 255.0 + 0.5) / 256.0, 0.0).rgb, share);
  if (int(body.id) == frame.style.w) colour = vec4(mix(colour.rgb, vec3(1), 0.7), 1);
  if (isnan(away) || isinf(away) || away <= shown) {  // no number, or the eye is inside: nothing to be seen
    gl_Position = vec4(0, 0, -1, 0);
    return;
  }
  vec3 line = centre / away;
  vec3 side = normalize(cross(line, abs(line.y) < 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0)));
  float half_width = shown * away / sqrt(away * away - shown * shown);
  at = centre + half_width * (corner.x * side + corner.y * cross(side, line));
  gl_Position = frame.projection * vec4(at, 1);
}
