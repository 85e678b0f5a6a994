// Small bodies onto the picture by threads that compute: which bodies, and which pixels they may cover. Small ones are
// done by one thread or a few; wide ones, which would hold up their neighbours, are in a list and have a work group each.
layout(local_size_x = 64) in;
layout(std430, binding = 2) readonly buffer Sprites { Sprite sprites[]; };
layout(std430, binding = 3) readonly buffer Lists {
  uint vertices, instances, first, base;
  uint wide, shares, unused[2];
  uint list[];  // squares, and from the number of bodies on those that are wide
};
layout(location = 0) uniform uint pass;  // 0: small bodies; 1: wide ones

bool is_small(Sprite s) { return s.pixels > 0.0 && s.pixels <= frame.splats.y; }

// The pixels of the picture whose middles lie in the square about a body: from the lowest, so many across and up.
// False where there are none.
bool square_of(Sprite s, out ivec2 low, out ivec2 size) {
  vec2 centre = vec2(frame.projection[0][0], frame.projection[1][1]) * vec2(s.x, s.y) / -s.z;
  vec2 middle = (0.5 * centre + 0.5) * frame.viewport.xy;
  // Its side has a pixel more at each end than the body, for points that the driver rounds; here nothing rounds, and a
  // hundredth will do.
  float reach = 0.5 * s.pixels - 0.99;
  low = max(ivec2(ceil(middle - reach - 0.5)), ivec2(0));
  size = min(ivec2(floor(middle + reach - 0.5)), ivec2(frame.viewport.xy) - 1) - low + 1;
  return size.x > 0 && size.y > 0;
}
