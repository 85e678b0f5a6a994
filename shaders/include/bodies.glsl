// Bodies as the backend publishes them (tri::Instance), and helpers for the statistics of stats.comp.
struct Instance {
  float x, y, z, radius, speed, acceleration, mass;
  uint id;
};
layout(std430, binding = 0) readonly buffer Bodies { Instance bodies[]; };

// Maps floats to unsigned integers of the same order, for atomicMin and atomicMax.
uint ordered(float value) {
  uint bits = floatBitsToUint(value);
  return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}
float unordered(uint bits) { return uintBitsToFloat((bits & 0x80000000u) != 0u ? bits & 0x7fffffffu : ~bits); }

float quantity(Instance body, int which) {
  switch (which) {
    case 0: return body.speed;
    case 1: return body.acceleration;
    case 2: return body.mass;
    case 3: return body.radius;
    default: return float(body.id);
  }
}
