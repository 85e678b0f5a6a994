#pragma once
/// The write ceiling: writes the same bytes as a distance kernel and does nothing else.

#include "sim/cuda/runtime/prepared_launch.hpp"

namespace tri::cuda {

/// Writes `value` to out[words], device memory; each block of 512 threads writes 32 KiB of contiguous memory.
PreparedLaunch prepare_fill(u64 words, u32 value, u32* out);

}  // namespace tri::cuda
