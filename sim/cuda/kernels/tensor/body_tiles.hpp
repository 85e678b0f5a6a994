#pragma once
/// Tiles cut from bodies in the order of a curve.

#include "sim/cuda/kernels/tensor/tensor_arrays.hpp"
#include "sim/cuda/runtime/stream.hpp"

namespace tri::cuda {

/// Fills in every array of `to` but the order, which may be any, and clears `zeroed`. Masses are multiplied by G. May
/// be captured.
void enqueue_tiles(cudaStream_t stream, const DeviceState<float>& state, float G, float eps2, const TiledBodies& to,
                   const ZeroedArrays& zeroed);

}  // namespace tri::cuda
