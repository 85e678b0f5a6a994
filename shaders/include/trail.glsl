// Past positions of bodies: `length` per trail, one trail after another; each is a ring buffer.
struct Position {
  float x, y, z;
  uint body;
};
const uint kNoBody = 0xffffffffu;
layout(std430, binding = 4) buffer Ring { Position positions[]; };
