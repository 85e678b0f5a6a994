// Bench kernels that yield no forces: over the triangle of pairs dummy, edm (distances) and collision, over the
// tetrahedron of triples dummy3.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "sim/base/error.hpp"
#include "sim/base/memory.hpp"
#include "sim/base/splitmix64.hpp"
#include "sim/cpu/bench/bench_cases.hpp"
#include "sim/cpu/kernels/body_store.hpp"
#include "sim/cpu/kernels/compute_kernels.hpp"
#include "sim/cpu/kernels/stopwatch.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cpu {
namespace {

__extension__ typedef unsigned __int128 WideUnsigned;

/// Thread sums a cache line apart, so that threads do not share one.
class CountPerThread {
 public:
  explicit CountPerThread(u32 threads) : counts_(threads * std::size_t{8}) {}
  u64& operator[](u32 thread) { return counts_[thread * std::size_t{8}]; }
  void clear() { std::fill(counts_.begin(), counts_.end(), 0); }
  u64 total() const {
    u64 sum = 0;
    for (std::size_t t = 0; t < counts_.size(); t += 8) sum += counts_[t];
    return sum;
  }

 private:
  std::vector<u64> counts_;
};

/// The map alone: every pair's coordinates are formed and summed, nothing is stored.
class DummyCase final : public WalkedCase<TriangleMapId> {
 public:
  explicit DummyCase(const BenchSpec& spec) : WalkedCase(spec, triangle_walk(spec)), sums_(walk_.threads) {}

  double run() override {
    sums_.clear();
    result_ = ~u64{0};
    const Stopwatch watch;
    for_each_tile(walk_.map, walk_.grid, walk_.threads, [&](u32 thread, Tile2 tile) {
      const PairTile t = pair_tile(walk_.grid, tile);
      u64 sum = 0;
      for (u64 i = t.row0; i < t.row1; ++i) {
        const u64 end = t.diagonal ? i : t.col1;
        for (u64 j = t.col0; j < end; ++j) sum += (i + 1) * (j + 1);
      }
      sums_[thread] += sum;
    });
    result_ = sums_.total();
    return watch.ms();
  }

  /// sum over i > j of (i+1)(j+1) = ((sum k)^2 - sum k^2) / 2, modulo 2^64.
  BenchCheck check() override {
    const WideUnsigned n = spec_.n, sum = n * (n + 1) / 2, squares = n * (n + 1) * (2 * n + 1) / 6;
    const u64 expected = static_cast<u64>((sum * sum - squares) / 2);
    return {result_ == expected, result_ == expected ? 0.0 : 1.0, "closed form of the sum of (i+1)(j+1)"};
  }

  void corrupt_output() override { ++result_; }
  u64 work_items() const override { return triangular(spec_.n - 1); }

 private:
  CountPerThread sums_;
  u64 result_ = ~u64{0};  ///< no count is that large
};

/// The same for triples.
class Dummy3Case final : public WalkedCase<TetraMapId> {
 public:
  explicit Dummy3Case(const BenchSpec& spec) : WalkedCase(spec, tetra_walk(spec)), sums_(walk_.threads) {}

  double run() override {
    sums_.clear();
    result_ = ~u64{0};
    const Stopwatch watch;
    for_each_tile(walk_.map, walk_.grid, walk_.threads, [&](u32 thread, Tile3 tile) {
      const TripleTile t = triple_tile(walk_.grid, tile);
      u64 sum = 0;
      for (u64 k = t.z0; k < t.z1; ++k) {
        const u64 rows = t.y0 == t.z0 ? k : t.y1;
        for (u64 j = t.y0; j < rows; ++j) {
          const u64 columns = t.x0 == t.y0 ? j : t.x1;
          for (u64 i = t.x0; i < columns; ++i) sum += (i + 1) * (j + 1) * (k + 1);
        }
      }
      sums_[thread] += sum;
    });
    result_ = sums_.total();
    return watch.ms();
  }

  /// sum over i < j < k of (i+1)(j+1)(k+1) = ((sum k)^3 - 3 sum k sum k^2 + 2 sum k^3) / 6, modulo 2^64. 128 bits hold
  /// the cube to n = 2,900,000, which no cpu will finish.
  BenchCheck check() override {
    const WideUnsigned n = spec_.n, sum = n * (n + 1) / 2, squares = sum * (2 * n + 1) / 3;
    const u64 expected = static_cast<u64>((sum * sum * sum - 3 * sum * squares + 2 * sum * sum) / 6);
    return {result_ == expected, result_ == expected ? 0.0 : 1.0, "closed form of the sum of (i+1)(j+1)(k+1)"};
  }

