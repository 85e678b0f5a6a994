// The kernels of every SIMD target: scalar, SSE4, AVX2, AVX-512. Skips those that this processor cannot run.

#include <cstring>
#include <optional>

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
  i64 twin;  ///< gives the same bits: both have a fused multiply-add, or neither
};
constexpr Target kTargets[] = {{HWY_SCALAR, "SCALAR", HWY_SCALAR},
                               {HWY_SSE4, "SSE4", HWY_SCALAR},
                               {HWY_AVX2, "AVX2", HWY_AVX2},
                               {HWY_AVX3, "AVX-512", HWY_AVX2}};

class SimdTargets : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    const Target& target = GetParam();
    if ((HWY_TARGETS & target.bit) == 0) GTEST_SKIP() << target.name << " is not compiled in this build";
    if (target.bit != HWY_SCALAR && (hwy::SupportedTargets() & target.bit) == 0) {
      GTEST_SKIP() << "this processor has no " << target.name;
    }
    only_.emplace(target.bit);
    ASSERT_STREQ(cpu::simd_target(), target.name);
  }
  std::optional<Only> only_;
};

TEST_P(SimdTargets, ForcesOfEveryLawAndMode) {
  struct Case {
    Bodies bodies;
    ForceField field;
  };
  const Case cases[] = {{cloud_bodies(131), gravity_field()},
                        {lattice_bodies(67), lennard_jones_field()},
                        {cloud_bodies(131), contact_field()},
                        {lattice_bodies(41), triple_field()}};
  const auto backend = make_backend("cpu");
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
}

TEST_P(SimdTargets, DistancesAndCollisions) {
  const auto backend = make_backend("cpu");
  PointSet points{75, 5, {}};
  SplitMix64 random{3};
  for (u32 i = 0; i < 75 * 5; ++i) points.values.push_back(random.uniform());
  for (DistanceLayout layout : kDistanceLayouts) {
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
}

// Ordered: bit-equal over tile sides within a target and between twins.
TEST_P(SimdTargets, OrderedBitsWithinAndAcrossTargets) {
  const auto backend = make_backend("cpu");
  for (Precision precision : kPrecisions) {
    const auto forces = [&](u32 block) {
      EngineConfig config = config_of(precision, Accumulate::ordered, TriangleMapId::lambda, block, 2);
      config.triple_block = block;
      return backend->make_engine(lattice_bodies(60), argon_field(), config)->forces();
    };
    only_.emplace(GetParam().twin);
    const ForceResult expected = forces(64);
    only_.emplace(GetParam().bit);
    for (u32 block : {1u, 5u, 64u}) {
      const ForceResult got = forces(block);
      EXPECT_TRUE(got.fx == expected.fx && got.fy == expected.fy && got.fz == expected.fz);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SimdTargets, testing::ValuesIn(kTargets), [](const auto& row) {
  std::string name = row.param.name;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace tri::test
