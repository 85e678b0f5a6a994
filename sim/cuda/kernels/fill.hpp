#pragma once
/// The write ceiling: the same bytes as a distance kernel writes, and nothing else.

#include "sim/cuda/runtime/prepared_launch.hpp"

namespace tri::cuda {

/// Writes `value` to out[words], device memory; each block of 512 threads a run of 32 KiB.
PreparedLaunch prepare_fill(u64 words, u32 value, u32* out);

}  // namespace tri::cuda
