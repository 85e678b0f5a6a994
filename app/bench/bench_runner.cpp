#include "app/bench/bench_runner.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/support/console.hpp"
#include "app/support/measurement.hpp"
#include "app/support/option_values.hpp"
#include "app/support/text_table.hpp"
#include "sim/backend/bench.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"

namespace tri::app {
namespace {

/// Work grows as n to this power; for the gasket an upper bound, since bb walks the box around it.
double power(BenchKernel kernel) { return info(kernel).domain == Domain::tetrahedron ? 3 : 2; }

double distance(u64 a, u64 b) { return std::abs(std::log(static_cast<double>(a) / static_cast<double>(b))); }

}  // namespace

BenchEta::BenchEta(const BenchPlan& plan, std::vector<PlannedGroup> groups)
    : warmup_s_(plan.warmup_ms / 1e3), groups_(std::move(groups)), took_(groups_.size()) {}

void BenchEta::finished(std::size_t i, double seconds) { took_[i] = seconds; }

/// From the timed group of this kernel whose n is nearest, the last of several.
std::optional<double> BenchEta::estimate(std::size_t i, const Seconds& took) const {
  const BenchSpec& spec = groups_[i].common;
  std::optional<std::size_t> nearest;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    if (!took[k] || *took[k] <= 0 || groups_[k].common.kernel != spec.kernel) continue;
    if (!nearest || distance(groups_[k].common.n, spec.n) <= distance(groups_[*nearest].common.n, spec.n)) nearest = k;
  }
  if (!nearest) return std::nullopt;
  const PlannedGroup& timed = groups_[*nearest];
  const double still = warmup_s_ * static_cast<double>(timed.maps.size());
  const double a_map = std::max(0.0, *took[*nearest] - still) / static_cast<double>(timed.maps.size());
  const double grown = std::pow(static_cast<double>(spec.n) / static_cast<double>(timed.common.n), power(spec.kernel));
  return static_cast<double>(groups_[i].maps.size()) * (warmup_s_ + a_map * grown);
}

std::optional<double> BenchEta::left(std::size_t now, double seconds, double done) const {
  Seconds took = took_;
  double sum = 0;
  if (done > 0) took[now] = seconds / done, sum = seconds / done - seconds;
  for (std::size_t i = now; i < groups_.size(); ++i) {
    if (took[i]) continue;
    const std::optional<double> whole = estimate(i, took);
    if (!whole) return std::nullopt;
    sum += std::max(0.0, *whole - (i == now ? seconds : 0));
  }
  return sum;
}

namespace {

double now_ms() { return 1e3 * clock_s(); }

/// Energy counters of cards advance in steps of tens of milliseconds; this many seconds make that error small.
constexpr double kEnergySeconds = 0.5;

/// The cases of a group stay in memory together while their data take less than a quarter of the backend's memory.
double resident_limit_bytes(const Backend& backend) {
  const u64 own = backend.memory_bytes();
  return 0.25 * static_cast<double>(own != 0 ? own : memory_bytes());
}

/// The case that is the k-th of a round: 0, n - 1, 1, n - 2, ... moved on by one in each round, and for odd n backwards
/// in every second one.
std::size_t case_in_turn(std::size_t k, u32 round, std::size_t count) {
  if (count % 2 == 1 && round % 2 == 1) k = count - 1 - k;
  return ((k % 2 == 0 ? k / 2 : count - (k + 1) / 2) + round) % count;
}

/// Drops power and energy of a span too short for the meter's counter.
MeterReading trusted(MeterReading reading, double min_energy_seconds) {
  if (reading.seconds < 0.5 * min_energy_seconds) reading.energy_j.reset(), reading.power_w.reset();
  return reading;
}

/// One group: its cases exist side by side or, when too large for that, are made anew for each sample.
class GroupRun {
 public:
  /// `left(done)`: text for the remaining time of the bench when that share of the rounds is done.
  using Left = std::function<std::string(double done)>;
  /// end_ms: when it shall end, by now_ms().
  GroupRun(Backend& backend, const BenchPlan& plan, const BenchHooks& hooks, BenchGroup& group, Left left,
           double end_ms)
      : backend_(backend), plan_(plan), hooks_(hooks), group_(group), left_(std::move(left)), end_ms_(end_ms) {}

