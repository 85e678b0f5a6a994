// The bench kernels dummy, edm (distances) and collision, over the triangle of pairs, and dummy3, over the tetrahedron
// of triples.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "sim/backend/bench.hpp"
#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/cpu/bench.hpp"
#include "sim/cpu/body_store.hpp"
#include "sim/cpu/kernels.hpp"
#include "sim/cpu/tile_loop.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/triangle_blocks.hpp"
#include "sim/model/bodies.hpp"

namespace tri::cpu {
namespace {

__extension__ typedef unsigned __int128 WideUnsigned;

constexpr u64 kNoCount = ~u64{0};

/// A kernel whose result is one number, summed over the threads.
template <class MapId>
class CountedCase : public WalkedCase<MapId> {
 public:
  using WalkedCase<MapId>::WalkedCase;

  double run() final {
    // One sum a cache line, so that threads do not share one.
    std::vector<u64> sums(this->walk_.threads * std::size_t{8});
    result_ = kNoCount;
    const Stopwatch watch;
    walk([&](u32 thread, u64 sum) { sums[thread * std::size_t{8}] += sum; });
    result_ = std::accumulate(sums.begin(), sums.end(), u64{0});
    return watch.ms();
  }
  void corrupt_output() final { ++result_; }

 protected:
  u64 result() const { return result_; }

 private:
  /// Calls add(thread, sum) for each tile.
  virtual void walk(FunctionRef<void(u32, u64)> add) = 0;

  u64 result_ = kNoCount;
};

/// Sum of (i + 1)(j + 1) over the tile's pairs i > j.
u64 product_sum(const TileGrid& grid, Tile2 tile) {
  const PairTile t = pair_tile(grid, tile);
  u64 sum = 0;
  for (u64 i = t.row0; i < t.row1; ++i) {
    const u64 end = t.diagonal ? i : t.col1;
    for (u64 j = t.col0; j < end; ++j) sum += (i + 1) * (j + 1);
  }
  return sum;
}

/// Sum of (i + 1)(j + 1)(k + 1) over the tile's triples i < j < k.
u64 product_sum(const TileGrid& grid, Tile3 tile) {
  const TripleTile t = triple_tile(grid, tile);
  u64 sum = 0;
  for (u64 k = t.z0; k < t.z1; ++k) {
    const u64 rows = t.y0 == t.z0 ? k : t.y1;
    for (u64 j = t.y0; j < rows; ++j) {
      const u64 columns = t.x0 == t.y0 ? j : t.x1;
      for (u64 i = t.x0; i < columns; ++i) sum += (i + 1) * (j + 1) * (k + 1);
    }
  }
  return sum;
}

/// The map alone: the coordinates of each pair or triple are formed and summed, nothing is stored.
template <class MapId>
class DummyCase final : public CountedCase<MapId> {
 public:
  using CountedCase<MapId>::CountedCase;

  /// With p1, p2, p3 the power sums of 1..n, modulo 2^64: pairs (p1^2 - p2) / 2, triples (p1^3 - 3 p1 p2 + 2 p3) / 6.
  /// 128 bits hold the cube to n = 2,900,000, which no cpu will finish.
  BenchCheck check() override {
    const WideUnsigned n = this->spec_.n, p1 = n * (n + 1) / 2, p2 = p1 * (2 * n + 1) / 3, p3 = p1 * p1;
    const auto expected = static_cast<u64>(kPairs ? (p1 * p1 - p2) / 2 : (p1 * p1 * p1 - 3 * p1 * p2 + 2 * p3) / 6);
    const bool right = this->result() == expected;
    return {right, right ? 0.0 : 1.0,
            kPairs ? "closed form of the sum of (i+1)(j+1)" : "closed form of the sum of (i+1)(j+1)(k+1)"};
  }

 private:
  static constexpr bool kPairs = std::is_same_v<MapId, TriangleMapId>;
  using Tile = std::conditional_t<kPairs, Tile2, Tile3>;

