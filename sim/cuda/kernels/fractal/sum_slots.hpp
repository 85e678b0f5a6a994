#pragma once
/// Sums that the blocks of a fractal's sum spread over.

#include "sim/base/platform.hpp"

namespace tri::cuda {

inline constexpr u32 kSumSlots = 1024;

}  // namespace tri::cuda
