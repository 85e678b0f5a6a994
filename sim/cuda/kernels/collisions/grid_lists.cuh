#pragma once
/// Device functions for lists of bodies and of cells, shared by the search in a grid and by the domains of ranks.

#include "sim/base/wide.hpp"

namespace tri::cuda {

/// A place at the end of a list whose length is at `count`: one atomic for all active lanes of the warp. The block has
/// one dimension.
template <class Count>
__device__ __forceinline__ Count next_place(Count* count) {
  const u32 here = __activemask(), lane = threadIdx.x % 32;
  const int leader = __ffs(static_cast<int>(here)) - 1;
  Count base = 0;
  if (static_cast<int>(lane) == leader) base = atomicAdd(count, static_cast<Count>(__popc(here)));
  return __shfl_sync(here, base, leader) + static_cast<u32>(__popc(here & ((1u << lane) - 1)));
}

/// The first cell of part `of` when n bodies, sorted by cell, are divided into `parts` of equal numbers: the first cell
/// that begins at n of / parts or later; `cells` for the end of the last part. begin: [cells + 1].
__device__ __forceinline__ u32 first_cell_of_part(const u32* begin, u32 cells, u32 n, u32 of, u32 parts) {
  const u64 target = u64{n} * of / parts;
  u32 low = of < parts ? 0 : cells, high = cells;
  while (low < high) {
    const u32 middle = low + (high - low) / 2;
    if (begin[middle] < target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return high;
}

}  // namespace tri::cuda
