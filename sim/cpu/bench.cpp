// Bench cases on the host: what all share, the floors of the device, the gasket.
//
// From a spec to a bench case: what all kernels share.

#include "sim/cpu/bench.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/progress.hpp"
#include "sim/cpu/automaton.hpp"
#include "sim/cpu/kernels.hpp"
#include "sim/cpu/tile_loop.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cpu {

void refuse_form(const char* what) {
  throw ConfigError(fmt::format("the cpu backend {}; leave the choice out, or use cuda.", what));
}

Walk<TriangleMapId> walk_of(const BenchSpec& spec, TriangleMapId map) {
  const u32 block = spec.block != 0 ? spec.block : default_pair_block(spec.n);
  return {map, triangle_grid(map, static_cast<u32>(spec.n), block),
          worthwhile_threads(triangular(spec.n), spec.threads)};
}

Walk<TetraMapId> walk_of(const BenchSpec& spec, TetraMapId map) {
  const u32 block = spec.block != 0 ? spec.block : default_triple_block(spec.n);
  return {map, tetra_grid(map, static_cast<u32>(spec.n), block),
          worthwhile_threads(triangular(spec.n) * spec.n, spec.threads)};
}

namespace {

/// --timing averaged: a sample is the mean of several runs.
class AveragedCase final : public BenchCase {
 public:
  explicit AveragedCase(std::unique_ptr<BenchCase> one) : one_(std::move(one)) {}
  double run() override {
    double ms = 0;
    for (u32 k = 0; k < kAveragedLaunches; ++k) ms += one_->run();
    return ms / kAveragedLaunches;
  }
  u64 run_for(double seconds) override { return one_->run_for(seconds); }
  BenchCheck check() override { return one_->check(); }
  void corrupt_output() override { one_->corrupt_output(); }
  u64 work_items() const override { return one_->work_items(); }
  u64 bytes() const override { return one_->bytes(); }
  u64 blocks_launched() const override { return one_->blocks_launched(); }
  u64 blocks_useful() const override { return one_->blocks_useful(); }
  u32 block() const override { return one_->block(); }

 private:
  std::unique_ptr<BenchCase> one_;
};

}  // namespace

std::unique_ptr<BenchCase> make_cpu_bench(const BenchSpec& given, u32 backend_threads, Communicator* ranks) {
  if (given.n == 0 || given.n > 0xffffffffu) {
    throw ConfigError(fmt::format("--n {} is out of range; use 1 to 4294967295.", given.n));
  }
  if (given.map == "rec" && given.rec != RecForm::launches) {
    refuse_form("walks the grids of --map rec one after another only");
  }
  BenchSpec spec = given;
  if (spec.threads == 0) spec.threads = backend_threads;
  if (spec.threads > kMaxThreads) {
    throw ConfigError(fmt::format("--threads {} is more than {}; use fewer.", spec.threads, kMaxThreads));
  }
  const BenchSubject subject = subject_of(spec, "cpu");
  if (spec.timing == LaunchTiming::averaged) {
    spec.timing = LaunchTiming::synchronised;
    return std::make_unique<AveragedCase>(make_cpu_bench(spec, backend_threads, ranks));
  }
  switch (spec.kernel) {
#define TRI_MAKE_BENCH(id) \
  case BenchKernel::id: \
    return make_##id##_bench(spec, subject, is_shared(spec) ? ranks : nullptr);
    TRI_BENCH_KERNELS(TRI_MAKE_BENCH)
#undef TRI_MAKE_BENCH
  }
  TRI_UNREACHABLE("a BenchKernel outside its enum");
}

