#pragma once
/// The bench cases of the cpu backend: data from a seed, one timed run, a check of the whole output; and its floors.

#include <memory>

#include "sim/backend/bench.hpp"
#include "sim/backend/ranks.hpp"
#include "sim/cpu/force_sums.hpp"
#include "sim/model/bodies.hpp"

namespace tri::cpu {

/// Throws ConfigError (n out of range, features, a map's refusal, an unknown map, a form of devices only) and
/// MemoryError. `ranks`: those that share the case if is_shared(), each of which makes it; may be null.
std::unique_ptr<BenchCase> make_cpu_bench(const BenchSpec& spec, u32 backend_threads, Communicator* ranks);

/// make_<kernel>_bench(): called with threads filled in, what spec.map names, and the ranks that share it or null.
#define TRI_DECLARE_BENCH(id) \
  std::unique_ptr<BenchCase> make_##id##_bench(const BenchSpec& spec, const BenchSubject& subject, Communicator* ranks);
TRI_BENCH_KERNELS(TRI_DECLARE_BENCH)
#undef TRI_DECLARE_BENCH
/// The form automaton of dummy.
std::unique_ptr<BenchCase> make_life_bench(const BenchSpec& spec, TriangleMapId map);

/// "the cpu backend {what}; ..." as a ConfigError: for forms that only a device has.
[[noreturn]] void refuse_form(const char* what);

/// The walk of a map over the triangle of pairs, or over the tetrahedron of triples.
Walk<TriangleMapId> walk_of(const BenchSpec& spec, TriangleMapId map);
Walk<TetraMapId> walk_of(const BenchSpec& spec, TetraMapId map);

/// A case that walks a triangle or a tetrahedron.
template <class MapId>
class WalkedCase : public BenchCase {
 public:
  /// share: what one of several ranks walks at first.
  /// diagonal: of maps in thread space, whose tiles are elements; that of others have it anyway.
  WalkedCase(const BenchSpec& spec, MapId map, RankShare share = {}, Diagonal diagonal = Diagonal::without)
      : spec_(spec), walk_(walk_of(spec, map)) {
    if (diagonal == Diagonal::with) walk_.grid.diagonal = diagonal;
    launch_ = count_launch(walk_.map, walk_.grid, walk_.threads, share);
  }
  u64 work_items() const override { return item_count(spec_); }
  u64 blocks_launched() const override { return launch_.launched; }
  u64 blocks_useful() const override { return launch_.useful; }
  u32 block() const override { return walk_.grid.block; }

 protected:
  BenchSpec spec_;
  Walk<MapId> walk_;

 private:
  LaunchCounts launch_;
};

// The floors of this machine's processor.

/// With so many threads; each rate is the best of several rounds, a second in all. Throws MemoryError.
Floors measure_floors(u32 threads);

}  // namespace tri::cpu
