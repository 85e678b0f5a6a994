/// The cpu backend, and blocks of rows of distances.

#include "sim/cpu/cpu_engine.hpp"

#include <algorithm>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include "sim/backend/backend.hpp"
#include "sim/backend/broad_phase.hpp"
#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/progress.hpp"
#include "sim/cpu/automaton.hpp"
#include "sim/cpu/bench.hpp"
#include "sim/cpu/body_store.hpp"
#include "sim/cpu/kernels.hpp"
#include "sim/cpu/tile_loop.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/triangle_blocks.hpp"
#include "sim/model/checks.hpp"

namespace tri::cpu {

/// The points have passed their check. backend_threads: where config names none.
std::unique_ptr<DistanceRows> make_distance_rows(const PointSet& points, DistanceLayout layout,
                                                 const EngineConfig& config, u32 backend_threads);

// A block of rows is a trapezoid: the triangle of the pairs within it, along the map, and the rectangle of the pairs
// with points before it (lower) or after it (condensed; row i of the output is column i of a tile). In the square
// layout there is one on either side.
//
// Rows of blocks are those of lower, and come in groups.
//
//     lower            condensed          square
//     .                 .######
//     ##. rows          |.#####  rows     ##.####  rows
//     ###.              |..####           ###.###
//     |  |.             |...|

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
    clear_rest(first, last, piece);
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

