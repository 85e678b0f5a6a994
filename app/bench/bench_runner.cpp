#include "app/bench/bench_runner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "app/bench/axes.hpp"
#include "sim/error.hpp"

namespace tri::app {
namespace {

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The cases of a group stay in memory together while their data take less than a quarter of the machine's.
double resident_limit_bytes() {
  return 0.25 * static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

/// One group: its cases are alive together, or, when they are too large for that, made anew for each sample.
class GroupRun {
 public:
  GroupRun(Backend& backend, const BenchPlan& plan, const BenchHooks& hooks, BenchGroup& group)
      : backend_(backend), plan_(plan), hooks_(hooks), group_(group) {}

  void prepare(const std::vector<std::string>& maps) {
    const std::string backend = backend_.info().name;
    double bytes = 0;
    for (const std::string& map : maps) {
      BenchRow row;
      BenchSpec& spec = row.spec;
      spec.kernel = group_.kernel, spec.map = map, spec.n = group_.n, spec.block = group_.block;
      if (group_.features != 0) spec.features = group_.features;
      spec.precision = plan_.precision, spec.accumulate = plan_.accumulate, spec.placement = plan_.placement;
      spec.threads = plan_.threads, spec.seed = plan_.seed;
      row.backend = backend;
      row.block = group_.block;
      std::unique_ptr<BenchCase> made = make(row);
      if (made) {
        row.block = made->block();
        row.blocks_launched = made->blocks_launched(), row.blocks_useful = made->blocks_useful();
        row.work_items = made->work_items(), row.bytes = made->bytes();
        bytes += static_cast<double>(row.bytes);
      }
      if (bytes > resident_limit_bytes()) resident_ = false;
      if (!resident_) made.reset(), cases_.clear();
      cases_.resize(group_.rows.size());
      cases_.push_back(std::move(made));
      group_.rows.push_back(std::move(row));
    }
  }

  void sample() {
    const std::size_t count = group_.rows.size();
    for (std::size_t i = 0; i < count && !stopped(); ++i) warm_up(i);
    for (u32 round = 0; round < plan_.samples && !stopped(); ++round) {
      report(fmt::format("round {} of {}", round + 1, plan_.samples));
      for (std::size_t k = 0; k < count && !stopped(); ++k) take_sample((k + round) % count);
    }
    // What has a time has a check, also when the last round was cut short.
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
      row.check = (resident_ ? cases_[i] : fresh)->check();
    }
  }

 private:
  bool stopped() const { return hooks_.stop != nullptr && hooks_.stop->load(std::memory_order_relaxed); }

  void report(const std::string& what) const {
    if (hooks_.progress) hooks_.progress(fmt::format("{} n = {}: {}", to_string(group_.kernel), group_.n, what));
  }

  /// Nothing, and the reason in the row, when the combination is refused or does not fit into memory.
  std::unique_ptr<BenchCase> make(BenchRow& row) const {
    try {
      return backend_.make_bench(row.spec);
    } catch (const ConfigError& error) {
      row.skipped = error.what();
    } catch (const MemoryError& error) {
      row.skipped = error.what();
    }
    return nullptr;
  }

  void warm_up(std::size_t i) {
    BenchRow& row = group_.rows[i];
    checked_.resize(group_.rows.size(), false);
    if (row.skipped) return;
    report(fmt::format("warming up {}", row.spec.map));
    if (!resident_) return;  // a case made anew warms up before each sample
    const double begin = now_ms();
    do {
      cases_[i]->run();
    } while (now_ms() - begin < plan_.warmup_ms && !stopped());
  }

  void take_sample(std::size_t i) {
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
    if (row.samples_ms.size() == plan_.samples) row.check = fresh->check(), checked_[i] = true;
  }

  Backend& backend_;
  const BenchPlan& plan_;
  const BenchHooks& hooks_;
  BenchGroup& group_;
  std::vector<std::unique_ptr<BenchCase>> cases_;  ///< null where skipped, and all of them when not resident
  std::vector<bool> checked_;
  bool resident_ = true;
};

void add_statistics(BenchGroup& group, const BenchPlan& plan) {
  std::erase_if(group.rows, [](const BenchRow& r) { return !r.skipped && r.samples_ms.empty(); });
  const auto baseline = std::find_if(group.rows.begin(), group.rows.end(),
                                     [&](const BenchRow& r) { return r.spec.map == plan.baseline && !r.skipped; });
  for (BenchRow& row : group.rows) {
    if (row.skipped) continue;
    row.stats = sample_stats(row.samples_ms);
    if (baseline != group.rows.end()) {
      // The last round of an interrupted run may lack a partner.
      const std::size_t pairs = std::min(row.samples_ms.size(), baseline->samples_ms.size());
      row.improvement =
          improvement(std::span(baseline->samples_ms).first(pairs), std::span(row.samples_ms).first(pairs));
    }
    if (plan.baseline == "bb" && row.spec.map != "plain" && row.block > 0) {
      const u64 side = (group.n + row.block - 1) / row.block;
      row.bound = row.spec.map == "bb" ? 1.0 : launch_bound(domain_of(group.kernel), side);
    }
  }
}

}  // namespace

std::vector<BenchGroup> run_bench(Backend& backend, const BenchPlan& plan, const BenchHooks& hooks) {
  std::vector<BenchGroup> groups;
  for (const BenchPart& part : plan.parts) {
    for (const u64 n : part.sizes) {
      for (const u32 features : part.features) {
        for (const u32 block : plan.blocks) {
          if (hooks.stop != nullptr && hooks.stop->load()) return groups;
          BenchGroup group{part.kernel, n, block, features, {}};
          {
            GroupRun run(backend, plan, hooks, group);
            run.prepare(part.maps);
            run.sample();
          }
          add_statistics(group, plan);
          if (hooks.group_finished) hooks.group_finished(group);
          groups.push_back(std::move(group));
        }
      }
    }
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
