#pragma once
/// Collects the samples of a meter over one span and evaluates them. No device, no clock, no thread.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/backend/device_meter.hpp"

namespace tri {

/// One sample; values that could not be read are not set.
struct MeterSample {
  double at = 0;  ///< seconds, by any monotonic clock
  std::optional<double> power_w;
  std::optional<u32> clock_mhz, memory_clock_mhz;
  std::optional<u64> reasons;  ///< bits as nvml::kReason...
};

class MeterSamples {
 public:
  /// Call in order of time. Memory grows with the number of distinct clock rates, not of samples.
  void add(const MeterSample& sample);

  /// Integral of power from `begin` to `end` (seconds): linear between samples, constant before the first and after the
  /// last. nullopt without a power sample.
  std::optional<double> energy_j(double begin, double end) const;

  /// Sets the clocks and the throttling reasons. Samples flagged idle count for the clocks only if there are no others:
  /// a GPU lowers its clocks while it waits for work.
  void fill(MeterReading& reading) const;

 private:
  struct PowerPoint {
    double at, watts;
  };
  using Histogram = std::map<u32, u64>;  ///< MHz -> samples

  std::optional<PowerPoint> first_power_, last_power_;
  double joules_ = 0;  ///< from the first to the last
  Histogram busy_, idle_, busy_memory_, idle_memory_;
  u64 reasons_ = 0;
};

/// The phrases of MeterReading::throttling for NVML's bits, each once, in a fixed order. Idle is not included, nor
/// "hardware slowdown" when a more specific reason is set. Unknown bits are shown as numbers.
std::vector<std::string> throttle_phrases(u64 reasons);

}  // namespace tri