  void corrupt_output() override { ++result_; }
  u64 work_items() const override { return spec_.n < 3 ? 0 : tetrahedral(spec_.n - 2); }

 private:
  CountPerThread sums_;
  u64 result_ = ~u64{0};
};

/// All distances in SciPy's condensed order.
template <class Real>
class DistanceCase final : public WalkedCase<TriangleMapId> {
 public:
  explicit DistanceCase(const BenchSpec& spec) : WalkedCase(spec, triangle_walk(spec)) {
    points_.n = static_cast<u32>(spec.n);
    points_.features = spec.features;
    points_.values.resize(spec.n * spec.features);
    SplitMix64 random{spec.seed};
    for (double& v : points_.values) v = random.uniform();
    round_to(spec.precision, points_.values);
    columns_ = features_first<Real>(points_);
    out_.resize(triangular(spec.n - 1));
  }

  double run() override {
    std::fill(out_.begin(), out_.end(), std::numeric_limits<Real>::quiet_NaN());
    const PointView<Real> view{columns_.data(), columns_.size() / points_.features, points_.n, points_.features};
    const Stopwatch watch;
    for_each_pair_tile(walk_.map, walk_.grid, walk_.threads, [&](u32, const PairTile& tile) {
      distance_tile(view, DistanceLayout::condensed, tile, out_.data());
    });
    return watch.ms();
  }

  /// Each distance against a scalar float64 loop in SciPy's order.
  BenchCheck check() override {
    const double tolerance = sizeof(Real) == 4 ? 1e-6 : 1e-14;
    std::vector<double> worst(spec_.threads, 0.0);
    on_threads(spec_.threads, [&](u32 thread) {
      for (u64 a = thread; a + 1 < spec_.n; a += spec_.threads) {
        worst[thread] = std::max(worst[thread], worst_in_row(a));
      }
    });
    const double max_error = *std::max_element(worst.begin(), worst.end());
    return {max_error <= tolerance, max_error, "every distance by a scalar float64 loop"};
  }

  void corrupt_output() override {
    if (!out_.empty()) out_.back() *= Real(1.001);
  }
  u64 work_items() const override { return out_.size(); }
  u64 bytes() const override { return (out_.size() + spec_.n * spec_.features) * sizeof(Real); }

 private:
  /// Infinity when any value is not a number.
  double worst_in_row(u64 a) const {
    const u32 features = points_.features;
    const Real* value = out_.data() + a * (2 * spec_.n - a - 1) / 2;
    double worst = 0;
    for (u64 b = a + 1; b < spec_.n; ++b, ++value) {
      double sum = 0;
      for (u32 f = 0; f < features; ++f) {
        const double d = points_.values[a * features + f] - points_.values[b * features + f];
        sum += d * d;
      }
      const double expected = std::sqrt(sum), error = std::fabs(static_cast<double>(*value) - expected);
      if (!(error == 0)) worst = std::max(worst, std::isnan(error) || expected == 0 ? HUGE_VAL : error / expected);
    }
    return worst;
  }

  PointSet points_;
  AlignedVector<Real> columns_;
  std::vector<Real> out_;
};

/// Counts overlapping pairs among spheres of different radii, about one contact a body.
template <class Real>
class CollisionCase final : public WalkedCase<TriangleMapId> {
 public:
  explicit CollisionCase(const BenchSpec& spec) : WalkedCase(spec, triangle_walk(spec)), counts_(walk_.threads) {
    SplitMix64 random{spec.seed};
    const double mean = 0.5 * std::cbrt(3.0 / (4.0 * 3.14159265358979 * static_cast<double>(spec.n)));
    Bodies bodies;
    for (u64 i = 0; i < spec.n; ++i) {
      const double x = random.uniform(), y = random.uniform(), z = random.uniform();
      bodies.add(x, y, z, 0, 0, 0, 1, mean * (0.5 + random.uniform()));
    }
    store_ = BodyStore<Real>(bodies);
  }

