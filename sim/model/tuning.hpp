#pragma once
/// Results of a tuner for a device: the fastest choice by number of bodies. Stored in a file, so that no device's
/// measurements are hard-wired.

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/model/engine_config.hpp"

namespace tri {

/// What is tuned. The choice is a tile side in bodies; for `grid`, 1 means that contacts are found through the grid.
enum class TunedWork : u8 { gravity, lennard_jones, overlaps, grid };

std::string to_string(TunedWork work);  ///< "gravity", "lennard-jones", "overlaps", "grid"
std::optional<TunedWork> tuned_work_from(std::string_view name);

struct TuningRow {
  TunedWork work = TunedWork::gravity;
  Precision precision = Precision::fp32;
  u64 n = 0;       ///< valid from this n up to the next row
  u32 choice = 0;  ///< the fastest
  friend bool operator==(const TuningRow&, const TuningRow&) = default;
};

/// The tuning of one device; rows of one work and precision are contiguous, n ascending.
struct Tuning {
  std::string device;  ///< as reported by the driver
  std::vector<TuningRow> rows;

  /// The choice for n bodies; below the first row, that of the first. Empty for a work without rows.
  std::optional<u32> choice(TunedWork work, Precision precision, u64 n) const;
  /// n of the first row.
  std::optional<u64> first(TunedWork work, Precision precision) const;
};

/// Input of a tuner, and how it reports results.
struct TuneRequest {
  std::vector<u64> sizes;  ///< ascending
  std::vector<Precision> precisions;
  const std::atomic<bool>* stop = nullptr;  ///< stops after the current size
};
struct TuneStep {
  TunedWork work = TunedWork::gravity;
  Precision precision = Precision::fp32;
  u64 n = 0;
  std::vector<std::pair<u32, double>> times;  ///< choice and median ms of one evaluation
  u32 chosen = 0;                             ///< for grid 0 or 1
  double difference = 0;  ///< the largest between two choices, relative to the rms: must be rounding error
};
using TuneListener = std::function<void(const TuneStep&)>;

/// A change of choice that gains less than this is noise and is ignored.
inline constexpr double kTuningNoise = 0.015;

/// The fastest of the times, or `before` if that is within kTuningNoise of it.
u32 fastest(const std::vector<std::pair<u32, double>>& times, std::optional<u32> before);

}  // namespace tri
