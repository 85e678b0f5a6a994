#pragma once
/// Runs a plan of benches, and says how long the rest will take.

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/bench_plan.hpp"
#include "app/support/measurement.hpp"
#include "sim/backend/backend.hpp"

namespace tri::app {

/// A group costs its warm-ups, of fixed length, and its samples, which grow as the pairs, triples or cells of its n.
/// The finished group of a kernel that is nearest in n predicts the others.
class BenchEta {
 public:
  BenchEta(const BenchPlan& plan, std::vector<PlannedGroup> groups);

  /// Group `i` took this long; 0 for a group that was resumed, which predicts nothing.
  void finished(std::size_t i, double seconds);
  /// Seconds left when group `i` has done the share `done` of its rounds in `seconds`; nothing while a kernel that is
  /// still to come has no timed group.
  std::optional<double> left(std::size_t i, double seconds, double done) const;

 private:
  /// Seconds of each group, as far as known.
  using Seconds = std::vector<std::optional<double>>;
  std::optional<double> estimate(std::size_t i, const Seconds& took) const;

  double warmup_s_;
  std::vector<PlannedGroup> groups_;
  Seconds took_;
};

// Times a plan on a backend.
//
// One group is a kernel at one size, block and choice of its other axes. Every map of it runs once in each sample
// round, so that drift (clock, heat, neighbours) affects all maps alike and cancels in the ratios of a round; the
// order changes from round to round so that each map follows each other one about as often (Williams 1949): what a
// long map leaves behind, such as programs that waited for the processor, is not always the burden of the same one.
// Each map is warmed up for a fixed time and checked after its last sample. The device's meters, if any, run over the
// sample rounds.

/// A map that ran on its own for a while, and the meters' readings.
struct EnergyRun {
  MeterReading reading;
  u64 times = 0;  ///< runs
};

/// A map or a baseline in a group: timed and checked, or skipped with the reason.
struct BenchRow {
  BenchSpec spec;
  std::string backend;
  std::optional<std::string> skipped;
  bool out_of_memory = false;  ///< the reason is memory
  u32 block = 0;               ///< in use; 0 when skipped and left to the backend
  u32 ranks = 1;               ///< that share its work: devices, on cuda
  std::vector<double> samples_ms;
  SampleStats stats;
  std::optional<Improvement> improvement;  ///< over the baseline; none without a timed baseline
  std::optional<double> bound;             ///< by launched blocks, against bb only
  bool above_bound = false;                ///< a difference that blocks do not explain, also when timed again
  u64 blocks_launched = 0, blocks_useful = 0, work_items = 0, bytes = 0;
  std::optional<TreeWork> tree;  ///< of the last sample, where a tree met the pairs
  BenchCheck check;
  std::optional<EnergyRun> energy;  ///< where requested and measurable

  double items_per_s() const { return static_cast<double>(work_items) / (stats.median * 1e-3); }
  double bytes_per_s() const { return static_cast<double>(bytes) / (stats.median * 1e-3); }
  /// J; nothing where the meters have no energy.
  std::optional<double> energy_per_item() const;
};

struct BenchGroup {
  BenchSpec common;             ///< what all rows share; its map is empty, its block 0 = the backend's choice
  bool baseline_added = false;  ///< timed only to be compared with
  std::vector<BenchRow> rows;
  std::optional<MeterReading> telemetry;  ///< over the sample rounds of all rows
  std::optional<MachineLoad> load = {};   ///< likewise; none where several ranks share the work
};

/// By the position of a group in planned_groups(); nothing where it has not been run.
using BenchSlots = std::vector<std::optional<BenchGroup>>;

struct BenchHooks {
  std::function<void(const std::string&)> progress;  ///< one line, may be overwritten by the next; may be empty
  /// After each group, also one that was stopped, with all results so far; may be empty.
  std::function<void(const BenchGroup&, const BenchSlots&)> group_finished;
  const std::atomic<bool>* stop = nullptr;  ///< when true, the run ends after the sample in progress
  DeviceMeter* meter = nullptr;             ///< none = no telemetry. BenchPlan::energy needs one
};

/// Runs the groups of the plan whose slot is empty (no slots = all) and returns all groups in the plan's order. When
/// stopped, they hold what was finished: rows may have fewer samples, and rows never timed are left out.
std::vector<BenchGroup> run_bench(Backend& backend, const BenchPlan& plan, const BenchHooks& hooks,
                                  BenchSlots slots = {});

/// From samples to figures: statistics, improvement over the baseline, bound. Intervals hold for all rows together.
/// Rows that were never timed are dropped.
void add_statistics(BenchGroup& group, const std::string& baseline);

/// The groups that have results, in order.
std::vector<BenchGroup> filled(const BenchSlots& slots);

/// Whether a timed row failed its check.
bool any_failed(const std::vector<BenchGroup>& groups);

}  // namespace tri::app
