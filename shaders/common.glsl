// What several passes include. A file of this folder holds the shaders of one pass, each behind a line "//@ NAME", and what
// they alone include; NAME ends in the stage.

//@ include/frame.glsl
// Constants of a frame. The same order and layout as struct FrameBlock in render/body_renderer.cpp.
layout(std140, binding = 0) uniform Frame {
  mat4 view;
  mat4 projection;
  vec4 viewport;      // width, height in pixels, scene units per pixel at distance 1, exposure
  vec4 size;          // radius of point bodies, scale of radii, minimum radius in pixels, size of glow (0: none)
  vec4 background;    // linear RGB; unused
  vec4 light;         // of a body of luminosity 1: light times squared radius; 1: luminosities are bound; largest radius in
                      // pixels; reach of occlusion, scene units
  vec4 limits;        // largest point in pixels; 1: squares keep the order of the bodies
  vec4 splats;        // 1: small bodies are splatted; largest splat in pixels for one thread, for a work group
  vec4 ray;           // of a pixel: scale of x and y, offset of x and y
  ivec4 style;        // quantity to colour by (bodies.glsl); 1: logarithmic; number of bodies; marked body
}
frame;

// The view ray through a position in pixels (as gl_FragCoord), in view space, with depth 1.
vec3 ray_at(vec2 at) { return vec3(at * frame.ray.xy + frame.ray.zw, -1); }

// The vector from the centre of a sphere to the nearest point of the ray. Not from |centre|^2 minus a square, which
// would leave only rounding errors for a small distant sphere.
vec3 nearest_to(vec3 centre, vec3 ray) { return dot(ray, centre) / dot(ray, ray) * ray - centre; }

//@ include/look.glsl
// Shading of a body where a view ray hits it. Rasterized bodies and splats share it, so that there is no visible
// transition between them. sphere: centre and radius, view space; light is linear RGB.

// Direction of the light on spheres, view space.
const vec3 kSun = normalize(vec3(-0.45, 0.65, 0.75));

// A unit vector in the 16 bits of a half float, for the alpha of the picture: its place in a grid of 175 x 175 on the
// octahedron, as the bits of a positive, normal and finite number. 0 is none.
float packed_normal(vec3 n) {
  vec2 at = n.xy / (abs(n.x) + abs(n.y) + abs(n.z));
  if (n.z < 0.0) at = (1.0 - abs(at.yx)) * mix(vec2(-1), vec2(1), greaterThanEqual(at, vec2(0)));
  uvec2 cell = uvec2(round((0.5 + 0.5 * at) * 174.0));
  return unpackHalf2x16(1024u + cell.y * 175u + cell.x).x;
}

vec3 unpacked_normal(float alpha) {
  uint cell = packHalf2x16(vec2(alpha, 0)) - 1024u;
  vec2 at = vec2(cell % 175u, cell / 175u) / 87.0 - 1.0;
  vec3 n = vec3(at, 1.0 - abs(at.x) - abs(at.y));
  if (n.z < 0.0) n.xy = (1.0 - abs(at.yx)) * mix(vec2(-1), vec2(1), greaterThanEqual(at, vec2(0)));
  return normalize(n);
}

// A lit sphere (alpha: its normal) and the depth of its surface, which is nearer than its centre
// (reversed depth: nearer is greater). False if the ray misses.
bool sphere_at(vec4 sphere, vec3 rgb, vec3 ray, out vec4 light, out float depth) {
  vec3 nearest = nearest_to(sphere.xyz, ray);
  float discriminant = sphere.w * sphere.w - dot(nearest, nearest);
  if (discriminant < 0.0) return false;
  ray *= inversesqrt(dot(ray, ray));
  vec3 normal = (nearest - sqrt(discriminant) * ray) / sphere.w;
  float diffuse = 0.5 + 0.5 * dot(normal, kSun);
  float specular = pow(max(dot(reflect(ray, normal), kSun), 0.0), 24.0);
  light = vec4(rgb * (0.12 + 0.88 * diffuse * diffuse) + 0.18 * specular, packed_normal(normal));
  depth = frame.projection[3][2] / -(sphere.z + sphere.w * normal.z);
  return true;
}

// A disc of one colour.
bool disc_at(vec4 sphere, vec3 ray) {
  vec3 nearest = nearest_to(sphere.xyz, ray);
  return dot(nearest, nearest) <= sphere.w * sphere.w;
}

// Additive light: a soft disc. False if the ray misses.
bool glow_at(vec4 sphere, vec4 colour, vec3 ray, out vec3 light) {
  vec3 nearest = nearest_to(sphere.xyz, ray);
  float r2 = dot(nearest, nearest) / (sphere.w * sphere.w);
  if (r2 > 1.0) return false;
  light = colour.rgb * colour.a * (exp(-4.0 * r2) - exp(-4.0));
  return true;
}
