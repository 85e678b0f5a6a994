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