  void walk(FunctionRef<void(u32, u64)> add) override {
    const auto& [map, grid, threads] = this->walk_;
    for_each_tile(map, grid, threads, [&](u32 thread, Tile tile) { add(thread, product_sum(this->walk_.grid, tile)); });
  }
};

/// visit(i, j) or visit(i, j, k) for the elements of a tile, as the forms beside hold count them: with the diagonals.
template <class Visit>
void for_each_element(const TileGrid& grid, Tile2 tile, const Visit& visit) {
  const PairTile t = pair_tile(grid, tile);
  for (u64 i = t.row0; i < t.row1; ++i) {
    const u64 end = t.diagonal ? i + 1 : t.col1;
    for (u64 j = t.col0; j < end; ++j) visit(i, j);
  }
}
template <class Visit>
void for_each_element(const TileGrid& grid, Tile3 tile, const Visit& visit) {
  const TripleTile t = triple_tile(grid, tile);
  for (u64 k = t.z0; k < t.z1; ++k) {
    const u64 rows = t.y0 == t.z0 ? k + 1 : t.y1;
    for (u64 j = t.y0; j < rows; ++j) {
      const u64 columns = t.x0 == t.y0 ? j + 1 : t.x1;
      for (u64 i = t.x0; i < columns; ++i) visit(i, j, k);
    }
  }
}

/// All of them, without a map.
template <class MapId, class Visit>
void for_each_element(u64 n, const Visit& visit) {
  LoopProgress progress(n);
  for (u64 row = 0; row < n; ++row) {
    progress.at(row);
    for (u64 j = 0; j <= row; ++j) {
      if constexpr (std::is_same_v<MapId, TriangleMapId>) {
        visit(row, j);
      } else {
        for (u64 i = 0; i <= j; ++i) visit(i, j, row);
      }
    }
  }
}

/// What the forms store and write share: elements with the diagonals, also of maps in thread space.
template <class MapId>
class ElementCase : public WalkedCase<MapId> {
 public:
  ElementCase(const BenchSpec& spec, MapId map) : WalkedCase<MapId>(spec, map, {}, Diagonal::with) {}

 protected:
  using Tile = std::conditional_t<std::is_same_v<MapId, TriangleMapId>, Tile2, Tile3>;

  /// visit(thread, i, j) or (thread, i, j, k).
  template <class Visit>
  void walk(const Visit& visit) {
    const auto& [map, grid, threads] = this->walk_;
    for_each_tile(map, grid, threads, [&](u32 thread, Tile tile) {
      for_each_element(this->walk_.grid, tile, [&](auto... at) { visit(thread, at...); });
    });
  }
};

/// Words of memory that the form store writes to, for each thread.
constexpr u64 kStoreSlots = u64{1} << 20;
constexpr u64 slot_of(u64 i, u64 j) { return (j + i * 1024) & (kStoreSlots - 1); }
constexpr u64 slot_of(u64 i, u64 j, u64 k) { return (i + j * 32 + k * 1024) & (kStoreSlots - 1); }

/// Each element stores the sum of its coordinates at a place that depends on all of them; the last one stays.
template <class MapId>
class StoreCase final : public ElementCase<MapId> {
 public:
  StoreCase(const BenchSpec& spec, MapId map)
      : ElementCase<MapId>(spec, map), slots_(this->walk_.threads, std::vector<u32>(kStoreSlots)) {}

  double run() override {
    for (std::vector<u32>& slots : slots_) std::fill(slots.begin(), slots.end(), kUntouched);
    const Stopwatch watch;
    this->walk([&](u32 thread, auto... at) { slots_[thread][slot_of(at...)] = static_cast<u32>((at + ...)); });
    return watch.ms();
  }

