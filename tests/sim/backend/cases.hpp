#pragma once
/// Shared by the backend tests: a suite over the backends, data, and comparisons of whole arrays.

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/backend/bench.hpp"
#include "sim/base/numbers.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/reference/reference.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {

/// A suite over the backends with the tile sides and maps that each supports: the cpu backend all of them, the cuda
/// backend those its kernels are compiled for. What else cuda supports is tested in tests/sim/cuda.
class BackendTest : public OnBackend {
 protected:
  /// All of them; ranks, which share each sum and have tests of their own (tests/sim/ranks), the last two.
  std::vector<u32> sizes(std::vector<u32> all) const {
    return GetParam() == "ranks" ? std::vector<u32>(all.end() - 2, all.end()) : all;
  }
  /// Tile sides of pair forces: cuda has a few.
  std::vector<u32> force_blocks(const std::vector<u32>& cpu) const { return cuda() ? std::vector<u32>{128, 512} : cpu; }
  /// Blocks of kernels with one pair or triple per thread; cuda supports sides up to `largest`.
  std::vector<u32> element_blocks(std::vector<u32> blocks, u32 largest = 32) const {
    if (cuda()) std::erase_if(blocks, [largest](u32 block) { return block > largest; });
    return blocks;
  }
  /// cuda sums forces tile by tile, so it does not support thread-space maps.
  std::vector<TriangleMapId> force_maps(std::vector<TriangleMapId> maps) const {
    if (cuda()) std::erase_if(maps, [](TriangleMapId map) { return info(map).space == Space::thread; });
    return maps;
  }
};

/// Bodies of the cloud in [-1, 1)^3: masses 0.5..1.5 over n, radii 0.02..0.12, velocities in [-1, 1).
inline Bodies cloud_bodies(u32 n, u64 seed = 42) {
  Bodies b;
  SplitMix64 random{seed};
  const auto unit = [&] { return 2.0 * random.uniform() - 1.0; };
  for (u32 i = 0; i < n; ++i) {
    const double x = unit(), y = unit(), z = unit();
    const double vx = unit(), vy = unit(), vz = unit();
    b.add(x, y, z, vx, vy, vz, (0.5 + random.uniform()) / n, 0.02 + 0.1 * random.uniform());
  }
  return b;
}

/// A jittered cubic lattice of spacing 1.1, like a liquid in reduced units.
inline Bodies lattice_bodies(u32 n, u64 seed = 42) {
  Bodies b;
  SplitMix64 random{seed};
  const u32 side = static_cast<u32>(std::ceil(std::cbrt(static_cast<double>(n))));
  const auto at = [&](u32 cell) { return 1.1 * cell + 0.2 * (random.uniform() - 0.5); };
  for (u32 i = 0; i < n; ++i) {
    const double x = at(i % side), y = at(i / side % side), z = at(i / side / side);
    const double vx = random.uniform(), vy = random.uniform(), vz = random.uniform();
    b.add(x, y, z, vx, vy, vz, 1.0 + random.uniform(), 0.5 + 0.1 * random.uniform());
  }
  return b;
}

/// In the unit cube, times the scale, which is a power of 2; numbers that this precision has.
inline PointSet random_points(u32 n, u32 features, Precision precision = Precision::fp64, double scale = 1) {
  PointSet p{n, features, std::vector<double>(std::size_t{n} * features)};
  SplitMix64 random{n + features};
  for (double& v : p.values) {
    v = random.uniform();
    v = scale * (precision == Precision::fp32 ? static_cast<double>(static_cast<float>(v)) : v);
  }
  return p;
}

/// Rounded to float32, so that a float64 result uses the same data.
inline Bodies as_held(Bodies b, Precision precision) {
  if (precision == Precision::fp32) {
    for (auto* a : {&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.m, &b.r}) {
      for (double& v : *a) v = static_cast<double>(static_cast<float>(v));
    }
  }
  return b;
}

inline ForceField gravity_field(double softening = 0.05) {
  ForceField f;
  f.gravity.softening = softening;
  return f;
}

