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

void cover(uint body, Sprite s, int begin, int stride) {
  SphereSeen it = seen(s);
  vec2 centre = vec2(frame.projection[0][0], frame.projection[1][1]) * it.centre.xy / -it.centre.z;
  vec2 middle = (0.5 * centre + 0.5) * frame.viewport.xy;
  // Pixels whose middles lie in the square. Its side has a pixel more at each end than the body, for points that the
  // driver rounds; here nothing rounds, and a hundredth will do.
  float reach = 0.5 * s.pixels - 0.99;
  ivec2 low = max(ivec2(ceil(middle - reach - 0.5)), ivec2(0));
  ivec2 high = min(ivec2(floor(middle + reach - 0.5)), ivec2(frame.viewport.xy) - 1);
  ivec2 size = high - low + 1;
  if (size.x <= 0 || size.y <= 0) return;
  int x = begin % size.x, y = begin / size.x, right = stride % size.x, up = stride / size.x;
  while (y < size.y) {
    onto(it, body, low + ivec2(x, y));
    x += right, y += up;
    if (x >= size.x) x -= size.x, ++y;
  }
}

void main() {
  uint n = uint(frame.style.z), groups = gl_NumWorkGroups.x;
  if (pass == 0u) {
    for (uint i = gl_GlobalInvocationID.x; i < n; i += groups * 64u) {
      Sprite s = sprites[i];
      if (s.pixels > 0.0 && s.pixels <= frame.splats.y) cover(i, s, 0, 1);
    }
  } else {
    for (uint k = gl_WorkGroupID.x; k < wide; k += groups) {
      uint body = list[n + k];
      cover(body, sprites[body], int(gl_LocalInvocationIndex), 64);
    }
  }
}
