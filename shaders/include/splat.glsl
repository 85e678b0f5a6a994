// Splatting of small bodies by compute shaders: which bodies, and which pixels they may cover. Small ones take one
// thread or a few; wide ones, which would delay their warp, are in a list and take a work group each.
layout(local_size_x = 64) in;
layout(std430, binding = 2) readonly buffer Sprites { Sprite sprites[]; };
layout(std430, binding = 3) readonly buffer Lists {
  uint vertices, instances, first, base;
  uint wide, shares, unused[2];
  uint list[];  // squares; wide splats begin at the number of bodies
};
layout(location = 0) uniform uint pass;  // 0: small bodies; 1: wide ones

bool is_small(Sprite s) { return s.pixels > 0.0 && s.pixels <= frame.splats.y; }

// The pixels whose centres are inside the bounding square of a body: the lowest one, and the size. False if there are
// none.
bool pixel_square(Sprite s, out ivec2 lowest, out ivec2 size) {
  vec2 centre = vec2(frame.projection[0][0], frame.projection[1][1]) * vec2(s.x, s.y) / -s.z;
  vec2 window = (0.5 * centre + 0.5) * frame.viewport.xy;
  // s.pixels includes a margin of a pixel at each end for points, which the driver rounds; here a hundredth suffices.
  float reach = 0.5 * s.pixels - 0.99;
  lowest = max(ivec2(ceil(window - reach - 0.5)), ivec2(0));
  size = min(ivec2(floor(window + reach - 0.5)), ivec2(frame.viewport.xy) - 1) - lowest + 1;
  return size.x > 0 && size.y > 0;
}