inline ForceField lennard_jones_field(double cutoff = 0) {
  ForceField f;
  f.pair = PairLaw::lennard_jones;
  f.lennard_jones.cutoff = cutoff;
  return f;
}

inline ForceField contact_field(double damping = 10, double shear = 3) {
  ForceField f;
  f.pair = PairLaw::contact;
  f.contact.damping = damping;
  f.contact.shear = shear;
  f.box = {{-1, -1, -1}, {1, 1, 1}, Boundary::reflecting};
  return f;
}

inline ForceField triple_field() {
  ForceField f;
  f.pair = PairLaw::none;
  f.triple = TripleLaw::axilrod_teller;
  return f;
}

inline ForceField argon_field() {
  ForceField f = lennard_jones_field();
  f.triple = TripleLaw::axilrod_teller;
  return f;
}

struct Errors {
  double rms = 0;  ///< of the differences, relative to the rms force
  double max = 0;
};

/// The largest difference of a position or velocity; infinite where one is not a number.
inline double largest_difference(const Bodies& a, const Bodies& b) {
  double largest = 0;
  const auto add = [&](const std::vector<double>& p, const std::vector<double>& q) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double d = std::fabs(p[i] - q[i]);
      if (!(d <= largest)) largest = std::isnan(d) ? HUGE_VAL : d;
    }
  };
  add(a.x, b.x), add(a.y, b.y), add(a.z, b.z), add(a.vx, b.vx), add(a.vy, b.vy), add(a.vz, b.vz);
  return largest;
}

/// Over all bodies and components. Any NaN makes both infinite.
inline Errors compare(const ForceResult& got, const ReferenceForces& expected) {
  double difference = 0, largest = 0, square = 0;
  const std::size_t n = expected.fx.size();
  if (got.fx.size() != n || got.fy.size() != n || got.fz.size() != n) return {HUGE_VAL, HUGE_VAL};
  for (std::size_t i = 0; i < n; ++i) {
    const double ex = got.fx[i] - expected.fx[i], ey = got.fy[i] - expected.fy[i], ez = got.fz[i] - expected.fz[i];
    const double e2 = ex * ex + ey * ey + ez * ez;
    if (!std::isfinite(e2)) return {HUGE_VAL, HUGE_VAL};
    difference += e2;
    largest = std::max(largest, e2);
    square += expected.fx[i] * expected.fx[i] + expected.fy[i] * expected.fy[i] + expected.fz[i] * expected.fz[i];
  }
  if (difference == 0) return {};
  return {std::sqrt(difference / square), std::sqrt(largest / square * static_cast<double>(n))};
}

inline void expect_close(const ForceResult& got, const ReferenceForces& expected, Precision precision,
                         const std::string& what) {
  const Errors e = compare(got, expected);
  EXPECT_LE(e.rms, precision == Precision::fp32 ? 1e-5 : 1e-12) << what;
  EXPECT_LE(e.max, precision == Precision::fp32 ? 1e-4 : 1e-11) << what;
}

/// Every pair map that is exact at this size.
inline std::vector<TriangleMapId> usable_maps(u32 n, u32 block) {
  std::vector<TriangleMapId> maps;
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    const auto map = static_cast<TriangleMapId>(id);
    if (refusal(info(map), n, block).empty()) maps.push_back(map);
  }
  return maps;
}

/// One map of each kind: with idle blocks, exact, of single pairs, of many passes, in another order.
inline std::vector<TriangleMapId> some_maps(u32 n, u32 block) {
  std::vector<TriangleMapId> maps;
  for (auto map :
       {TriangleMapId::bb, TriangleMapId::lambda, TriangleMapId::rb, TriangleMapId::rec, TriangleMapId::circulant}) {
    if (refusal(info(map), n, block).empty()) maps.push_back(map);
  }
  return maps;
}

inline std::vector<TetraMapId> usable_triple_maps(u32 n, u32 block) {
  std::vector<TetraMapId> maps;
  for (u32 id = 0; id < kTetraMapCount; ++id) {
    const auto map = static_cast<TetraMapId>(id);
    if (refusal(info(map), n, block).empty()) maps.push_back(map);
  }
  return maps;
}

