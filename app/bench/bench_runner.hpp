#pragma once
/// Times a plan on a backend.
///
/// One group is a kernel at one size, block and feature count. Inside it every map runs once in each sample round, so
/// that whatever drifts (clock, heat, neighbours) hits all maps alike and cancels in the ratios of a round; the order
/// turns by one from round to round, so that no map always runs after the same one. Each map is warmed up by time, and
/// checked after its last sample.

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/presets.hpp"
#include "app/bench/sample_stats.hpp"
#include "sim/backend.hpp"

namespace tri::app {

/// A map in a group: timed and checked, or skipped with the reason.
struct BenchRow {
  BenchSpec spec;
  std::string backend;
  std::optional<std::string> skipped;
  u32 block = 0;  ///< in use; 0 when skipped and left to the backend
  std::vector<double> samples_ms;
  SampleStats stats;
  std::optional<Improvement> improvement;  ///< over the baseline; none without a timed baseline
  std::optional<double> bound;             ///< by launched blocks, against bb only
  u64 blocks_launched = 0, blocks_useful = 0, work_items = 0, bytes = 0;
  BenchCheck check;

  double items_per_s() const { return static_cast<double>(work_items) / (stats.median * 1e-3); }
  double bytes_per_s() const { return static_cast<double>(bytes) / (stats.median * 1e-3); }
};

struct BenchGroup {
  BenchKernel kernel = BenchKernel::dummy;
  u64 n = 0;
  u32 block = 0;  ///< asked for; 0 = the backend's choice
  u32 features = 0;
  std::vector<BenchRow> rows;
};

struct BenchHooks {
  std::function<void(const std::string&)> progress;       ///< one line, may be overwritten by the next; may be empty
  std::function<void(const BenchGroup&)> group_finished;  ///< may be empty
  const std::atomic<bool>* stop = nullptr;                ///< when true, the run ends after the sample in progress
};

/// Runs the plan. When stopped, the groups hold what was finished: rows with fewer samples, and no rows never timed.
std::vector<BenchGroup> run_bench(Backend& backend, const BenchPlan& plan, const BenchHooks& hooks);

/// Whether a timed row failed its check.
bool any_failed(const std::vector<BenchGroup>& groups);

}  // namespace tri::app
