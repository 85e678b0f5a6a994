// The face of the cpu backend: checks what it is given, predicts the memory, and hands the work on.

#include "sim/cpu/cpu_backend.hpp"

#include <fmt/format.h>

#include <fstream>

#include "sim/backend/job_units.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/memory.hpp"
#include "sim/base/threads.hpp"
#include "sim/cpu/bench/bench_cases.hpp"
#include "sim/cpu/bench/floors.hpp"
#include "sim/cpu/engine/automaton.hpp"
#include "sim/cpu/engine/cpu_engine.hpp"
#include "sim/cpu/engine/distance_rows.hpp"
#include "sim/cpu/kernels/triple_counts.hpp"
#include "sim/cpu/kernels/tuning.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/model/float_range.hpp"

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
    const auto bytes = [&](u64 n) { return engine_bytes(n, field, config.precision, config.accumulate, threads); };
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
    ForceField spheres;
    spheres.pair = PairLaw::contact, spheres.box = box;
    tri::check(spheres);
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