inline EngineConfig config_of(Precision precision, Accumulate accumulate, TriangleMapId map = TriangleMapId::lambda,
                              u32 block = 0, u32 threads = 0) {
  EngineConfig c;
  c.precision = precision;
  c.accumulate = accumulate;
  c.pair_map = map;
  c.pair_block = block;
  c.threads = threads;
  return c;
}

inline std::string describe(const EngineConfig& c, std::size_t n) {
  return "n " + std::to_string(n) + ", map " + info(c.pair_map).name + ", block " + std::to_string(c.pair_block) +
         ", triple map " + info(c.triple_map).name + ", block " + std::to_string(c.triple_block) + ", threads " +
         std::to_string(c.threads) + ", " + to_string(c.precision) + ", " + to_string(c.accumulate);
}

inline const std::vector<u32>& awkward_sizes() {
  static const std::vector<u32> sizes{1, 2, 3, 31, 32, 33, 64, 65, 127, 257, 1000};
  return sizes;
}

inline const std::vector<u32>& awkward_blocks() {
  static const std::vector<u32> blocks{1, 3, 8, 16, 32, 64, 100};
  return blocks;
}

inline constexpr Precision kPrecisions[] = {Precision::fp32, Precision::fp64};
inline constexpr Accumulate kAccumulates[] = {Accumulate::fast, Accumulate::ordered};

// Shared by the bench tests of all backends and of the cuda backend.

inline BenchSpec spec_of(BenchKernel kernel, const std::string& map, u64 n, u32 block = 0) {
  BenchSpec spec;
  spec.kernel = kernel;
  spec.form = info(kernel).default_form();
  spec.map = map;
  spec.n = n;
  spec.block = block;
  spec.threads = 2;
  return spec;
}

/// A rank whose benches have other bodies than those of the other ranks. Where they share the sums, all are wrong.
class OtherBodies final : public Backend {
 public:
  explicit OtherBodies(std::unique_ptr<Backend> real) : real_(std::move(real)) {}
  BackendInfo info() const override { return real_->info(); }
  std::unique_ptr<Engine> make_engine(const Bodies& bodies, const ForceField& field,
                                      const EngineConfig& config) override {
    return real_->make_engine(bodies, field, config);
  }
  CollisionResult collisions(const Bodies& bodies, const EngineConfig& config, const Box& box) override {
    return real_->collisions(bodies, config, box);
  }
  std::unique_ptr<BenchCase> make_bench(const BenchSpec& spec) override {
    BenchSpec other = spec;
    ++other.seed;
    return real_->make_bench(other);
  }

 private:
  std::unique_ptr<Backend> real_;
};

/// Runs twice, checks, damages, checks again.
inline void exercise(Backend& backend, const BenchSpec& spec) {
  SCOPED_TRACE(std::string(to_string(spec.kernel)) + ", map " + spec.map + ", n " + std::to_string(spec.n) +
               ", block " + std::to_string(spec.block) + ", " + to_string(spec.precision) + ", form " +
               std::to_string(static_cast<int>(spec.form)) + ", rec " + std::to_string(static_cast<int>(spec.rec)));
  const auto bench = backend.make_bench(spec);
  if (bench->work_items() > 0 || backend.info().name == "cuda") {
    EXPECT_FALSE(bench->check().passed) << "before any run";
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_GT(bench->run(), 0.0);
    const BenchCheck good = bench->check();
    EXPECT_TRUE(good.passed) << "error " << good.max_rel_err << " against " << good.reference;
    EXPECT_FALSE(good.reference.empty());
  }
  if (bench->work_items() > 0) {
    bench->corrupt_output();
    EXPECT_FALSE(bench->check().passed) << "damaged";
    bench->run();
    EXPECT_TRUE(bench->check().passed) << "after another run";
  }
  EXPECT_GE(bench->blocks_launched(), bench->blocks_useful());
  EXPECT_EQ(bench->block() == 0, spec.map == "fill");
}

}  // namespace tri::test
