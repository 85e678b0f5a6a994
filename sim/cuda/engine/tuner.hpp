#pragma once
/// Times the choices that kernels over pairs have, on this device.

#include "sim/model/tuning.hpp"

namespace tri::cuda {

/// Pair forces by every tile, the search for overlaps by every tile, and the grid against all pairs, at each size and
/// precision asked for. Answers are compared: a choice whose answer differs throws Error. Throws MemoryError,
/// CudaError. On request.stop what was found so far is the answer.
Tuning tune_device(int device, const TuneRequest& request, const TuneListener& tell);

}  // namespace tri::cuda