namespace {

constexpr int kFloorRounds = 7;
constexpr u64 kTurns = 1'000'000, kLoops = 2000;
/// Larger than the caches of most processors.
constexpr std::size_t kFillBytes = std::size_t{512} << 20;

/// Units a second in the fastest round: what else the machine does only slows a round down.
template <class Round>
double best_rate(double units, const Round& round) {
  double least = 0;
  for (int k = 0; k < kFloorRounds; ++k) {
    const Stopwatch watch;
    round();
    const double ms = watch.ms();
    if (k == 0 || ms < least) least = ms;
  }
  return units / (1e-3 * std::max(least, 1e-6));
}

double lane_rate(u32 threads) {
  std::vector<float> ones(threads * std::size_t{16});  // a cache line each
  const auto round = [&] {
    on_threads(threads, [&](u32 thread) { ones[thread * std::size_t{16}] = multiply_adds(kTurns); });
  };
  return best_rate(static_cast<double>(kTurns) * threads * lanes_a_turn(), round);
}

double fill_rate(u32 threads, std::size_t bytes) {
  AlignedVector<float> memory(bytes / sizeof(float));
  float* const to = memory.data();
  const std::size_t pieces = memory.size() / 16;
  const auto round = [&] {
    on_threads(threads, [&](u32 thread) {
      const std::size_t begin = pieces * thread / threads, end = pieces * (thread + 1) / threads;
      stream_fill(to + begin * 16, (end - begin) * 16, 1.0f);
    });
  };
  return best_rate(static_cast<double>(bytes), round);
}

double loop_rate(u32 threads) {
  const auto round = [&] {
    for (u64 k = 0; k < kLoops; ++k) on_threads(threads, [](u32) {});
  };
  return best_rate(static_cast<double>(kLoops), round);
}

}  // namespace

Floors measure_floors(u32 threads) {
  require_memory(double{1u << 26}, "measuring what the processor does at most", "End other programs");
  const std::size_t bytes = std::min<std::size_t>(kFillBytes, available_memory() / 4 / 4096 * 4096);
  const std::string on = fmt::format("on {} thread{}", threads, threads == 1 ? "" : "s");
  Floors floors;
  floors.lanes = {lane_rate(threads), fmt::format("float32 multiply-adds in {} vectors {}", simd_target(), on)};
  floors.bytes = {fill_rate(threads, bytes), fmt::format("streaming stores to {} MiB {}", bytes >> 20, on)};
  floors.launches = {loop_rate(threads), fmt::format("parallel loops over nothing {}", on)};
  return floors;
}

// Bench kernel gasket: constant write, sum, and a step of life in either storage, on the gasket and its family.

namespace {

constexpr u8 kPoison = 0xA5;

/// What all forms share: a walk, and a loop over the places of the embedding that checks each by its coordinates.
class GasketCase : public BenchCase {
 public:
  explicit GasketCase(FractalWalk walk) : walk_(std::move(walk)), launch_(count_launch(walk_)) {}

  double run() final {
    poison();
    ran_ = true;
    const Stopwatch watch;
    work();
    return watch.ms();
  }
  BenchCheck check() final {
    const u64 wrong = ran_ ? faults() : work_items();
    return {wrong == 0, static_cast<double>(wrong) / static_cast<double>(work_items()), reference()};
  }
  u64 work_items() const final { return fractal_cells(walk_.shape, walk_.grid.levels); }
  u64 blocks_launched() const final { return launch_.launched; }
  u64 blocks_useful() const final { return launch_.useful; }
  u32 block() const final { return walk_.grid.block; }

 protected:
  const FractalWalk& walk() const { return walk_; }
  u64 places() const { return static_cast<u64>(embedded_cells(walk_.shape, walk_.grid.levels)); }

  /// Sums visit(cell, place, whether it belongs) over all places of the embedding.
  template <class Visit>
  u64 over_places(const Visit& visit) const {
    const u32 n = walk_.grid.side, layers = walk_.shape.dimensions() == 3 ? n : 1;
    u64 sum = 0, place = 0;
    for (u32 z = 0; z < layers; ++z) {
      for (u32 y = 0; y < n; ++y) {
        for (u32 x = 0; x < n; ++x, ++place) {
          const FractalCell cell{x, y, z};
          sum += visit(cell, place, walk_.shape.holds(cell, walk_.grid.levels));
        }
      }
    }
    return sum;
  }

  /// Random cells in compact order.
  std::vector<u8> random_cells(u64 seed) const {
    AutomatonSpec spec;
    spec.fractal.shape = walk_.shape;
    spec.levels = walk_.grid.levels;
    spec.seed = seed;
    return initial_cells(spec);
  }
  std::vector<u8> spread(const std::vector<u8>& compact) const {
    std::vector<u8> cells(places());
    spread_cells(walk_.shape, walk_.grid.levels, compact.data(), cells.data());
    return cells;
  }

 private:
  virtual void poison() = 0;
  virtual void work() = 0;
  virtual u64 faults() = 0;
  virtual const char* reference() const = 0;

