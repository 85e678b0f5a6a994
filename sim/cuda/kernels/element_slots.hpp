#pragma once
/// Sizes of the buffers and blocks of kernels over single elements.

#include "sim/base/platform.hpp"

namespace tri::cuda {

/// Elements of the dummy kernel's scratch: small enough to stay in the L2 cache.
inline constexpr u32 kDummySlots = 1u << 20;
/// Sums that the blocks of a checksum spread over.
inline constexpr u32 kChecksumSlots = 1024;

/// Threads of a block of triples, if its tile has so many elements and a layer no more.
inline constexpr u32 kLayerThreads = 128;
/// Layers of threads of a block for tiles of rho x rho x rho elements, rho >= 1.
constexpr u32 layers_of_block(u32 rho) {
  const u32 layers = kLayerThreads / (rho * rho);
  return layers < 1 ? 1 : layers < rho ? layers : rho;
}

}  // namespace tri::cuda
