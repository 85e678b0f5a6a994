#pragma once
/// Where the kernel of jerks adds its sums.

#include "sim/cuda/kernels/pairs/device_state.hpp"

namespace tri::cuda {

/// Bits of numbers >= 0, which order like the numbers; zero before the first launch.
struct PairRates {
  unsigned long long fall = 0, fly = 0;
};

/// Output, device memory; each of the two as PairSums.
struct JerkSums {
  PairSums<double> acceleration, jerk;
  PairRates* rates = nullptr;
};

}  // namespace tri::cuda