  /// A slot is touched if an element has it, and holds a sum between the least and the largest of those.
  BenchCheck check() override {
    if (least_.empty()) {
      least_.assign(kStoreSlots, kUntouched), largest_.assign(kStoreSlots, 0);
      for_each_element<MapId>(this->spec_.n, [&](auto... at) {
        const u64 slot = slot_of(at...);
        const u32 word = static_cast<u32>((at + ...));
        least_[slot] = std::min(least_[slot], word), largest_[slot] = std::max(largest_[slot], word);
      });
    }
    u64 faults = 0;
    for (u64 slot = 0; slot < kStoreSlots; ++slot) {
      bool touched = false;
      for (const std::vector<u32>& slots : slots_) {
        if (slots[slot] == kUntouched) continue;
        touched = true;
        faults += slots[slot] < least_[slot] || slots[slot] > largest_[slot];
      }
      faults += touched != (least_[slot] != kUntouched);
    }
    return {faults == 0, static_cast<double>(faults) / kStoreSlots, "the slots of all elements by a plain loop"};
  }

  void corrupt_output() override { slots_[0].back() = kUntouched - 1; }

 private:
  static constexpr u32 kUntouched = ~u32{0};

  std::vector<std::vector<u32>> slots_;  ///< of each thread
  std::vector<u32> least_, largest_;     ///< [kStoreSlots], by a plain loop
};

/// The form write: each cell counts how often its element was met.
template <class MapId>
class CountCellsCase final : public ElementCase<MapId> {
 public:
  CountCellsCase(const BenchSpec& spec, MapId map) : ElementCase<MapId>(spec, map) {
    assign_watched(cells_, data_bytes(spec) / 4);
  }

  double run() override {
    fill_watched<u32>(cells_, 0);
    const Stopwatch watch;
    this->walk([&](u32, auto... at) { ++cells_[index_of(at...)]; });
    return watch.ms();
  }
  BenchCheck check() override {
    u64 wrong = 0, done = 0;
    LoopProgress progress(cells_.size());
    for (const u32 met : cells_) progress.at(++done), wrong += met != 1;
    return {wrong == 0, static_cast<double>(wrong) / static_cast<double>(cells_.size()),
            "every cell met once, none missed"};
  }
  void corrupt_output() override { ++cells_.back(); }
  /// Each cell is read and written.
  u64 bytes() const override { return 2 * data_bytes(this->spec_); }

 private:
  static u64 index_of(u64 i, u64 j) { return triangular_of_row(static_cast<u32>(i)) + j; }
  static u64 index_of(u64 i, u64 j, u64 k) {
    return tetrahedral_of_layer(static_cast<u32>(k)) + triangular_of_row(static_cast<u32>(j)) + i;
  }

  std::vector<u32> cells_;
};

/// All distances, in the order of the layout.
template <class Real>
class DistanceCase final : public WalkedCase<TriangleMapId> {
 public:
  DistanceCase(const BenchSpec& spec, TriangleMapId map)
      : WalkedCase(spec, map, {}, spec.layout == DistanceLayout::condensed ? Diagonal::without : Diagonal::with),
        points_(distance_bench_points(spec)),
        columns_(features_first<Real>(points_)) {
    assign_watched(out_, distance_count(spec.n, spec.layout));
  }

  double run() override {
    fill_watched<Real>(out_, std::numeric_limits<Real>::quiet_NaN());
    const PointView<Real> view{columns_.data(), columns_.size() / points_.features, points_.n, points_.features};
    const Stopwatch watch;
    for_each_pair_tile(walk_.map, walk_.grid, walk_.threads, [&](u32, const PairTile& tile) {
      distance_tile(view, spec_.layout, tile, {out_.data(), 0});
    });
    return watch.ms();
  }

  /// Each distance against a scalar float64 loop in the layout's order.
  BenchCheck check() override {
    const double tolerance = sizeof(Real) == 4 ? 1e-6 : 1e-14;
    std::vector<double> worst(spec_.threads, 0.0);
    WalkReport report(spec_.n);
    on_threads(spec_.threads, [&](u32 thread) {
      for (u64 a = thread; a < spec_.n && report.keep_going(thread, a); a += spec_.threads) {
        worst[thread] = std::max(worst[thread], worst_in_row(a));
      }
    });
    const double max_error = *std::max_element(worst.begin(), worst.end());
    return {max_error <= tolerance, max_error, "every distance by a scalar float64 loop"};
  }

