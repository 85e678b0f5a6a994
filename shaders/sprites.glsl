// Bodies that are rasterized: points and squares, as lit spheres, light or discs.

//@ point.vert
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

//@ square.vert
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

//@ sphere.frag
// Shades the sphere at the hit of the view ray, and writes its depth, which is nearer than that of the square through
// its centre.
#include "include/frame.glsl"
#include "include/look.glsl"
layout(location = 0) flat in vec4 sphere;  // centre and radius, view space
layout(location = 1) flat in vec4 colour;
layout(location = 0) out vec4 light;
layout(depth_greater) out float gl_FragDepth;

void main() {
  float depth;
  if (!sphere_at(sphere, colour.rgb, ray_at(gl_FragCoord.xy), light, depth)) discard;
  gl_FragDepth = depth;
}

//@ glow.frag
// Light that blending adds up.
#include "include/frame.glsl"
#include "include/look.glsl"
layout(location = 0) flat in vec4 sphere;
layout(location = 1) flat in vec4 colour;
layout(location = 0) out vec4 light;

void main() {
  vec3 rgb;
  if (!glow_at(sphere, colour, ray_at(gl_FragCoord.xy), rgb)) discard;
  light = vec4(rgb, 0);
}

//@ point.frag
// A disc of one colour.
#include "include/frame.glsl"
#include "include/look.glsl"
layout(location = 0) flat in vec4 sphere;
layout(location = 1) flat in vec4 colour;
layout(location = 0) out vec4 light;

void main() {
  if (!disc_at(sphere, ray_at(gl_FragCoord.xy))) discard;
  light = vec4(colour.rgb, 0);
}
