#pragma once
/// The bench cases of the cpu backend: data from a seed, one timed run, and a check of the whole output.

#include <memory>

#include "sim/backend/bench_case.hpp"
#include "sim/cpu/kernels/force_sums.hpp"
#include "sim/model/bodies.hpp"

namespace tri::cpu {

/// Throws ConfigError (n out of range, features, a map's refusal, an unknown map) and MemoryError.
std::unique_ptr<BenchCase> make_cpu_bench(const BenchSpec& spec, u32 backend_threads);

/// Each kernel family, called with a spec whose threads and block are filled in.
std::unique_ptr<BenchCase> make_dummy_bench(const BenchSpec& spec);
std::unique_ptr<BenchCase> make_distance_bench(const BenchSpec& spec);
std::unique_ptr<BenchCase> make_collision_bench(const BenchSpec& spec);
std::unique_ptr<BenchCase> make_gravity_bench(const BenchSpec& spec);
std::unique_ptr<BenchCase> make_dummy3_bench(const BenchSpec& spec);
std::unique_ptr<BenchCase> make_triplet_bench(const BenchSpec& spec);
std::unique_ptr<BenchCase> make_gasket_bench(const BenchSpec& spec);

/// What cases over a triangle or a tetrahedron share: the walk and its counts.
template <class MapId>
class WalkedCase : public BenchCase {
 public:
  WalkedCase(const BenchSpec& spec, const Walk<MapId>& walk)
      : spec_(spec), walk_(walk), launch_(count_launch(walk.map, walk.grid, walk.threads)) {}
  u64 bytes() const override { return 0; }
  u64 blocks_launched() const override { return launch_.launched; }
  u64 blocks_useful() const override { return launch_.useful; }
  u32 block() const override { return walk_.grid.block; }

 protected:
  BenchSpec spec_;
  Walk<MapId> walk_;

 private:
  LaunchCounts launch_;
};

/// The walk a spec asks for over the triangle of pairs, or the tetrahedron of triples.
Walk<TriangleMapId> triangle_walk(const BenchSpec& spec);
Walk<TetraMapId> tetra_walk(const BenchSpec& spec);

/// Each value rounded to the precision, so that a float64 answer is that of the same data.
void round_to(Precision precision, std::vector<double>& values);

}  // namespace tri::cpu