  double run() override {
    counts_.clear();
    result_ = ~u64{0};
    const BodyView<Real> view = store_.view();
    const Stopwatch watch;
    for_each_pair_tile(walk_.map, walk_.grid, walk_.threads,
                       [&](u32 thread, const PairTile& tile) { counts_[thread] += overlap_tile_count(view, tile); });
    result_ = counts_.total();
    return watch.ms();
  }

  BenchCheck check() override {
    if (expected_ == ~u64{0}) expected_ = count_by_cells();
    const double difference = std::fabs(static_cast<double>(result_) - static_cast<double>(expected_));
    return {result_ == expected_, difference / std::max(1.0, static_cast<double>(expected_)),
            "count by a grid of cells, scalar"};
  }

  void corrupt_output() override { ++result_; }
  u64 work_items() const override { return triangular(spec_.n - 1); }

 private:
  bool overlap(u32 i, u32 j) const {
    const Real dx = store_.x[j] - store_.x[i], dy = store_.y[j] - store_.y[i], dz = store_.z[j] - store_.z[i];
    const Real reach = store_.r[i] + store_.r[j];
    return (dx * dx + dy * dy) + dz * dz <= reach * reach;
  }

  /// Bodies sorted into cells at least as wide as the largest reach: partners stand in neighbouring cells.
  u64 count_by_cells() const {
    const double widest = 2.0 * static_cast<double>(*std::max_element(store_.r.begin(), store_.r.end()));
    const int side = std::clamp(static_cast<int>(0.999 / widest), 1, 256);
    const auto cell_of = [side](Real v) {
      return std::clamp(static_cast<int>(v * static_cast<Real>(side)), 0, side - 1);
    };
    std::vector<std::vector<u32>> cells(static_cast<std::size_t>(side) * side * side);
    const auto at = [&](int x, int y, int z) -> std::vector<u32>& {
      return cells[(static_cast<std::size_t>(z) * static_cast<std::size_t>(side) + static_cast<std::size_t>(y)) *
                       static_cast<std::size_t>(side) +
                   static_cast<std::size_t>(x)];
    };
    u64 count = 0;
    for (u32 i = 0; i < store_.n; ++i) {  // each body meets those that were sorted in before it
      const int cx = cell_of(store_.x[i]), cy = cell_of(store_.y[i]), cz = cell_of(store_.z[i]);
      for (int z = std::max(0, cz - 1); z <= std::min(side - 1, cz + 1); ++z) {
        for (int y = std::max(0, cy - 1); y <= std::min(side - 1, cy + 1); ++y) {
          for (int x = std::max(0, cx - 1); x <= std::min(side - 1, cx + 1); ++x) {
            for (u32 j : at(x, y, z)) count += overlap(i, j);
          }
        }
      }
      at(cx, cy, cz).push_back(i);
    }
    return count;
  }

  BodyStore<Real> store_;
  CountPerThread counts_;
  u64 result_ = ~u64{0};  ///< no count is that large
  u64 expected_ = ~u64{0};
};

}  // namespace

std::unique_ptr<BenchCase> make_dummy_bench(const BenchSpec& spec) { return std::make_unique<DummyCase>(spec); }

std::unique_ptr<BenchCase> make_dummy3_bench(const BenchSpec& spec) { return std::make_unique<Dummy3Case>(spec); }

std::unique_ptr<BenchCase> make_distance_bench(const BenchSpec& spec) {
  check_features(spec);
  const u64 real = spec.precision == Precision::fp32 ? 4 : 8;
  const auto bytes = [&](u64 n) {
    return static_cast<double>(triangular(n)) * static_cast<double>(real) +
           static_cast<double>(n * spec.features * (real + 8));
  };
  need_memory(bytes(spec.n), fmt::format("the output of the distances of {} points", spec.n),
              cure_by_size("Use --n ", largest_that_fits(bytes, available_memory()), " or less"));
  if (real == 4) return std::make_unique<DistanceCase<float>>(spec);
  return std::make_unique<DistanceCase<double>>(spec);
}

std::unique_ptr<BenchCase> make_collision_bench(const BenchSpec& spec) {
  if (spec.precision == Precision::fp32) return std::make_unique<CollisionCase<float>>(spec);
  return std::make_unique<CollisionCase<double>>(spec);
}

}  // namespace tri::cpu
