#pragma once
/// Long work cut into several launches, so that a device that also draws a display is not held for longer than somebody
/// at the screen notices, nor for as long as the driver tolerates.

#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// Launches for work over so many pairs at `pairs_per_ms`, none to take longer than slice_ms. At least 1; 1 for an
/// infinite slice.
u32 slices_of(double pairs, double pairs_per_ms, double slice_ms);

/// A rate that the device's kernels over pairs will surely reach: forty instructions a pair where they need some
/// twenty, half the arithmetic units of the best devices, the driver's own ratio for float64. Throws CudaError.
double sure_pairs_per_ms(int device, Precision precision);

/// The device that this thread works on. Throws CudaError.
int current_device();

/// Whether the driver ends kernels that take too long, which it does on devices that drive a display. Throws CudaError.
bool drives_display(int device);

/// Launches for n(n-1)/2 pairs under this configuration on this device.
u32 slices_for(const EngineConfig& config, u64 n, int device);
/// The same for n(n-1)(n-2)/6 triples, which take no more instructions each than a pair is given.
u32 slices_for_triples(const EngineConfig& config, u64 n, int device);

}  // namespace tri::cuda