  /// A map of pairs alone leaves out the diagonal, and every map the padding of the last row of blocks.
  void clear_rest(u32 first, u32 last, const DistancePiece<Real>& piece) const {
    if (layout_ == DistanceLayout::condensed) return;
    LoopProgress progress(last - first);  // of large memory, this may be the first touch of every page
    if (layout_ == DistanceLayout::blocks) {
      const u64 clear = last % kDistanceBlock == 0 ? last : last / kDistanceBlock * kDistanceBlock;
      const u64 begin = distance_row_begin(view_.n, layout_, clear), end = distance_row_begin(view_.n, layout_, last);
      std::fill(piece.values + (begin - piece.origin), piece.values + (end - piece.origin), Real(0));
      for (u32 i = first; i < last; ++i) {
        progress.at(i - first);
        piece.values[blocks_index(i, i, kDistanceBlock) - piece.origin] = 0;
      }
      return;
    }
    for (u32 i = first; i < last; ++i) {
      progress.at(i - first);
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

// The face of the cpu backend: checks what it is given, predicts the memory, and hands the work on.

namespace tri {
namespace {

using namespace cpu;

/// The processor as it names itself.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "processor";
}

template <class Real>
BodyStore<Real> in_box(const Bodies& bodies, const Box& box) {
  BodyStore<Real> store(bodies);
  store.wrap(box);
  return store;
}

template <class Real>
CollisionResult collisions_in(const Bodies& bodies, const ContactSearch& search) {
  const BodyStore<Real> store = in_box<Real>(bodies, search.box);
  CollisionResult result;
  const Stopwatch watch;
  result.pairs = overlapping_pairs(store.view(), search, &result.work_items);
  result.per_body.assign(store.n, 0);
  for (const auto& [i, j] : result.pairs) ++result.per_body[i], ++result.per_body[j];
  result.ms = watch.ms();
  return result;
}

class CpuBackend final : public Backend {
 public:
  CpuBackend(u32 threads, Communicator* ranks) : threads_(threads == 0 ? usable_threads() : threads), ranks_(ranks) {}

  BackendInfo info() const override {
    return {"cpu", processor_name(), fmt::format("{}, {} thread{}", simd_target(), threads_, threads_ == 1 ? "" : "s")};
  }

  std::unique_ptr<Engine> make_engine(const Bodies& bodies, const ForceField& field,
                                      const EngineConfig& config) override {
    tri::check(bodies);
    tri::check(field, largest_radius(bodies));
    check_float_values(bodies, config.precision);
    check_float_range(bodies, field, config.precision);
    const u32 threads = config.threads == 0 ? threads_ : config.threads;
    const bool tree = choose_pairs(config, field, bodies.size()) == PairSearch::tree;
    const auto bytes = [&](u64 n) {
      return engine_bytes(n, field, config.precision, config.accumulate, threads, tree);
    };
    require_memory(static_cast<double>(bytes(bodies.size())), fmt::format("a simulation of {} bodies", bodies.size()),
                   size_hint("Use ", largest_that_fits(bytes, available_memory()), " bodies or fewer, or --threads 1"));
    if (config.precision == Precision::fp32) {
      return std::make_unique<CpuEngine<float>>(bodies, field, config, threads_, ranks_);
    }
    return std::make_unique<CpuEngine<double>>(bodies, field, config, threads_, ranks_);
  }

  std::unique_ptr<DistanceRows> distance_rows(const PointSet& points, DistanceLayout layout,
                                              const EngineConfig& config) override {
    tri::check(points);
    const auto moved = config.precision == Precision::fp32 ? centred(points) : std::nullopt;
    return make_distance_rows(moved ? *moved : points, layout, config, threads_);
  }

  CollisionResult collisions(const Bodies& bodies, const EngineConfig& config, const Box& box) override {
    ContactSearch search = checked_search(bodies, config, box);
    if (config.precision == Precision::fp64) return collisions_in<double>(bodies, search);
    const auto moved = centred(bodies, search.box);
    return collisions_in<float>(moved ? *moved : bodies, search);
  }

  std::vector<u32> contact_counts(const Bodies& bodies, const EngineConfig& config, const Box& box) override {
    ContactSearch search = checked_search(bodies, config, box);
    if (config.precision == Precision::fp64) return overlap_counts(in_box<double>(bodies, box).view(), search);
    const auto moved = centred(bodies, search.box);
    return overlap_counts(in_box<float>(moved ? *moved : bodies, search.box).view(), search);
  }

  TripleCounts triplets(const PointSet& points, const SideBins& bins, const EngineConfig& config) override {
    tri::check(points);
    tri::check(bins);
    if (const double scale = scale_of(bins); scale != 1) {
      return triplets(scaled(points, scale), scaled(bins, scale), config);
    }
    const u32 block = config.triple_block != 0 ? config.triple_block : default_triple_block(points.n);
    const u32 threads = worthwhile_threads(triple_count(points.n), config.threads != 0 ? config.threads : threads_);
    // Products go along a map of pairs: not where a map or a tile of triples was asked for.
    const bool free = config.arithmetic == Arithmetic::automatic && config.triple_block == 0 &&
                      config.triple_map == EngineConfig().triple_map;
    Ranks ranks(ranks_);
    // Each rank counts a part in the same way, which must have room on all of them.
    u64 one_by_one = free && products_are_faster(points.n, bins.size()) ? 0 : 1;
    ranks.max({&one_by_one, 1});
    if (one_by_one == 0) {
      const TileGrid grid = triangle_grid(config.pair_map, points.n, kProductBlock);
      return count_triples_by_products(points, bins, {config.pair_map, grid, threads}, ranks);
    }
    const TileGrid grid = tetra_grid(config.triple_map, points.n, block);
    return count_triples(points, bins, {config.triple_map, grid, threads}, ranks);
  }

  std::unique_ptr<Automaton> make_automaton(const AutomatonSpec& spec) override {
    return cpu::make_automaton(spec, threads_);
  }

  std::unique_ptr<BenchCase> make_bench(const BenchSpec& spec) override {
    return make_cpu_bench(spec, threads_, ranks_);
  }

  Floors floors(u32 threads) override {
    return ranks_ != nullptr ? Backend::floors(threads) : measure_floors(threads != 0 ? threads : threads_);
  }

 private:
  ContactSearch checked_search(const Bodies& bodies, const EngineConfig& config, const Box& box) const {
    tri::check(bodies);
    check_float_values(bodies, config.precision);
    check_float_spheres(bodies, config.precision);
    check_images(bodies, box, true, config.precision);
    ForceField spheres;
    spheres.pair = PairLaw::contact, spheres.box = box;
    tri::check(spheres);
    if (config.broad_phase == BroadPhase::grid && !make_cell_grid<double>(bodies, box, kCellOccupancy).usable) {
      refuse_grid();
    }
    ContactSearch search = pair_work(static_cast<u32>(bodies.size()), spheres, config);
    search.box = box;
    return search;
  }

  /// How n bodies are gone through for the pair law of the field, in open space.
  ContactSearch pair_work(u32 n, const ForceField& field, const EngineConfig& config) const {
    const EngineConfig c = complete(config, field, n, threads_);
    return {
        Box{},
        {c.pair_map, triangle_grid(c.pair_map, n, c.pair_block), worthwhile_threads(triangular(u64{n} - 1), c.threads)},
        c.broad_phase};
  }

  u32 threads_;
  Communicator* ranks_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(u32 threads, Communicator* ranks) {
  if (threads > kMaxThreads) {
    throw ConfigError(fmt::format("--threads {} is more than {}; use fewer.", threads, kMaxThreads));
  }
  return std::make_unique<CpuBackend>(threads, ranks);
}

}  // namespace tri