  FractalWalk walk_;
  LaunchCounts launch_;
  bool ran_ = false;
};

class WriteCase final : public GasketCase {
 public:
  explicit WriteCase(FractalWalk walk_in) : GasketCase(std::move(walk_in)), cells_(places()) {}
  void corrupt_output() override { cells_.back() ^= 1; }
  u64 bytes() const override { return work_items(); }

 private:
  void poison() override { std::fill(cells_.begin(), cells_.end(), kPoison); }
  void work() override { write_cells(walk(), cells_.data()); }
  u64 faults() override {
    return over_places([&](const FractalCell&, u64 at, bool inside) { return cells_[at] != (inside ? 1 : kPoison); });
  }
  const char* reference() const override { return "every place by its own coordinates, all but cells untouched"; }

  std::vector<u8> cells_;
};

class SumCase final : public GasketCase {
 public:
  SumCase(FractalWalk walk_in, u64 seed) : GasketCase(std::move(walk_in)), cells_(spread(random_cells(seed))) {}
  void corrupt_output() override { ++sum_; }
  u64 bytes() const override { return work_items(); }

 private:
  void poison() override { sum_ = ~u64{0}; }
  void work() override { sum_ = sum_cells(walk(), cells_.data()); }
  u64 faults() override {
    const u64 wanted =
        over_places([&](const FractalCell&, u64 at, bool inside) { return inside ? cells_[at] : u8{0}; });
    return sum_ > wanted ? sum_ - wanted : wanted - sum_;
  }
  const char* reference() const override { return "the sum by a plain loop over all places"; }

  std::vector<u8> cells_;
  u64 sum_ = 0;
};

class StepCase final : public GasketCase {
 public:
  StepCase(FractalWalk walk_in, CellStorage storage, u64 seed)
      : GasketCase(std::move(walk_in)),
        storage_(storage),
        tile_(storage == CellStorage::compact ? compact_tile(walk().shape, walk().grid.inner) : CompactTile{}),
        now_(random_cells(seed)),
        plain_(spread(now_)) {
    if (storage_ == CellStorage::embedded) now_ = plain_;
    next_.resize(now_.size());
  }
  void corrupt_output() override { next_.back() ^= 1; }
  u64 bytes() const override { return 2 * work_items(); }

 private:
  void poison() override { std::fill(next_.begin(), next_.end(), kPoison); }
  void work() override {
    if (storage_ == CellStorage::compact) {
      step_compact(walk(), tile_, rule_, now_.data(), next_.data());
    } else {
      step_embedded(walk(), rule_, now_.data(), next_.data());
    }
  }
  u64 faults() override {
    const FractalShape& shape = walk().shape;
    const u32 n = walk().grid.side, levels = walk().grid.levels;
    const bool solid = shape.dimensions() == 3, compact = storage_ == CellStorage::compact;
    const u64 row = packed_width(shape.replicas(), levels);
    return over_places([&](const FractalCell& cell, u64 at, bool inside) -> u64 {
      if (!inside) return !compact && next_[at] != kPoison;
      u32 around = 0;
      for (u32 side = 0; side < (solid ? 27u : 9u); ++side) {
        const FractalCell other = neighbour_tile(cell, side, shape.dimensions());
        if (other == cell || other.x >= n || other.y >= n || other.z >= n) continue;
        around += plain_[other.x + n * (other.y + u64{n} * other.z)];
      }
      const PackedCell packed = shape.pack(cell, levels);
      return next_[compact ? packed.x + packed.y * row : at] != rule_.next(plain_[at], around);
    });
  }
  const char* reference() const override { return "every cell by a plain loop, and places without one untouched"; }

  CellStorage storage_;
  LifeRule rule_;
  CompactTile tile_;
  std::vector<u8> now_, plain_, next_;  ///< plain_: the state before the step, embedded
};

/// The form automaton of dummy: life on the triangle, from random cells of which a third live.
class TriangleLifeCase final : public WalkedCase<TriangleMapId> {
 public:
  TriangleLifeCase(const BenchSpec& spec, TriangleMapId map)
      : WalkedCase(spec, map, {}, Diagonal::with),
        now_(spread_triangle(first_triangle_cells(static_cast<u32>(spec.n), 1.0 / 3, spec.seed), walk_.grid.n)),
        next_(now_.size(), kPoison) {}

