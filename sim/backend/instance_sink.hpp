#pragma once
/// Memory that an engine writes drawable instances into: host memory, or a mapped GL buffer. The sim state itself
/// never lives there.

#include <span>

#include "sim/base/platform.hpp"

namespace tri {

/// One body as the renderer draws it. 32 bytes, the layout of a GL instance buffer.
struct Instance {
  float x, y, z, radius;  ///< scene units
  float speed;            ///< |v|
  float acceleration;     ///< |a| of the last force evaluation
  float mass;             ///< or what the sink asks for in its place
  u32 id;                 ///< index in the scene
};
static_assert(sizeof(Instance) == 32);

/// What is published as Instance::mass. group: 0 where the bodies have none. contacts: with how many others a body is
/// in contact now, 0 under laws without contact; it takes a search of its own at each publishing.
enum class InstanceScalar : u8 { mass, group, contacts };

/// Where to write, and where that memory is.
struct InstanceSink {
  enum class Place : u8 { host, cuda_device } place = Place::host;
  std::span<Instance> instances;  ///< [n] of the engine's bodies, or larger
  InstanceScalar scalar = InstanceScalar::mass;
  /// For cuda_device, a cudaStream_t: the memory is free once what it holds is done, and what it gets later finds the
  /// instances written; publish() then waits for nothing. Null: the memory is free, and written when publish() returns.
  void* stream = nullptr;
};

}  // namespace tri
