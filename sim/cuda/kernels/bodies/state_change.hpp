#pragma once
/// Whether two arrays in device memory have the same bits.

#include <cuda_runtime_api.h>

#include <cstddef>

#include "sim/base/platform.hpp"

namespace tri::cuda {

/// Sets *differ to 1 if the arrays differ, and leaves it as it is otherwise. All device memory; `bytes` is a multiple
/// of 16, and so are both addresses. Asynchronous.
void enqueue_compare(cudaStream_t stream, const void* a, const void* b, std::size_t bytes, u32* differ);

}  // namespace tri::cuda