  void prepare(const std::vector<std::string>& maps) {
    const BackendInfo backend = backend_.info();
    const double limit = resident_limit_bytes(backend_);
    double bytes = 0;
    for (const std::string& map : maps) {
      report(fmt::format("taking memory for {}", map));
      BenchRow row;
      row.spec = spec_of(group_.common, map);
      row.backend = backend.name;
      row.ranks = is_shared(row.spec) ? backend.ranks : 1;
      row.block = group_.common.block;
      std::unique_ptr<BenchCase> made = make_beside_others(row);
      if (made) {
        row.block = made->block();
        row.blocks_launched = made->blocks_launched(), row.blocks_useful = made->blocks_useful();
        row.work_items = made->work_items(), row.bytes = made->bytes();
        bytes += static_cast<double>(row.bytes);
      }
      if (bytes > limit) resident_ = false;
      if (!resident_) made.reset(), cases_.clear();
      cases_.resize(group_.rows.size());
      cases_.push_back(std::move(made));
      group_.rows.push_back(std::move(row));
    }
    checked_.resize(group_.rows.size(), false);
  }

  void sample() {
    const std::size_t count = group_.rows.size();
    const LoadWatch load;
    for (std::size_t i = 0; i < count && !stopped(); ++i) warm_up(i);
    const bool metered =
        hooks_.meter != nullptr && !stopped() &&
        std::any_of(group_.rows.begin(), group_.rows.end(), [](const BenchRow& r) { return !r.skipped; });
    if (metered) hooks_.meter->begin();
    for (u32 round = 0; round < plan_.samples && !stopped() && !late(round); ++round) {
      done_ = static_cast<double>(round) / plan_.samples;
      for (std::size_t k = 0; k < count && !stopped(); ++k) {
        report(fmt::format("round {} of {}", round + 1, plan_.samples));
        measure_sample(case_in_turn(k, round, count));
      }
    }
    if (backend_.info().ranks <= 1) group_.load = load.read();
    if (metered) group_.telemetry = trusted(hooks_.meter->end(), hooks_.meter->min_energy_seconds());
    // Every timed row has a check, also when the last round was cut short.
    for (std::size_t i = 0; i < count; ++i) {
      BenchRow& row = group_.rows[i];
      if (row.skipped || row.samples_ms.empty() || checked_[i]) continue;
      report(fmt::format("checking {}", row.spec.map));
      std::unique_ptr<BenchCase> fresh;
      if (!resident_) {
        fresh = make(row);
        if (!fresh) continue;
        fresh->run();
      }
      adopt_check(row, *(resident_ ? cases_[i] : fresh));
    }
  }

  /// The same once more, in place of the first times unless it is stopped.
  void sample_again() {
    const std::vector<BenchRow> first = group_.rows;
    for (BenchRow& row : group_.rows) row.samples_ms.clear();
    std::fill(checked_.begin(), checked_.end(), false);
    again_ = true;
    sample();
    if (stopped()) group_.rows = first;
  }

  bool ended() const { return stopped() || now_ms() > end_ms_; }

  /// After sample(): a check needs the output of a sample.
  void measure_energy() {
    for (std::size_t i = 0; i < group_.rows.size() && !stopped(); ++i) {
      BenchRow& row = group_.rows[i];
      if (row.skipped) continue;
      report(fmt::format("energy of {}", row.spec.map));
      BenchRow again = row;  // a refusal now leaves the timed row as it is, without energy
      const std::unique_ptr<BenchCase> fresh = resident_ ? nullptr : make(again);
      BenchCase* work = resident_ ? cases_[i].get() : fresh.get();
      if (work == nullptr) continue;
      if (!resident_) work->run();
      const double seconds = std::max(kEnergySeconds, hooks_.meter->min_energy_seconds());
      hooks_.meter->begin();
      const u64 times = work->run_for(seconds);
      row.energy = EnergyRun{hooks_.meter->end(), times};
    }
  }

