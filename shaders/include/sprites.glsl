// Bodies as place.comp leaves them: where the eye sees them, how large, in what colour.
struct Sprite {
  float x, y, z, radius;  // view space; radius as shown
  uint rg, bs;            // linear RGB and the share of its light that a small body keeps, as pairs of halves
  float pixels;           // side of the square that covers it; 0: it is no point and no splat
  uint id;
};

struct SphereSeen {
  vec3 centre;
  float radius;
  vec4 colour;  // linear RGB and share
};

SphereSeen seen(Sprite s) {
  return SphereSeen(vec3(s.x, s.y, s.z), s.radius, vec4(unpackHalf2x16(s.rg), unpackHalf2x16(s.bs)));
}
