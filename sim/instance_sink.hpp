#pragma once
/// Memory that an engine writes drawable instances into: host memory, or a mapped GL buffer. The sim state itself
/// never lives there.

#include <span>

#include "platform.hpp"

namespace tri {

/// One body as the renderer draws it. 32 bytes, the layout of a GL instance buffer.
struct Instance {
  float x, y, z, radius;  ///< scene units
  float speed;            ///< |v|
  float acceleration;     ///< |a| of the last force evaluation
  float mass;
  u32 id;  ///< index in the scene
};
static_assert(sizeof(Instance) == 32);

/// Where to write, and where that memory is.
struct InstanceSink {
  enum class Place : u8 { host, cuda_device } place = Place::host;
  std::span<Instance> instances;  ///< [n] of the engine's bodies, or larger
};

}  // namespace tri
