#pragma once
/// What a sampling meter gathers over one span, and what it says of it in the end. No device, no clock, no thread.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/backend/device_meter.hpp"

namespace tri {

/// One look at a card; what it could not tell is not set.
struct MeterSample {
  double at = 0;  ///< seconds, by any clock that only goes forward
  std::optional<double> power_w;
  std::optional<u32> clock_mhz, memory_clock_mhz;
  std::optional<u64> reasons;  ///< bits as nvml::kReason...
};

class MeterSamples {
 public:
  /// In order of time. Memory grows with the number of different clocks, not with that of samples.
  void add(const MeterSample& sample);

  /// Power over time from `begin` to `end`, straight between samples and level before the first and after the last.
  /// Nothing without a sample of power.
  std::optional<double> energy_j(double begin, double end) const;

  /// Sets the clocks and the reasons. Samples that the card itself calls idle count for the clocks only where there are
  /// no others: a card slows down while it waits for work, and that says nothing about the work.
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

/// The phrases of MeterReading::throttling for NVML's bits, each once, in a fixed order. Idling is none. Where the
/// hardware says why it slows down, that it does is not said as well. Bits that are not known are shown as numbers.
std::vector<std::string> throttle_phrases(u64 reasons);

}  // namespace tri
