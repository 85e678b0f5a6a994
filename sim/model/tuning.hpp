#pragma once
/// What a tuner has found out about a device: which choice is fastest from how many bodies on. Data, kept in a file, so
/// that nothing is hard-wired to the card it was once measured on.

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/model/engine_config.hpp"

namespace tri {

/// What is tuned. The choice is a tile side in bodies, for `grid` 1: contacts are found through the grid.
enum class TunedWork : u8 { gravity, lennard_jones, overlaps, grid };

std::string to_string(TunedWork work);  ///< "gravity", "lennard-jones", "overlaps", "grid"
std::optional<TunedWork> tuned_work_from(std::string_view name);

struct TuningRow {
  TunedWork work = TunedWork::gravity;
  Precision precision = Precision::fp32;
  u64 n = 0;       ///< from so many bodies on, up to the next row
  u32 choice = 0;  ///< what is fastest there
  friend bool operator==(const TuningRow&, const TuningRow&) = default;
};

/// Of one device; rows of one work and precision stand together, n rising.
struct Tuning {
  std::string device;  ///< as it names itself
  std::vector<TuningRow> rows;

  /// The choice for n bodies. Below the first row it is that of the first; nothing for a work without rows.
  std::optional<u32> choice(TunedWork work, Precision precision, u64 n) const;
  /// n of the first row.
  std::optional<u64> first(TunedWork work, Precision precision) const;
};

/// What a tuner tries, and how it says what it finds.
struct TuneRequest {
  std::vector<u64> sizes;  ///< rising
  std::vector<Precision> precisions;
  const std::atomic<bool>* stop = nullptr;  ///< ends it after the size in work
};
struct TuneStep {
  TunedWork work = TunedWork::gravity;
  Precision precision = Precision::fp32;
  u64 n = 0;
  std::vector<std::pair<u32, double>> times;  ///< choice and median ms of one evaluation
  u32 chosen = 0;                             ///< for grid 0 or 1
  double difference = 0;  ///< the largest between the answers of two choices, relative to their rms; must be rounding
};
using TuneListener = std::function<void(const TuneStep&)>;

/// A change of choice that gains less than this is noise, and not made.
inline constexpr double kTuningNoise = 0.015;

/// The fastest of the times, or `before` where that is within kTuningNoise of it.
u32 fastest(const std::vector<std::pair<u32, double>>& times, std::optional<u32> before);

}  // namespace tri