 private:
  /// Whether the group has the rounds that it needs, and its time is over.
  bool late(u32 rounds) const { return rounds >= kMinRounds && now_ms() > end_ms_; }
  bool stopped() const { return hooks_.stop != nullptr && hooks_.stop->load(std::memory_order_relaxed); }

  void report(const std::string& what) const {
    if (hooks_.progress)
      hooks_.progress(fmt::format("{} n = {}: {}{}{}", to_string(group_.common.kernel), grouped(group_.common.n),
                                  again_ ? "again, for a ratio above its bound: " : "", what, left_(done_)));
  }

  /// Null, with the reason in the row, when the combination is refused or does not fit into memory.
  std::unique_ptr<BenchCase> make(BenchRow& row) const {
    try {
      return backend_.make_bench(row.spec);
    } catch (const ConfigError& error) {
      row.skipped = error.what();
    } catch (const MemoryError& error) {
      row.skipped = error.what();
      row.out_of_memory = true;
    }
    return nullptr;
  }

  /// The same; a case that fits only without the group's other cases is made after they are released.
  std::unique_ptr<BenchCase> make_beside_others(BenchRow& row) {
    const bool alone = std::none_of(cases_.begin(), cases_.end(), [](const auto& c) { return c != nullptr; });
    if (alone) return make(row);
    try {
      return backend_.make_bench(row.spec);
    } catch (const ConfigError& error) {
      row.skipped = error.what();
      return nullptr;
    } catch (const MemoryError&) {
      resident_ = false;
      cases_.clear();
      return make(row);
    }
  }

  void warm_up(std::size_t i) {
    BenchRow& row = group_.rows[i];
    if (row.skipped) return;
    report(fmt::format("warming up {}", row.spec.map));
    if (!resident_) return;  // cases made anew warm up before each sample
    const double begin = now_ms();
    do {
      cases_[i]->run();
    } while (now_ms() - begin < plan_.warmup_ms && !stopped());
  }

  void measure_sample(std::size_t i) {
    BenchRow& row = group_.rows[i];
    if (row.skipped) return;
    if (resident_) {
      row.samples_ms.push_back(cases_[i]->run());
      return;
    }
    const auto fresh = make(row);
    if (!fresh) return;
    fresh->run();
    row.samples_ms.push_back(fresh->run());
    if (row.samples_ms.size() == plan_.samples) adopt_check(row, *fresh), checked_[i] = true;
  }

  static void adopt_check(BenchRow& row, BenchCase& of) { row.check = of.check(), row.tree = of.tree(); }

  Backend& backend_;
  const BenchPlan& plan_;
  const BenchHooks& hooks_;
  BenchGroup& group_;
  Left left_;
  double end_ms_;
  double done_ = 0;                                ///< share of the rounds
  std::vector<std::unique_ptr<BenchCase>> cases_;  ///< null where skipped, and all of them when not resident
  std::vector<bool> checked_;
  bool resident_ = true, again_ = false;
};

}  // namespace

std::optional<double> BenchRow::energy_per_item() const {
  if (!energy || !energy->reading.energy_j || energy->times == 0 || work_items == 0) return std::nullopt;
  return *energy->reading.energy_j / (static_cast<double>(energy->times) * static_cast<double>(work_items));
}

namespace {

/// By a twentieth, which noise does not reach. A persistent map may save more blocks than the bound of one tile a block
/// says.
bool is_above_bound(const BenchRow& row, const BenchRow& bb) {
  constexpr double kNoise = 1.05;
  if (!row.improvement || !row.improvement->differs() || row.blocks_launched == 0) return false;
  const double own = static_cast<double>(bb.blocks_launched) / static_cast<double>(row.blocks_launched);
  return row.improvement->ratio > kNoise * std::max(row.bound.value_or(1), own);
}

bool any_above_bound(const BenchGroup& group) {
  return std::any_of(group.rows.begin(), group.rows.end(), [](const BenchRow& r) { return r.above_bound; });
}

}  // namespace

