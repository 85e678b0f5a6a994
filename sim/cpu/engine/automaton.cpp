// An automaton on the host: two state arrays; each step reads one and writes the other.

#include "sim/cpu/engine/automaton.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/base/clock.hpp"
#include "sim/base/error.hpp"
#include "sim/base/memory.hpp"
#include "sim/base/threads.hpp"
#include "sim/cpu/kernels/fractal_loops.hpp"
#include "sim/cpu/kernels/tuning.hpp"

namespace tri::cpu {
namespace {

/// In three dimensions the halo of a tile limits it to 32.
u32 most_block(const FractalShape& shape) { return shape.dimensions() == 3 ? 32 : 64; }

class CpuAutomaton final : public Automaton {
 public:
  CpuAutomaton(const AutomatonSpec& spec, u32 threads) : spec_(spec), backend_threads_(threads) {
    spec_.work = completed(spec.work);
    check_automaton(spec_);
    const bool compact = spec_.storage == CellStorage::compact;
    require_memory(
        2 * spec_.bytes() + (compact ? 0 : static_cast<double>(spec_.cells())),
        fmt::format("two {} states of {} at r = {}", to_string(spec_.storage), spec_.fractal.name, spec_.levels),
        compact ? "Use fewer levels" : "Use fewer levels, or storage=compact");
    const u64 size = static_cast<u64>(spec_.bytes());
    for (auto& state : states_) state.resize(size);
    if (compact) {
      states_[0] = initial_cells(spec_);
    } else {
      spread_cells(spec_.fractal.shape, spec_.levels, initial_cells(spec_).data(), states_[0].data());
    }
    prepare();
  }

  const AutomatonSpec& spec() const override { return spec_; }

  void configure(const CellWork& work) override {
    AutomatonSpec changed = spec_;
    changed.work = completed(work);
    check_automaton(changed);
    spec_ = changed;
    prepare();
  }

  void set_rule(const LifeRule& rule) override { spec_.rule = rule; }

  void step(u64 steps) override {
    if (steps == 0) return;
    const Stopwatch watch;
    for (u64 s = 0; s < steps; ++s) {
      const u8* now = states_[now_].data();
      u8* next = states_[1 - now_].data();
      if (spec_.storage == CellStorage::compact) {
        step_compact(*walk_, tile_, spec_.rule, now, next);
      } else {
        step_embedded(*walk_, spec_.rule, now, next);
      }
      now_ = 1 - now_;
    }
    step_ms_ = watch.ms() / static_cast<double>(steps);
  }

  std::vector<u8> read() const override {
    if (spec_.storage == CellStorage::compact) return states_[now_];
    std::vector<u8> cells(spec_.cells());
    gather_cells(spec_.fractal.shape, spec_.levels, states_[now_].data(), cells.data());
    return cells;
  }

  double step_ms() const override { return step_ms_; }

 private:
  CellWork completed(CellWork work) const {
    const FractalShape& shape = spec_.fractal.shape;
    // check_automaton() has already rejected too many levels.
    if (work.block == 0) {
      work.block =
          spec_.levels > 31 ? 1 : largest_block(shape, power_of(shape.scale(), spec_.levels), most_block(shape));
    }
    if (work.threads == 0) work.threads = backend_threads_;
    if (work.threads > kMaxThreads) {
      throw ConfigError(fmt::format("--threads {} is more than {}; use fewer.", work.threads, kMaxThreads));
    }
    return work;
  }

  void prepare() {
    walk_ = std::make_unique<FractalWalk>(spec_.fractal, check_automaton(spec_), spec_.work);
    tile_ = compact_tile(spec_.fractal.shape, walk_->grid.inner);
  }

  AutomatonSpec spec_;
  u32 backend_threads_;
  std::unique_ptr<FractalWalk> walk_;
  CompactTile tile_;
  std::array<std::vector<u8>, 2> states_;
  u32 now_ = 0;
  double step_ms_ = 0;
};

}  // namespace

u32 default_fractal_block(const FractalShape& shape, u64 n) { return largest_block(shape, n, most_block(shape)); }

std::unique_ptr<Automaton> make_automaton(const AutomatonSpec& spec, u32 threads) {
  return std::make_unique<CpuAutomaton>(spec, threads);
}

}  // namespace tri::cpu
