#pragma once
/// The cursor of a block, computed once for all of its threads.

#include <type_traits>

#include "sim/maps/tetra_bb.hpp"

namespace tri::cuda {

/// The cursor of this block, found by its first thread and broadcast through shared memory: roots and 64-bit products
/// cost a hundred instructions, which every warp would repeat. Not for the bounding box, which computes nothing. Ends
/// with a barrier; put another one before the next call.
template <class M>
__device__ __forceinline__ auto block_cursor(const M& map, const Position& at) {
  using Cursor = decltype(map.begin(at));
  if constexpr (std::is_same_v<M, TetraBb>) {
    return map.begin(at);
  } else {
    __shared__ alignas(8) unsigned char shared[sizeof(Cursor)];
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
      *reinterpret_cast<Cursor*>(shared) = map.begin(at);
    }
    __syncthreads();
    return *reinterpret_cast<const Cursor*>(shared);
  }
}

}  // namespace tri::cuda
