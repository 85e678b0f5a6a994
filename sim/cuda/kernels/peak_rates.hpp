#pragma once
/// Kernels that do one thing only, to find out how fast a device does it at most.

#include "sim/cuda/runtime/prepared_launch.hpp"

namespace tri::cuda {

inline constexpr u32 kPeakThreads = 256;

/// `blocks` blocks of kPeakThreads threads that do nothing; 1 <= blocks < 2^31.
PreparedLaunch prepare_empty(u32 blocks);

/// multiply_adds_a_thread(turns) float32 multiply-adds in registers by each thread of `blocks` blocks. sums:
/// [blocks * kPeakThreads] device memory; each becomes kPeakChains to rounding.
inline constexpr u32 kPeakChains = 8;
PreparedLaunch prepare_multiply_adds(u32 blocks, u32 turns, float* sums);
constexpr u64 multiply_adds_a_thread(u32 turns) { return u64{turns} * 4 * kPeakChains; }

}  // namespace tri::cuda
