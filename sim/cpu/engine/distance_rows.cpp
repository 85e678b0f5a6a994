// A block of rows is a trapezoid: the triangle of the pairs within it, along the map, and the rectangle of the pairs
// with points before it (lower) or after it (condensed; row i of the output is column i of a tile). In the square
// layout there is one on either side.
//
//     lower            condensed          square
//     .                 .######
//     ##. rows          |.#####  rows     ##.####  rows
//     ###.              |..####           ###.###
//     |  |.             |...|

#include "sim/cpu/engine/distance_rows.hpp"

#include <fmt/format.h>

#include "sim/base/clock.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/memory.hpp"
#include "sim/cpu/engine/cpu_engine.hpp"
#include "sim/cpu/kernels/body_store.hpp"
#include "sim/cpu/kernels/compute_kernels.hpp"
#include "sim/cpu/kernels/tile_loop.hpp"
#include "sim/cpu/kernels/tuning.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cpu {
namespace {

/// Fewer bytes are not compared with the free memory: to read how much that is takes longer than to compute them.
constexpr double kMinCompared = 64.0 * (1u << 20);

template <class Real>
class CpuDistanceRows final : public DistanceRows {
 public:
  CpuDistanceRows(const PointSet& points, DistanceLayout layout, const EngineConfig& config, u32 threads)
      : columns_(features_first<double>(points)),
        view_{columns_.data(), columns_.size() / points.features, points.n, points.features},
        layout_(layout),
        config_(config),
        threads_(threads) {}

  double rows(u32 first, u32 last, DistanceValues& to) override {
    const u64 count = count_of(first, last);
    if (!std::holds_alternative<std::vector<Real>>(to)) to.emplace<std::vector<Real>>();
    auto& values = std::get<std::vector<Real>>(to);
    if (values.capacity() < count) {
      values = std::vector<Real>();
      require_room(first, last, static_cast<double>(count));
    }
    values.resize(count);
    return rows_into(first, last, std::span(values));
  }

  double rows_into(u32 first, u32 last, const DistanceSpan& to) override {
    const u32 n = view_.n;
    const std::span<Real> values = std::get<std::span<Real>>(to);
    TRI_EXPECTS(values.size() == count_of(first, last));
    const DistancePiece<Real> piece{values.data(), distance_row_begin(n, layout_, first)};
    const Stopwatch watch;
    clear_diagonal(first, last, piece);
    triangle(first, last, piece);
    if (layout_ == DistanceLayout::condensed) {
      rectangle({last, n, first, last}, piece);
    } else {
      rectangle({first, last, 0, first}, piece);
      if (layout_ == DistanceLayout::square) rectangle({first, last, last, n}, piece);
    }
    return watch.ms();
  }

 private:
  u64 count_of(u32 first, u32 last) const {
    TRI_EXPECTS(first < last && last <= view_.n);
    return distance_row_begin(view_.n, layout_, last) - distance_row_begin(view_.n, layout_, first);
  }

  /// A map of pairs alone leaves it out.
  void clear_diagonal(u32 first, u32 last, const DistancePiece<Real>& piece) const {
    if (layout_ == DistanceLayout::condensed) return;
    for (u32 i = first; i < last; ++i) {
      piece.values[distance_row_begin(view_.n, layout_, i) + i - piece.origin] = 0;
    }
  }

  void triangle(u32 first, u32 last, const DistancePiece<Real>& piece) const {
    const u32 m = last - first;
    EngineConfig sized = config_;
    if (sized.pair_block == 0) sized.pair_block = default_distance_block(m);
    // Gravity: a law of pairs, whose map is looked at.
    const EngineConfig c = complete(sized, ForceField{}, m, threads_);
    const TileGrid grid = triangle_grid(c.pair_map, m, c.pair_block);
    for_each_pair_tile(c.pair_map, grid, worthwhile_threads(triangular(u64{m} - 1), c.threads),
                       [&](u32, PairTile tile) {
                         tile.row0 += first, tile.row1 += first, tile.col0 += first, tile.col1 += first;
                         distance_tile(view_, layout_, tile, piece);
                       });
  }

  void rectangle(const PairTile& whole, const DistancePiece<Real>& piece) const {
    const u64 pairs = u64{whole.row1 - whole.row0} * (whole.col1 - whole.col0);
    const u32 threads = worthwhile_threads(pairs, config_.threads != 0 ? config_.threads : threads_);
    for_each_rectangle_tile(whole, default_distance_block(view_.n), threads,
                            [&](u32, const PairTile& tile) { distance_tile(view_, layout_, tile, piece, Mirror::no); });
  }

  void require_room(u32 first, u32 last, double count) const {
    if (sizeof(Real) * count < kMinCompared) return;
    const bool all = first == 0 && last == view_.n;
    const auto bytes = [&](u64 n) { return sizeof(Real) * static_cast<double>(distance_count(n, layout_)); };
    const std::string cure =
        size_hint("Use ", largest_that_fits(bytes, available_memory()),
                  sizeof(Real) == 8 ? " points or fewer, or --precision fp32" : " points or fewer");
    require_memory(sizeof(Real) * count,
                   all ? fmt::format("the output of the distances of {} points", view_.n)
                       : fmt::format("a block of {} rows of the distances of {} points", last - first, view_.n),
                   all ? cure : "Compute fewer rows at once");
  }

  AlignedVector<double> columns_;
  PointView<double> view_;
  DistanceLayout layout_;
  EngineConfig config_;
  u32 threads_;
};

}  // namespace

std::unique_ptr<DistanceRows> make_distance_rows(const PointSet& points, DistanceLayout layout,
                                                 const EngineConfig& config, u32 backend_threads) {
  const auto bytes = [&](u64 n) { return 8.0 * static_cast<double>(n) * points.features; };
  if (bytes(points.n) >= kMinCompared) {
    require_memory(bytes(points.n), fmt::format("{} points", points.n),
                   size_hint("Use ", largest_that_fits(bytes, available_memory()), " points or fewer"));
  }
  if (config.precision == Precision::fp32) {
    return std::make_unique<CpuDistanceRows<float>>(points, layout, config, backend_threads);
  }
  return std::make_unique<CpuDistanceRows<double>>(points, layout, config, backend_threads);
}

}  // namespace tri::cpu
