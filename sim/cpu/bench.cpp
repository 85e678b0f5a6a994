// Bench cases on the host: what all share, the floors of the device, the gasket, and forces with the plain loops that
// they are checked against.

#include "sim/cpu/bench.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "sim/backend/bench.hpp"
#include "sim/backend/engine.hpp"
#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/cpu/automaton.hpp"
#include "sim/cpu/body_store.hpp"
#include "sim/cpu/kernels.hpp"
#include "sim/cpu/tile_loop.hpp"
#include "sim/cpu/tree.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/model/bodies.hpp"

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
constexpr std::size_t kFillBytes = std::size_t{512} << 20;  ///< larger than the caches of most processors

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
    LoopProgress progress(u64{n} * layers);
    for (u32 z = 0; z < layers; ++z) {
      for (u32 y = 0; y < n; ++y) {
        progress.at(u64{z} * n + y);
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
    std::vector<u8> cells;
    assign_watched(cells, places());
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
  explicit WriteCase(FractalWalk walk_in) : GasketCase(std::move(walk_in)) { assign_watched(cells_, places()); }
  void corrupt_output() override { cells_.back() ^= 1; }
  u64 bytes() const override { return work_items(); }

 private:
  void poison() override { fill_watched<u8>(cells_, kPoison); }
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
    assign_watched(next_, now_.size());
  }
  void corrupt_output() override { next_.back() ^= 1; }
  u64 bytes() const override { return 2 * work_items(); }

 private:
  void poison() override { fill_watched<u8>(next_, kPoison); }
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
        now_(spread_triangle(first_triangle_cells(static_cast<u32>(spec.n), 1.0 / 3, spec.seed), walk_.grid.n)) {
    assign_watched(next_, now_.size(), kPoison);
  }

  double run() override {
    fill_watched<u8>(next_, kPoison);
    const Stopwatch watch;
    step_triangle(walk_, LifeRule{}, now_.data(), next_.data());
    return watch.ms();
  }

  BenchCheck check() override {
    u64 wrong = 0;
    LoopProgress progress(spec_.n);
    for (u64 i = 0; i < spec_.n; ++i) {
      progress.at(i);
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

// Plain loops, the ones a programmer writes first: scalar float64, one thread, no tiles, no vectors, Newton's third law
// by i < j (< k). They are the baseline of speed-ups (Baseline::plain) and the reference of bench results.

using PlainForces = TypedSums;

/// Accelerations by softened gravity, G = 1.
PlainForces plain_gravity(const Bodies& b, double softening) {
  const std::size_t n = b.size();
  PlainForces a{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  const double eps2 = softening * softening;
  LoopProgress progress(n);
  for (std::size_t i = 0; i < n; progress.at(++i)) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const double dx = b.x[j] - b.x[i], dy = b.y[j] - b.y[i], dz = b.z[j] - b.z[i];
      const double r2 = dx * dx + dy * dy + dz * dz + eps2;
      const double inv3 = 1.0 / (r2 * std::sqrt(r2));
      const double si = b.m[j] * inv3, sj = b.m[i] * inv3;
      a.x[i] += si * dx, a.y[i] += si * dy, a.z[i] += si * dz;
      a.x[j] -= sj * dx, a.y[j] -= sj * dy, a.z[j] -= sj * dz;
    }
  }
  return a;
}

/// Forces by Axilrod and Teller's potential, in the form with powers of Q = abc (see laws/axilrod_teller.hpp).
PlainForces plain_axilrod_teller(const Bodies& p, double nu) {
  const std::size_t n = p.size();
  PlainForces f{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  LoopProgress progress(n);
  for (std::size_t i = 0; i < n; progress.at(++i)) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const double ijx = p.x[i] - p.x[j], ijy = p.y[i] - p.y[j], ijz = p.z[i] - p.z[j];
      const double a = ijx * ijx + ijy * ijy + ijz * ijz;
      for (std::size_t k = j + 1; k < n; ++k) {
        const double jkx = p.x[j] - p.x[k], jky = p.y[j] - p.y[k], jkz = p.z[j] - p.z[k];
        const double kix = p.x[k] - p.x[i], kiy = p.y[k] - p.y[i], kiz = p.z[k] - p.z[i];
        const double b = jkx * jkx + jky * jky + jkz * jkz, c = kix * kix + kiy * kiy + kiz * kiz;
        const double u = a + b - c, v = b + c - a, w = c + a - b;
        const double q = a * b * c, q52 = 1.0 / (q * q * std::sqrt(q)), q72 = q52 / q;
        const double s = 2.5 * u * v * w * q72;
        const double ea = nu * (-1.5 * q52 * b * c + 0.375 * ((v * w - u * w + u * v) * q52 - s * b * c));
        const double eb = nu * (-1.5 * q52 * c * a + 0.375 * ((v * w + u * w - u * v) * q52 - s * c * a));
        const double ec = nu * (-1.5 * q52 * a * b + 0.375 * ((u * w - v * w + u * v) * q52 - s * a * b));
        f.x[i] -= 2 * (ea * ijx - ec * kix), f.y[i] -= 2 * (ea * ijy - ec * kiy), f.z[i] -= 2 * (ea * ijz - ec * kiz);
        f.x[j] -= 2 * (eb * jkx - ea * ijx), f.y[j] -= 2 * (eb * jky - ea * ijy), f.z[j] -= 2 * (eb * jkz - ea * ijz);
        f.x[k] -= 2 * (ec * kix - eb * jkx), f.y[k] -= 2 * (ec * kiy - eb * jky), f.z[k] -= 2 * (ec * kiz - eb * jkz);
      }
    }
  }
  return f;
}

// Bench kernels gravity and triplet, on maps and as the plain loop that is their baseline.
//
// The check. Up to kPlainLimit bodies, every component of every body is compared with the plain float64 loop on the
// same rounded data, relative to the rms force. Beyond, where that loop would take minutes, sums over the whole output
// decide: the total force is zero, and sum r.F equals the virial that other kernels compute in float64 (for triples:
// nine times the energy).

namespace {

/// MapId says which kernel: gravity meets pairs, triplet triples.
template <class MapId>
constexpr bool kPairs = std::is_same_v<MapId, TriangleMapId>;
template <class MapId>
constexpr u64 kPlainLimit = kPairs<MapId> ? 40000 : 1100;
/// An exact map, on which the plain loop is checked.
constexpr TriangleMapId exact_map(TriangleMapId) { return TriangleMapId::lambda; }
constexpr TetraMapId exact_map(TetraMapId) { return TetraMapId::tetra; }

template <class Real>
void sum_forces(ForceSums& sums, const ForceField& field, const BodyView<Real>& bodies, const Walk<TriangleMapId>& walk,
                Accumulate accumulate) {
  sums.add_pairs(field, bodies, walk, accumulate);
}
template <class Real>
void sum_forces(ForceSums& sums, const ForceField& field, const BodyView<Real>& bodies, const Walk<TetraMapId>& walk,
                Accumulate accumulate) {
  sums.add_triples(field, bodies, walk, accumulate);
}

template <class MapId>
PlainForces plain_forces(const Bodies& bodies) {
  return kPairs<MapId> ? plain_gravity(bodies, kBenchSoftening)
                       : plain_axilrod_teller(bodies, AxilrodTellerParams{}.nu);
}

/// The plain loop's forces for a spec's data, computed once for all maps and tile sides of a bench.
template <class MapId>
const PlainForces& expected_forces(const BenchSpec& spec, const Bodies& bodies) {
  static std::mutex mutex;
  static std::map<std::tuple<u64, Precision, u64>, PlainForces> known;
  const std::lock_guard lock(mutex);
  const std::tuple key(spec.n, spec.precision, spec.seed);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  return known.emplace(key, plain_forces<MapId>(bodies)).first->second;  // whole, or not at all
}

/// The identities that hold for the whole output; see the head of the file.
template <class MapId>
BenchCheck check_sums(const PlainForces& out, const Bodies& b, const BenchSpec& spec) {
  constexpr bool gravity = kPairs<MapId>;
  double fx = 0, fy = 0, fz = 0, size = 0, virial = 0, virial_size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double m = gravity ? b.m[i] : 1.0;
    fx += m * out.x[i], fy += m * out.y[i], fz += m * out.z[i];
    size += m * std::sqrt(out.x[i] * out.x[i] + out.y[i] * out.y[i] + out.z[i] * out.z[i]);
    const double r_dot_f = m * (b.x[i] * out.x[i] + b.y[i] * out.y[i] + b.z[i] * out.z[i]);
    virial += r_dot_f;
    virial_size += std::fabs(r_dot_f);
  }
  const ForceField field = force_bench_field(spec);
  const BodyStore<double> store(b);
  Ranks alone;
  const double expected = gravity ? pair_energy(field, store.view(), store.n, spec.threads, alone).virial
                                  : 9.0 * triple_energy(field, store.view(), store.n, spec.threads, alone).potential;
  const double total_error = std::sqrt(fx * fx + fy * fy + fz * fz) / size;
  const double virial_error = std::fabs(virial - expected) / virial_size;
  const double worst = std::max(total_error, virial_error);
  return {worst <= (spec.precision == Precision::fp32 ? 1e-5 : 1e-11), worst,
          gravity ? "total force 0, sum r.F in float64" : "total force 0, sum r.F = 9 E in float64"};
}

template <class Real, class MapId>
class ForceCase final : public WalkedCase<MapId> {
 public:
  ForceCase(const BenchSpec& spec, MapId map, Communicator* ranks)
      : WalkedCase<MapId>(spec, map, Ranks(ranks).share()),
        field_(force_bench_field(spec)),
        bodies_(force_bench_bodies(spec)),
        store_(bodies_),
        sums_(ranks),
        by_tree_(spec.pairs == BenchPairs::tree) {}

  double run() override {
    for (auto* a : {&sums_.x, &sums_.y, &sums_.z}) std::fill(a->begin(), a->end(), std::nan(""));
    largest(0);  // all ranks begin together
    const Stopwatch watch;
    sum();
    const double ms = watch.ms();
    ran_ = true;
    return ms;
  }

  u64 run_for(double seconds) override {
    const Stopwatch watch;
    u64 times = 0;
    do {
      run();
      ++times;
    } while (largest(watch.ms() < 1e3 * seconds ? 1 : 0) != 0);
    return times;
  }

  BenchCheck check() override {
    const BenchSpec& spec = this->spec_;
    if (!ran_) return {false, 0, "nothing was run"};
    if (!spec.law.empty()) {
      return typed_check(typed_errors(field_, bodies_, {sums_.x, sums_.y, sums_.z}), spec.precision);
    }
    const PlainForces out{sums_.x, sums_.y, sums_.z};
    if (by_tree_) return check_tree(out);
    if (spec.n > kPlainLimit<MapId>) return check_sums<MapId>(out, bodies_, spec);
    return force_check(force_errors(out, expected_forces<MapId>(spec, bodies_)), spec.n, spec.precision,
                       "every component by the plain float64 loop");
  }

  std::optional<TreeWork> tree() const override { return tree_; }

  void corrupt_output() override {
    // By the rms of its axis: the value of a single body may be next to nothing.
    double square = 0;
    for (double v : sums_.y) square += v * v;
    if (ran_) sums_.y.back() += std::sqrt(square / static_cast<double>(sums_.y.size())) + 1e-300;
  }

 private:
  void sum() {
    const BenchSpec& spec = this->spec_;
    if constexpr (kPairs<MapId>) {
      if (by_tree_) {
        const TreeWalk walk{this->walk_.map, this->walk_.threads, tree_tolerance(tree_config(spec, this->walk_.map))};
        const TreeCounts met = add_tree(field_, store_.view(), store_.n, walk, spec.accumulate, sums_);
        tree_ = TreeWork{met.near, std::accumulate(met.series.begin(), met.series.end(), u64{0})};
        return;
      }
    }
    sum_forces(sums_, field_, store_.view(), this->walk_, spec.accumulate);
  }

  BenchCheck check_tree(const PlainForces& out) const {
    const BenchSpec& spec = this->spec_;
    if (spec.n <= kPlainLimit<MapId>) {
      return tree_check(force_errors(out, expected_forces<MapId>(spec, bodies_)), spec,
                        "the rms of every component by the plain float64 loop");
    }
    u64 sampled = 0;
    return tree_check(sampled_errors(out, bodies_, field_.gravity, &sampled), spec,
                      "the rms of a thousand bodies by all pairs in float64");
  }

  /// The largest number of any rank, once all have come here.
  u64 largest(u64 number) const {
    sums_.ranks().max({&number, 1});
    return number;
  }

  ForceField field_;
  Bodies bodies_;
  BodyStore<Real> store_;
  ForceSums sums_;
  bool by_tree_;
  std::optional<TreeWork> tree_;
  bool ran_ = false;
};

/// The plain loop itself, on one thread and without a map; precision rounds the data only.
template <class MapId>
class PlainCase final : public BenchCase {
 public:
  explicit PlainCase(const BenchSpec& spec) : spec_(spec), bodies_(force_bench_bodies(spec)) {}

  double run() override {
    const Stopwatch watch;
    out_ = plain_forces<MapId>(bodies_);
    return watch.ms();
  }

  /// Against the SIMD kernels in float64, which share no code with the loop.
  BenchCheck check() override {
    if (out_.x.empty()) return {false, 0, "nothing was run"};
    const BodyStore<double> store(bodies_);
    ForceSums sums;
    sum_forces(sums, force_bench_field(spec_), store.view(), walk_of(spec_, exact_map(MapId{})), Accumulate::fast);
    return force_check(force_errors(out_, {sums.x, sums.y, sums.z}), spec_.n, Precision::fp64,
                       "every component by the SIMD kernel in float64");
  }

  void corrupt_output() override {
    if (!out_.x.empty()) out_.y.back() += 1e-6 * std::fabs(out_.y.back()) + 1e-300;
  }
  u64 work_items() const override { return item_count(spec_); }
  u64 blocks_launched() const override { return 1; }
  u64 blocks_useful() const override { return 1; }
  u32 block() const override { return static_cast<u32>(spec_.n); }

 private:
  BenchSpec spec_;
  Bodies bodies_;
  PlainForces out_;
};

template <class MapId>
std::unique_ptr<BenchCase> make_force_case(const BenchSpec& spec, const BenchSubject& subject, Communicator* ranks) {
  if (std::holds_alternative<Baseline>(subject)) {
    if (!spec.law.empty())
      throw ConfigError("--map plain knows the built-in laws; leave it out, or leave out the law.");
    return std::make_unique<PlainCase<MapId>>(spec);
  }
  const MapId map = std::get<MapId>(subject);
  if (spec.precision == Precision::fp32) return std::make_unique<ForceCase<float, MapId>>(spec, map, ranks);
  return std::make_unique<ForceCase<double, MapId>>(spec, map, ranks);
}

}  // namespace

std::unique_ptr<BenchCase> make_gravity_bench(const BenchSpec& spec, const BenchSubject& subject, Communicator* ranks) {
  if (spec.arithmetic == BenchArithmetic::tensor) refuse_tensor("cpu");
  const auto* const map = std::get_if<TriangleMapId>(&subject);
  if (spec.pairs == BenchPairs::all || map == nullptr) return make_force_case<TriangleMapId>(spec, subject, ranks);
  check_tree(spec, *map);
  BenchSpec of_squares = spec;
  of_squares.block = tree::kLeaf * tree::kSquareLeaves;  // what the map visits
  return make_force_case<TriangleMapId>(of_squares, subject, ranks);
}

std::unique_ptr<BenchCase> make_triplet_bench(const BenchSpec& spec, const BenchSubject& subject, Communicator* ranks) {
  if (spec.arithmetic == BenchArithmetic::tensor) refuse_tensor("cpu");
  return make_force_case<TetraMapId>(spec, subject, ranks);
}

}  // namespace tri::cpu
