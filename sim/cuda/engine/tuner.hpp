#pragma once
/// Times the choices of the pair kernels on this device.

#include "sim/model/tuning.hpp"

namespace tri::cuda {

/// Times pair forces and the overlap search with every tile, and the grid against all pairs, at each requested size and
/// precision. Compares results: a choice whose result differs throws Error. Throws MemoryError, CudaError. On
/// request.stop returns the results so far.
Tuning tune_device(int device, const TuneRequest& request, const TuneListener& tell);

}  // namespace tri::cuda
