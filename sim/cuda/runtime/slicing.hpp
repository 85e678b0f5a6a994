#pragma once
/// Splits long work into several launches, so that a GPU that also drives a display stays responsive, no kernel hits
/// the driver's timeout, and Ctrl-C ends a step.

#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// Launches for so many pairs at `pairs_per_ms`, so that none takes longer than slice_ms. At least 1; 1 for an infinite
/// slice.
u32 slices_of(double pairs, double pairs_per_ms, double slice_ms);

/// A conservative lower bound of the rate of pair kernels: 40 instructions per pair (they need about 20), half the
/// lanes of the best devices, the driver's ratio for float64. Throws CudaError.
double min_pairs_per_ms(int device, Precision precision);

/// The current device of this thread. Throws CudaError.
int current_device();

/// Whether the driver has a kernel timeout on this device, as on GPUs that drive a display. Throws CudaError.
bool drives_display(int device);

/// Launches for so many items of work, each of no more instructions than are allowed for a pair.
u32 slices_for_items(const EngineConfig& config, double items, int device);
/// Launches for n(n-1)/2 pairs in this configuration on this device.
u32 slices_for(const EngineConfig& config, u64 n, int device);
/// The same for n(n-1)(n-2)/6 triples, which need no more instructions each than are allowed for a pair.
u32 slices_for_triples(const EngineConfig& config, u64 n, int device);

}  // namespace tri::cuda