  void corrupt_output() override {
    if (out_.empty()) return;
    Real& last = is_blocks() ? out_[blocks_index(points_.n - 1, points_.n - 1, kDistanceBlock)] : out_.back();
    last = last * Real(1.001) + Real(1e-3);
  }
  u64 bytes() const override { return data_bytes(spec_); }

 private:
  bool is_blocks() const { return spec_.layout == DistanceLayout::blocks; }

  /// Infinity when any value is not a number.
  double worst_in_row(u64 a) const {
    const u32 features = points_.features, row = static_cast<u32>(a);
    const Real* value = is_blocks() ? nullptr : out_.data() + distance_row_begin(spec_.n, spec_.layout, a);
    const u64 first = spec_.layout == DistanceLayout::condensed ? a + 1 : 0;
    u64 end = spec_.layout == DistanceLayout::lower ? a + 1 : spec_.n;
    if (is_blocks()) end = std::min<u64>(end, (a / kDistanceBlock + 1) * kDistanceBlock);
    double worst = 0;
    for (u64 b = first; b < end; ++b, ++value) {
      if (is_blocks()) value = &out_[blocks_index(row, static_cast<u32>(b), kDistanceBlock)];
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

/// Counts overlapping pairs among spheres, or intervals, of different radii, about one contact a body.
template <class Real>
class CollisionCase final : public CountedCase<TriangleMapId> {
 public:
  CollisionCase(const BenchSpec& spec, TriangleMapId map)
      : CountedCase(spec, map), store_(collision_bench_bodies(spec)) {}

  BenchCheck check() override {
    if (expected_ == kNoCount) expected_ = count_by_cells();
    const double difference = std::fabs(static_cast<double>(result()) - static_cast<double>(expected_));
    return {result() == expected_, difference / std::max(1.0, static_cast<double>(expected_)),
            "count by a grid of cells, scalar"};
  }

 private:
  void walk(FunctionRef<void(u32, u64)> add) override {
    const BodyView<Real> view = store_.view();
    for_each_pair_tile(walk_.map, walk_.grid, walk_.threads,
                       [&](u32 thread, const PairTile& tile) { add(thread, overlap_tile_count(view, tile, flat())); });
  }

  bool flat() const { return spec_.dimensions == 1; }

  bool overlap(u32 i, u32 j) const {
    const Real dx = store_.x[j] - store_.x[i], dy = store_.y[j] - store_.y[i], dz = store_.z[j] - store_.z[i];
    const Real reach = store_.r[i] + store_.r[j];
    if (flat()) return std::fabs(dx) <= reach;
    return (dx * dx + dy * dy) + dz * dz <= reach * reach;
  }

  /// Bodies sorted into cells at least as wide as the largest reach: partners lie in neighbouring cells.
  u64 count_by_cells() const {
    const double widest = 2.0 * static_cast<double>(*std::max_element(store_.r.begin(), store_.r.end()));
    const int side = std::clamp(static_cast<int>(0.999 / widest), 1, 256), layers = flat() ? 1 : side;
    const auto cell_of = [side](Real v) {
      return std::clamp(static_cast<int>(v * static_cast<Real>(side)), 0, side - 1);
    };
    std::vector<std::vector<u32>> cells(static_cast<std::size_t>(side) * layers * layers);
    const auto at = [&](int x, int y, int z) -> std::vector<u32>& {
      return cells[(static_cast<std::size_t>(z) * static_cast<std::size_t>(side) + static_cast<std::size_t>(y)) *
                       static_cast<std::size_t>(side) +
                   static_cast<std::size_t>(x)];
    };
    u64 count = 0;
    LoopProgress progress(store_.n);
    for (u32 i = 0; i < store_.n; ++i) {  // each body meets those sorted in before it
      progress.at(i);
      const int cx = cell_of(store_.x[i]), cy = flat() ? 0 : cell_of(store_.y[i]),
                cz = flat() ? 0 : cell_of(store_.z[i]);
      for (int z = std::max(0, cz - 1); z <= std::min(layers - 1, cz + 1); ++z) {
        for (int y = std::max(0, cy - 1); y <= std::min(layers - 1, cy + 1); ++y) {
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
  u64 expected_ = kNoCount;
};

template <class MapId>
std::unique_ptr<BenchCase> make_dummy(const BenchSpec& spec, const BenchSubject& subject) {
  const MapId map = std::get<MapId>(subject);
  if (spec.form == BenchForm::hold) return std::make_unique<DummyCase<MapId>>(spec, map);
  const auto bytes = [&](u64 n) {
    BenchSpec at = spec;
    at.n = n;
    const double scratch = spec.form == BenchForm::store ? 4.0 * kStoreSlots * (spec.threads + 2) : 0;
    return static_cast<double>(data_bytes(at)) + scratch;
  };
  require_memory(bytes(spec.n), fmt::format("the data of form {} at n = {}", to_string(spec.form), spec.n),
                 size_hint("Use --n ", largest_that_fits(bytes, available_memory()), " or less"));
  if (spec.form == BenchForm::store) return std::make_unique<StoreCase<MapId>>(spec, map);
  return std::make_unique<CountCellsCase<MapId>>(spec, map);
}

/// fp32 or fp64, by the spec.
template <template <class Real> class Case>
std::unique_ptr<BenchCase> make_pair_case(const BenchSpec& spec, const BenchSubject& subject) {
  const auto map = std::get<TriangleMapId>(subject);
  if (spec.precision == Precision::fp32) return std::make_unique<Case<float>>(spec, map);
  return std::make_unique<Case<double>>(spec, map);
}

}  // namespace

std::unique_ptr<BenchCase> make_dummy_bench(const BenchSpec& spec, const BenchSubject& subject,
                                            Communicator* /*ranks*/) {
  if (spec.form == BenchForm::automaton) return make_life_bench(spec, std::get<TriangleMapId>(subject));
  return make_dummy<TriangleMapId>(spec, subject);
}

std::unique_ptr<BenchCase> make_dummy3_bench(const BenchSpec& spec, const BenchSubject& subject,
                                             Communicator* /*ranks*/) {
  if (spec.form == BenchForm::automaton) {
    throw ConfigError("--form automaton lives on the triangle; --kernel dummy3 takes hold, store or write.");
  }
  return make_dummy<TetraMapId>(spec, subject);
}

std::unique_ptr<BenchCase> make_edm_bench(const BenchSpec& given, const BenchSubject& subject,
                                          Communicator* /*ranks*/) {
  BenchSpec spec = given;
  check_features(spec);
  if (spec.block == 0) spec.block = default_distance_block(spec.n);
  const u64 real = spec.precision == Precision::fp32 ? 4 : 8;
  const auto bytes = [&](u64 n) {
    return static_cast<double>(distance_count(n, spec.layout)) * static_cast<double>(real) +
           static_cast<double>(n * spec.features * (real + 8));
  };
  require_memory(bytes(spec.n), fmt::format("the output of the distances of {} points", spec.n),
                 size_hint("Use --n ", largest_that_fits(bytes, available_memory()), " or less"));
  return make_pair_case<DistanceCase>(spec, subject);
}

std::unique_ptr<BenchCase> make_collision_bench(const BenchSpec& spec, const BenchSubject& subject,
                                                Communicator* /*ranks*/) {
  if (spec.dimensions != 1 && spec.dimensions != 3) {
    throw ConfigError(fmt::format("collision has 1 or 3 dimensions, not {}.", spec.dimensions));
  }
  return make_pair_case<CollisionCase>(spec, subject);
}

}  // namespace tri::cpu
