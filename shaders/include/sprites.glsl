// Output of place.comp: position, size and colour of each body.
struct Sprite {
  float x, y, z, radius;  // view space; radius as drawn
  uint rg, bs;            // linear RGB and, for glow, light per area at the centre, as half floats
  float pixels;           // side of its bounding square; 0: neither a point nor a splat
  uint id;
};

struct ViewSphere {
  vec3 centre;
  float radius;
  vec4 colour;  // linear RGB and light
};

ViewSphere view_sphere(Sprite s) {
  return ViewSphere(vec3(s.x, s.y, s.z), s.radius, vec4(unpackHalf2x16(s.rg), unpackHalf2x16(s.bs)));
}
