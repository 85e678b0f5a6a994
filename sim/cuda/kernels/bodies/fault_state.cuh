#pragma once
/// How kernels of a segment read the fault flag (step.hpp).

#include "sim/cuda/kernels/bodies/step.hpp"

namespace tri::cuda {

/// The number of this segment and a copy of the fault flag. Bypasses the L1 cache, which does not see other blocks'
/// writes.
struct FaultState {
  u32 segment;
  unsigned long long first;
  __device__ __forceinline__ FaultState(const FaultFlag* fault_flag, u32 number)
      : segment(fault_flag->base + number), first(__ldcg(&fault_flag->first)) {}
  /// Whether an earlier segment has a fault, or this one has no forces.
  __device__ __forceinline__ bool stopped() const {
    return first >> 34 < segment || (here() && fault() == Fault::contacts);
  }
  /// Whether this segment has a fault.
  __device__ __forceinline__ bool here() const { return first >> 34 == segment; }
  __device__ __forceinline__ Fault fault() const { return static_cast<Fault>(first >> 32 & 3u); }
};

}  // namespace tri::cuda
