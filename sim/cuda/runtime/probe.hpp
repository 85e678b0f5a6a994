#pragma once
/// Tests whether a kernel of this build runs on the current device.

#include <cuda_runtime_api.h>

namespace tri::cuda {

/// Launches a trivial kernel and checks its result, so that missing machine code or a broken driver is found before any
/// work starts.
cudaError_t run_probe();

}  // namespace tri::cuda