  double run() override {
    for (u64 i = 0; i < spec_.n; ++i)
      std::fill_n(next_.begin() + static_cast<i64>((i + 1) * stride() + 1), i + 1, kPoison);
    const Stopwatch watch;
    step_triangle(walk_, LifeRule{}, now_.data(), next_.data());
    return watch.ms();
  }

  BenchCheck check() override {
    u64 wrong = 0;
    for (u64 i = 0; i < spec_.n; ++i) {
      for (u64 j = 0; j <= i; ++j) {
        u32 living = 0;
        for (u64 r = i; r <= i + 2; ++r) {
          for (u64 c = j; c <= j + 2; ++c) living += now_[r * stride() + c];
        }
        const u64 own = (i + 1) * stride() + j + 1;
        wrong += next_[own] != (living == 3 || (living == 4 && now_[own] != 0));
      }
    }
    const u64 cells = triangular(spec_.n);
    return {wrong == 0, static_cast<double>(wrong) / static_cast<double>(cells), "every cell by a plain loop"};
  }

  void corrupt_output() override { next_[spec_.n * stride() + spec_.n] ^= 2; }
  /// Each cell of the triangle is read at least once, and written.
  u64 bytes() const override { return 2 * triangular(spec_.n); }

 private:
  u64 stride() const { return spec_.n + 2; }

  std::vector<u8> now_, next_;  ///< as step_triangle() has them
};

FractalWalk fractal_walk_of(const BenchSpec& spec, GasketMapId map, const Fractal& fractal) {
  const CellWork work{map, spec.placement, spec.block, spec.threads};
  if (work.placement == GasketPlacement::sectors) {
    throw ConfigError("--placement sectors is there on the cuda backend only; use subbox, lut or unroll.");
  }
  FractalGrid grid = fractal_grid(fractal, spec.n, spec.block);
  if (spec.block > 1024) {
    throw ConfigError(fmt::format("--block {} is too large for a tile of a fractal; use 1024 or less.", spec.block));
  }
  if (spec.form == BenchForm::compact) {
    AutomatonSpec whole;
    whole.fractal = fractal;
    whole.levels = grid.levels;
    whole.work = work;
    grid = check_automaton(whole);
  }
  const double arrays = spec.form == BenchForm::automaton || spec.form == BenchForm::compact ? 3 : 1;
  const double own = embedded_cells(fractal.shape, grid.levels);
  const auto bytes = [&](u64 n) {
    return arrays * own * std::pow(static_cast<double>(n) / static_cast<double>(spec.n), fractal.shape.dimensions());
  };
  u64 fits = largest_that_fits(bytes, available_memory()), side = 1;
  while (side * fractal.shape.scale() <= fits) side *= fractal.shape.scale();
  require_memory(arrays * own, fmt::format("the grid of {} at n = {}", fractal.name, spec.n),
                 size_hint("Use --n ", fits == 0 ? 0 : side, " or less"));
  return {fractal, grid, work};
}

}  // namespace

std::unique_ptr<BenchCase> make_life_bench(const BenchSpec& spec, TriangleMapId map) {
  const auto bytes = [](u64 n) { return 2.5 * static_cast<double>(n + 2) * static_cast<double>(n + 2); };
  require_memory(bytes(spec.n), fmt::format("two states of the automaton at n = {}", spec.n),
                 size_hint("Use --n ", largest_that_fits(bytes, available_memory()), " or less"));
  return std::make_unique<TriangleLifeCase>(spec, map);
}

std::unique_ptr<BenchCase> make_gasket_bench(const BenchSpec& given, const BenchSubject& subject,
                                             Communicator* /*ranks*/) {
  const Fractal fractal = open_fractal(given.fractal);
  BenchSpec spec = given;
  if (spec.block == 0) spec.block = default_fractal_block(fractal.shape, spec.n);
  FractalWalk walk = fractal_walk_of(spec, std::get<GasketMapId>(subject), fractal);
  if (spec.form == BenchForm::write) return std::make_unique<WriteCase>(std::move(walk));
  if (spec.form == BenchForm::reduce) return std::make_unique<SumCase>(std::move(walk), spec.seed);
  const auto storage = spec.form == BenchForm::compact ? CellStorage::compact : CellStorage::embedded;
  return std::make_unique<StepCase>(std::move(walk), storage, spec.seed);
}

}  // namespace tri::cpu
