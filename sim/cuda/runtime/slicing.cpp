#include "sim/cuda/runtime/slicing.hpp"

#include <algorithm>
#include <cmath>

#include "sim/cuda/runtime/check.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {
namespace {

constexpr double kInstructionsPerPair = 40;
constexpr double kLanesPerMultiprocessor = 64;
constexpr u32 kMaxSlices = 1u << 16;
/// Without a display: soon enough for Ctrl-C.
constexpr double kInterruptSlice = 200;

double attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  TRI_CUDA(cudaDeviceGetAttribute(&value, which, device));
  return static_cast<double>(value);
}

}  // namespace

int current_device() {
  int device = 0;
  TRI_CUDA(cudaGetDevice(&device));
  return device;
}

u32 slices_of(double pairs, double pairs_per_ms, double slice_ms) {
  const double slices = std::ceil(pairs / (pairs_per_ms * slice_ms));
  return slices > 1 ? static_cast<u32>(std::min<double>(slices, kMaxSlices)) : 1;
}

double min_pairs_per_ms(int device, Precision precision) {
  const double cycles_per_ms = attribute(cudaDevAttrClockRate, device);  // kHz
  const double lanes = attribute(cudaDevAttrMultiProcessorCount, device) * kLanesPerMultiprocessor;
  const double slowdown =
      precision == Precision::fp32 ? 1.0 : attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
  return lanes * cycles_per_ms / (kInstructionsPerPair * std::max(slowdown, 1.0));
}

bool drives_display(int device) { return attribute(cudaDevAttrKernelExecTimeout, device) != 0; }

u32 slices_for_items(const EngineConfig& config, double items, int device) {
  double slice_ms = config.slice_ms;
  if (slice_ms == 0) slice_ms = drives_display(device) ? kDisplaySlice : kInterruptSlice;
  if (std::isinf(slice_ms)) return 1;
  return slices_of(items, min_pairs_per_ms(device, config.precision), slice_ms);
}

u32 slices_for(const EngineConfig& config, u64 n, int device) {
  return slices_for_items(config, static_cast<double>(triangular(n - 1)), device);
}

u32 slices_for_triples(const EngineConfig& config, u64 n, int device) {
  return slices_for_items(config, n < 3 ? 0.0 : static_cast<double>(tetrahedral(n - 2)), device);
}

}  // namespace tri::cuda
