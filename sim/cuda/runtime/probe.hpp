#pragma once
/// Whether a kernel of this build runs on the current device.

#include <cuda_runtime_api.h>

namespace tri::cuda {

/// Launches a trivial kernel and waits for its answer: what is missing (machine code for this card, a working driver)
/// shows here and not in the middle of the work.
cudaError_t run_probe();

}  // namespace tri::cuda
