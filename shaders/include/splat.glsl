// Small bodies onto the picture by threads that compute. One thread takes a small body after another; wide ones, which
// would hold up its neighbours, have a work group each: its threads share the pixels. What is done at a pixel is
// onto(), of the shader that includes this.
//
//     bodies    0 1 2 3 4 5 ...        wide list    7      9     ...
//     threads   0 1 2 3 4 5 ...        groups      0000   1111       each thread every 64th pixel of the body's square
layout(local_size_x = 64) in;
layout(std430, binding = 2) readonly buffer Sprites { Sprite sprites[]; };
layout(std430, binding = 3) readonly buffer Lists {
  uint vertices, instances, first, base;
  uint wide, shares, unused[2];
  uint list[];  // squares, and from the number of bodies on those that are wide
};
layout(location = 0) uniform uint pass;  // 0: small bodies; 1: wide ones

void onto(SphereSeen it, uint body, ivec2 pixel);

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

void cover(uint body, Sprite s, int begin, int stride) {
  ivec2 low, size;
  if (!square_of(s, low, size)) return;
  SphereSeen it = seen(s);
  int x = begin % size.x, y = begin / size.x, right = stride % size.x, up = stride / size.x;
  while (y < size.y) {
    onto(it, body, low + ivec2(x, y));
    x += right, y += up;
    if (x >= size.x) x -= size.x, ++y;
  }
}

void small_ones() {
  uint n = uint(frame.style.z), threads = gl_NumWorkGroups.x * 64u;
  for (uint i = gl_GlobalInvocationID.x; i < n; i += threads) {
    Sprite s = sprites[i];
    if (is_small(s)) cover(i, s, 0, 1);
  }
}

void wide_ones() {
  for (uint k = gl_WorkGroupID.x; k < wide; k += gl_NumWorkGroups.x) {
    uint body = list[uint(frame.style.z) + k];
    cover(body, sprites[body], int(gl_LocalInvocationIndex), 64);
  }
}
