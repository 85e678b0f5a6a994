#pragma once
/// Where a block or a thread stands on a map, and when it may start.
///
/// From blockIdx and threadIdx to elements of the domain: the one place where maps meet threads.

#include <type_traits>

#include <nv/target>

#include "sim/maps/launch_split.hpp"
#include "sim/maps/map_concepts.hpp"
#include "sim/maps/tetra_bb.hpp"

/// A kernel in a header: each file that launches it has its own. Of those, NVRTC would drop all.
#ifdef __CUDACC_RTC__
#define TRI_KERNEL __global__
#else
#define TRI_KERNEL static __global__
#endif

namespace tri::cuda {

/// Position of this block in the launch that contains `piece`.
__device__ __forceinline__ Position block_position(const GridPiece& piece) {
  return position_in(piece, blockIdx.x, blockIdx.y, blockIdx.z);
}

/// The same where ranks share the piece; false if this block has none.
__device__ __forceinline__ bool block_share(const GridPiece& piece, Position& to) {
  return share_of(piece, blockIdx.x, blockIdx.y, blockIdx.z, to);
}

/// Position of this thread, for thread-space maps: the piece counts blocks of blockDim.x x blockDim.y threads.
__device__ __forceinline__ Position thread_position(const GridPiece& piece) {
  return {(piece.origin.x + blockIdx.x) * blockDim.x + threadIdx.x,
          (piece.origin.y + blockIdx.y) * blockDim.y + threadIdx.y, piece.origin.z + blockIdx.z, piece.origin.pass};
}

/// Runs work(i, j) for the elements of this thread. Block space: thread (tx, ty) of a block has element
/// (row rho + ty, col rho + tx) of every tile of the block, rho = blockDim.x = blockDim.y. Thread space: the element
/// that the map gives the thread. Elements beyond n or above the diagonal of a diagonal tile are skipped.
template <class M, class Work>
__device__ __forceinline__ void for_each_element(const M& map, const GridPiece& piece, u32 n, Work&& work) {
  if constexpr (M::kInfo.space == Space::thread) {
    const Position p = thread_position(piece);
    if (!contains(map.launch(p.pass), p)) return;
    for (auto tiles = map.begin(p); tiles.valid(); tiles.next()) work(tiles.tile().row, tiles.tile().col);
  } else {
    for (auto tiles = map.begin(block_position(piece)); tiles.valid(); tiles.next()) {
      const Tile2 tile = tiles.tile();
      const u32 i = tile.row * blockDim.y + threadIdx.y, j = tile.col * blockDim.x + threadIdx.x;
      if (i < n && j <= i) work(i, j);
    }
  }
}

// The device's side of launches.hpp.

/// Waits until all work ahead of this kernel on its stream is done, and lets the next kernel start early in turn. Does
/// nothing in code for devices before 9.0, where launches are in order anyway.
__device__ __forceinline__ void await_earlier() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("griddepcontrol.wait;" ::
                                                    : "memory");
                                   asm volatile("griddepcontrol.launch_dependents;" ::
                                                    : "memory");))
}

// The cursor of a block, computed once for all of its threads.

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
