#pragma once
/// Bodies in the order of a Hilbert curve, and the tiles cut from it.

#include "sim/cuda/kernels/tensor/tensor_arrays.hpp"

namespace tri::cuda {

/// Scratch of enqueue_body_order(), device memory.
struct OrderScratch {
  u64 *keys = nullptr, *sorted = nullptr;  ///< [n]
  u32* identity = nullptr;                 ///< [n]
  u32* box = nullptr;                      ///< [6]
  void* sort = nullptr;                    ///< [sort_scratch_bytes(n)]
  std::size_t sort_bytes = 0;
};

/// Throws CudaError.
std::size_t sort_scratch_bytes(u32 n);

/// Puts the order of the bodies along the curve into order[n]. It depends on the positions alone; bodies in the same
/// cell (2^-16 of the cloud's extent) keep their order. May be captured.
void enqueue_body_order(cudaStream_t stream, const DeviceState<float>& state, const OrderScratch& scratch, u32* order);

/// Fills in every array of `to` but the order, which may be any, and clears `zeroed`. Masses are multiplied by G. May
/// be captured.
void enqueue_tiles(cudaStream_t stream, const DeviceState<float>& state, float G, float eps2, const TiledBodies& to,
                   const ZeroedArrays& zeroed);

}  // namespace tri::cuda
