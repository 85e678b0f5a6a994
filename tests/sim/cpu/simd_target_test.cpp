// The kernels of every SIMD target that this processor can run: scalar, SSE4, AVX2, AVX-512.

#include <cstring>
#include <map>

#include "hwy/detect_targets.h"
#include "hwy/targets.h"
#include "sim/cpu/kernels/pair_kernels.hpp"
#include "tests/sim/backend/cases.hpp"

namespace tri::test {
namespace {

/// Limits dispatch to some targets while it exists. The scalar targets are always available and remain if no other
/// does.
class Only {
 public:
  explicit Only(i64 targets) { hwy::SetSupportedTargetsForTest(targets), refresh(); }
  ~Only() { hwy::SetSupportedTargetsForTest(0), refresh(); }
  Only(const Only&) = delete;
  Only& operator=(const Only&) = delete;

 private:
  static void refresh() { hwy::GetChosenTarget().Update(hwy::SupportedTargets()); }
};

struct Target {
  i64 bit;
  const char* name;
};
constexpr Target kTargets[] = {{HWY_SCALAR, "SCALAR"}, {HWY_SSE4, "SSE4"}, {HWY_AVX2, "AVX2"}, {HWY_AVX3, "AVX3"}};

/// Runs f for each target this processor has.
template <class F>
void for_each_target(F&& f) {
  const i64 here = hwy::SupportedTargets();
  for (const Target& target : kTargets) {
    if ((HWY_TARGETS & target.bit) == 0) continue;  // not compiled in this build
    if (target.bit != HWY_SCALAR && (here & target.bit) == 0) continue;
    const Only only(target.bit);
    ASSERT_STREQ(cpu::simd_target(), target.name);
    SCOPED_TRACE(target.name);
    f(target);
  }
}

TEST(SimdTargets, ForcesOfEveryLawAndMode) {
  struct Case {
    Bodies bodies;
    ForceField field;
  };
  const Case cases[] = {{cloud_bodies(131), gravity_field()},
                        {lattice_bodies(67), lennard_jones_field()},
                        {cloud_bodies(131), contact_field()},
                        {lattice_bodies(41), triple_field()}};
  const auto backend = make_backend("cpu");
  for_each_target([&](const Target&) {
    for (const Case& c : cases) {
      for (Precision precision : kPrecisions) {
        const ReferenceForces expected = reference_forces(as_held(c.bodies, precision), c.field);
        for (Accumulate accumulate : kAccumulates) {
          for (u32 block : {1u, 13u, 64u, 200u}) {
            EngineConfig config = config_of(precision, accumulate, TriangleMapId::lambda, block, 1);
            config.triple_block = block;
            const auto engine = backend->make_engine(c.bodies, c.field, config);
            const ForceResult got = engine->forces();
            expect_close(got, expected, precision, describe(config, c.bodies.size()));
            EXPECT_NEAR(got.potential, expected.potential, 1e-12 * (1 + std::fabs(expected.potential)));
          }
        }
      }
    }
  });
}

TEST(SimdTargets, DistancesAndCollisions) {
  const auto backend = make_backend("cpu");
  PointSet points{75, 5, {}};
  SplitMix64 random{3};
  for (u32 i = 0; i < 75 * 5; ++i) points.values.push_back(random.uniform());
  for_each_target([&](const Target&) {
    for (DistanceLayout layout : {DistanceLayout::condensed, DistanceLayout::square, DistanceLayout::lower}) {
      const auto expected = reference_distances(points, layout);
      const auto got =
          backend->distances(points, layout, config_of(Precision::fp64, Accumulate::fast, TriangleMapId::lambda, 13));
      const auto& values = std::get<std::vector<double>>(got.values);
      ASSERT_EQ(values.size(), expected.size());
      for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], expected[i], 1e-15);
    }
    for (Precision precision : kPrecisions) {
      const Bodies bodies = as_held(cloud_bodies(300), precision);
      EXPECT_TRUE(backend->collisions(bodies, config_of(precision, Accumulate::fast)).pairs ==
                  reference_collisions(bodies));
      BenchSpec spec;
      spec.kernel = BenchKernel::collision;
      spec.precision = precision;
      const auto bench = backend->make_bench(spec);
      bench->run();
      EXPECT_TRUE(bench->check().passed);
    }
  });
}

// Ordered: bit-equal over tile sides within a target; AVX2 and AVX-512 are equal to each other, and so are SSE4 and
// scalar, which have no fused multiply-add.
TEST(SimdTargets, OrderedBitsWithinAndAcrossTargets) {
  const auto backend = make_backend("cpu");
  for (Precision precision : kPrecisions) {
    std::map<bool, ForceResult> first;  // by whether the target fuses
    for_each_target([&](const Target& target) {
      const bool fused = target.bit == HWY_AVX2 || target.bit == HWY_AVX3;
      for (u32 block : {1u, 5u, 64u}) {
        EngineConfig config = config_of(precision, Accumulate::ordered, TriangleMapId::lambda, block, 2);
        config.triple_block = block;
        const ForceResult got = backend->make_engine(lattice_bodies(60), argon_field(), config)->forces();
        const ForceResult& expected = first.try_emplace(fused, got).first->second;
        EXPECT_TRUE(got.fx == expected.fx && got.fy == expected.fy && got.fz == expected.fz);
      }
    });
  }
}

}  // namespace
}  // namespace tri::test
