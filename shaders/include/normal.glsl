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
