#pragma once
/// What a device's own meters say while work runs on it: clocks, power, energy, and whether it holds itself back.

#include <optional>
#include <string>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri {

/// Over the span from begin() to end(). What a device cannot tell is not set; nothing is guessed.
struct MeterReading {
  double seconds = 0;                      ///< the span, by the host's clock
  std::optional<double> energy_j;          ///< by the device's energy counter, or power over time where it has none
  std::optional<double> power_w;           ///< mean
  std::optional<double> clock_mhz;         ///< of the multiprocessors: median of what was sampled
  std::optional<double> clock_low_mhz;     ///< the least that was sampled
  std::optional<double> memory_clock_mhz;  ///< median
  std::optional<double> temperature_c;     ///< at the end
  /// Why the clock was below what was asked for at any time in the span, one phrase each, as "power cap" or
  /// "temperature". Idling is no reason. Empty = at no time.
  std::vector<std::string> throttling;
};

/// Samples in a thread of its own while a span is open. begin() and end() alternate, from one thread. A meter that
/// fails on the way reports less; it never throws.
class DeviceMeter {
 public:
  virtual ~DeviceMeter() = default;
  virtual void begin() = 0;
  virtual MeterReading end() = 0;
  /// Energy spans shorter than this are not to be trusted, in seconds: the counter's own step, many times over.
  virtual double min_energy_seconds() const = 0;
};

/// A process that computes on a GPU.
struct DeviceProcess {
  u32 pid = 0;
  u64 bytes = 0;  ///< of the GPU's memory; 0 = unknown
};

}  // namespace tri