void add_statistics(BenchGroup& group, const std::string& baseline_map) {
  std::erase_if(group.rows, [](const BenchRow& r) { return !r.skipped && r.samples_ms.empty(); });
  const auto baseline = std::find_if(group.rows.begin(), group.rows.end(),
                                     [&](const BenchRow& r) { return r.spec.map == baseline_map && !r.skipped; });
  const auto timed = std::count_if(group.rows.begin(), group.rows.end(), [](const BenchRow& r) { return !r.skipped; });
  const auto together = static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, timed - 1));
  for (BenchRow& row : group.rows) {
    if (row.skipped) continue;
    row.stats = sample_stats(row.samples_ms);
    if (baseline != group.rows.end()) {
      // The last round of an interrupted run may lack a partner.
      const std::size_t pairs = std::min(row.samples_ms.size(), baseline->samples_ms.size());
      row.improvement =
          improvement(std::span(baseline->samples_ms).first(pairs), std::span(row.samples_ms).first(pairs), together);
    }
    if (baseline_map == "bb" && has_blocks(row.spec) && row.block > 0) {
      row.bound = row.spec.map == "bb" ? 1.0 : launch_bound(row.spec, row.block);
    }
    row.above_bound = row.bound && baseline != group.rows.end() && is_above_bound(row, *baseline);
  }
}

std::vector<BenchGroup> run_bench(Backend& backend, const BenchPlan& plan, const BenchHooks& hooks, BenchSlots slots) {
  const std::vector<PlannedGroup> planned = planned_groups(plan);
  TRI_EXPECTS(slots.empty() || slots.size() == planned.size());
  TRI_EXPECTS(!plan.energy || hooks.meter != nullptr);
  slots.resize(planned.size());
  const auto stopped = [&hooks] { return hooks.stop != nullptr && hooks.stop->load(); };
  BenchEta eta(plan, planned);
  const double start = now_ms();
  for (std::size_t i = 0; i < planned.size(); ++i) {
    if (slots[i]) eta.finished(i, 0);
  }
  for (std::size_t i = 0; i < planned.size() && !stopped(); ++i) {
    if (slots[i]) continue;
    BenchGroup group{planned[i].common, planned[i].baseline_added, {}, {}, {}};
    const double begin = now_ms();
    const auto left = [&](double done) {
      const std::optional<double> seconds = eta.left(i, (now_ms() - begin) / 1e3, done);
      return fmt::format(" (group {} of {}{})", i + 1, planned.size(),
                         seconds ? fmt::format(", {} left", wall_text(*seconds)) : "");
    };
    const double share = static_cast<double>(i + 1) / static_cast<double>(planned.size());
    const double end = plan.budget_s > 0 ? start + 1e3 * plan.budget_s * share : HUGE_VAL;
    {
      GroupRun run(backend, plan, hooks, group, left, end);
      run.prepare(planned[i].maps);
      run.sample();
      if (!run.ended()) add_statistics(group, plan.baseline);
      if (any_above_bound(group)) run.sample_again();
      if (plan.energy) run.measure_energy();
    }
    eta.finished(i, (now_ms() - begin) / 1e3);
    add_statistics(group, plan.baseline);
    if (group.rows.empty()) break;  // stopped before its first sample
    slots[i] = std::move(group);
    if (hooks.group_finished) hooks.group_finished(*slots[i], slots);
  }
  return filled(slots);
}

std::vector<BenchGroup> filled(const BenchSlots& slots) {
  std::vector<BenchGroup> groups;
  for (const auto& slot : slots) {
    if (slot) groups.push_back(*slot);
  }
  return groups;
}

bool any_failed(const std::vector<BenchGroup>& groups) {
  for (const BenchGroup& group : groups) {
    for (const BenchRow& row : group.rows) {
      if (!row.skipped && !row.check.passed) return true;
    }
  }
  return false;
}

}  // namespace tri::app
