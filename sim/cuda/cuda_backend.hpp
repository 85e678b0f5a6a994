#pragma once
/// The door to the CUDA backend. A build without CUDA links cuda_absent.cpp, so callers carry no #ifdef.

#include <memory>

#include "sim/backend/backend.hpp"

namespace tri {

/// Whether this build's CUDA backend has engines. Known without a driver.
Availability cuda_simulates();
/// And whether they know triple laws.
Availability cuda_simulates_triples();
/// Whether it has the bench kernel gasket.
Availability cuda_has_gasket();

/// Throws BackendError with the reason when the device is not usable or does not exist.
std::unique_ptr<Backend> make_cuda_backend(int device);

}  // namespace tri
