#pragma once
/// The CUDA backend. A build without CUDA links cuda_absent.cpp instead, so callers carry no #ifdef.

#include <memory>

#include "sim/backend/backend.hpp"

namespace tri {

/// Throws BackendError with the reason when the device is not usable or does not exist.
std::unique_ptr<Backend> make_cuda_backend(int device);

}  // namespace tri
