// Past places of bodies: `length` of each trail, one trail after another; each is a ring.
struct Place {
  float x, y, z;
  uint body;  // whose place it is
};
const uint kNobody = 0xffffffffu;
layout(std430, binding = 4) buffer Ring { Place places[]; };
