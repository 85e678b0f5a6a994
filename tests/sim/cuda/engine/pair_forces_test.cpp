// Pair sums on the device against the oracle: every map, tile, law, precision and accumulation at awkward sizes;
// invalid input; energies; rejected configurations.

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/sim/cuda/engine/pair_support.hpp"

namespace tri::test {
namespace {

using CudaPairs = CudaTest;

/// Errors relative to the rms of the expected vectors, weighted like the law's sums.
template <class Real>
void expect_sums(const Sums<Real>& got, const ReferenceForces& expected, const Bodies& held, const ForceField& field,
                 const std::string& what) {
  const bool fp32 = sizeof(Real) == 4;
  double square = 0, difference = 0, largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double weight = field.pair == PairLaw::gravity ? 1 / held.m[i] : 1;
    const double x = weight * expected.fx[i], y = weight * expected.fy[i], z = weight * expected.fz[i];
    const double ex = double{got[i].x} - x, ey = double{got[i].y} - y, ez = double{got[i].z} - z;
    const double e2 = ex * ex + ey * ey + ez * ez;
    ASSERT_TRUE(std::isfinite(e2)) << what << ", body " << i;
    ASSERT_EQ(got[i].w, Real(0)) << what << ", body " << i;
    square += x * x + y * y + z * z, difference += e2, largest = std::max(largest, e2);
  }
  const double n = static_cast<double>(got.size());
  ASSERT_LE(std::sqrt(difference), (fp32 ? 1e-5 : 1e-12) * std::sqrt(square)) << what;
  ASSERT_LE(std::sqrt(largest), (fp32 ? 1e-4 : 1e-11) * std::sqrt(square / n)) << what;
}

template <class Real>
void check_pairs_against_oracle(u32 n) {
  const cuda::Stream stream;
  for (const PairCase& c : pair_cases(n)) {
    const Bodies bodies = as_held(c.bodies, kPrecisionOf<Real>);
    const ReferenceForces expected = reference_forces(bodies, c.field);
    const HeldBodies<Real> held(bodies, stream);
    for (const Accumulate accumulate : kAccumulates) {
      for (const u32 tile : thinned(tiles_for(c.field, kPrecisionOf<Real>, accumulate, n))) {
        for (const TriangleMapId map : maps_for(n, tile)) {
          const EngineConfig config = pair_config<Real>(accumulate, map, tile);
          cuda::PairForces<Real> forces(c.field, config, n, 0);
          EXPECT_EQ(forces.block(), tile);
          const std::string what = describe_pairs(config, c.field, n);
          for (int run = 0; run < 2; ++run) {
            expect_sums(sums_by(forces, held, stream), expected, bodies, c.field, what);
            if (testing::Test::HasFatalFailure()) return;
          }
          ASSERT_FALSE(forces.left_range(stream)) << what;
        }
      }
    }
  }
}

TEST_F(CudaPairs, EveryMapAndTileAgreesWithTheOracle) {
  for (const u32 n : sizes({1, 2, 31, 32, 33, 127, 129, 257, 513, 1000})) {
    check_pairs_against_oracle<float>(n);
    check_pairs_against_oracle<double>(n);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// The float64 kernel is checked against the oracle above, and is faster.
TEST_F(CudaPairs, WideSumsAgreeWithFloat64) {
  if (small_only()) GTEST_SKIP() << "large";
  const u32 n = static_cast<u32>(cuda::kOrderedWide) + 77;
  const Bodies bodies = as_held(cloud_bodies(n), Precision::fp32);
  const cuda::Stream stream;
  const HeldBodies<double> wide(bodies, stream);
  cuda::PairForces<double> in_float64(gravity_field(), pair_config<double>(Accumulate::fast), n, 0);
  ReferenceForces expected;
  const Sums<double> sums = sums_by(in_float64, wide, stream);
  for (u32 i = 0; i < n; ++i) {
    expected.fx.push_back(sums[i].x * bodies.m[i]);
    expected.fy.push_back(sums[i].y * bodies.m[i]);
    expected.fz.push_back(sums[i].z * bodies.m[i]);
  }
  const HeldBodies<float> held(bodies, stream);
  for (const Accumulate accumulate : kAccumulates) {
    cuda::PairForces<float> forces(gravity_field(), pair_config<float>(accumulate), n, 0);
    expect_sums(sums_by(forces, held, stream), expected, bodies, gravity_field(), to_string(accumulate));
  }
}

// Without softening: the bodies of the cloud are separate, and masked pairs on the diagonal must not show.
TEST_F(CudaPairs, UnsoftenedGravityLeavesABodyOutOfItsOwnSum) {
  const u32 n = 300;
  const Bodies bodies = cloud_bodies(n);
  const cuda::Stream stream;
  const HeldBodies<double> held(bodies, stream);
  for (const Accumulate accumulate : kAccumulates) {
    cuda::PairForces<double> forces(gravity_field(0), pair_config<double>(accumulate), n, 0);
    expect_sums(sums_by(forces, held, stream), reference_forces(bodies, gravity_field(0)), bodies, gravity_field(0),
                to_string(accumulate));
  }
}

template <class Real>
void check_third_law(u32 n, double tolerance) {
  const cuda::Stream stream;
  for (const PairCase& c : pair_cases(n)) {
    const HeldBodies<Real> held(c.bodies, stream);
    for (const Accumulate accumulate : kAccumulates) {
      cuda::PairForces<Real> forces(c.field, pair_config<Real>(accumulate), n, 0);
      const Sums<Real> sums = sums_by(forces, held, stream);
      double x = 0, y = 0, z = 0, size = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double m = c.field.pair == PairLaw::gravity ? c.bodies.m[i] : 1;
        x += m * double{sums[i].x}, y += m * double{sums[i].y}, z += m * double{sums[i].z};
        size += m * std::hypot(double{sums[i].x}, double{sums[i].y}, double{sums[i].z});
      }
      EXPECT_GT(size, 0);
      EXPECT_LE(std::hypot(x, y, z), tolerance * size) << to_string(c.field.pair) << ", " << to_string(accumulate);
    }
  }
}

TEST_F(CudaPairs, WhatActsOnOneActsBackOnTheOther) {
  check_third_law<float>(1000, 1e-6);
  check_third_law<double>(1000, 1e-14);
}

// A massless body feels gravity and exerts none.
TEST_F(CudaPairs, MasslessBodiesAreTestBodies) {
  Bodies bodies = cloud_bodies(130);
  bodies.m[5] = bodies.m[128] = 0;
  const cuda::Stream stream;
  const HeldBodies<double> held(bodies, stream);
  Bodies light = bodies;
  for (const std::size_t i : {5u, 128u}) light.m[i] = 1e-30;
  const ReferenceForces expected = reference_forces(light, gravity_field());
  cuda::PairForces<double> forces(gravity_field(), pair_config<double>(Accumulate::fast), 130, 0);
  expect_sums(sums_by(forces, held, stream), expected, light, gravity_field(), "massless");
}

template <class Real>
void check_energy() {
  const cuda::Stream stream;
  for (const u32 n : sizes({1, 2, 127, 129, 1000})) {
    for (const PairCase& c : pair_cases(n)) {
      const Bodies bodies = as_held(c.bodies, kPrecisionOf<Real>);
      const ReferenceForces expected = reference_forces(bodies, c.field);
      const HeldBodies<Real> held(bodies, stream);
      cuda::PairForces<Real> forces(c.field, pair_config<Real>(Accumulate::fast), n, 0);
      const auto first = forces.energy(stream, held.view()), second = forces.energy(stream, held.view());
      const std::string what = describe_pairs(pair_config<Real>(Accumulate::fast), c.field, n);
      EXPECT_NEAR(first.potential, expected.potential, 1e-12 * std::fabs(expected.potential)) << what;
      EXPECT_NEAR(first.virial, expected.virial, 1e-11 * std::fabs(expected.virial) + 1e-13) << what;
      EXPECT_EQ(first.potential, second.potential) << what;
      EXPECT_EQ(first.virial, second.virial) << what;
    }
  }
}

TEST_F(CudaPairs, EnergyAgreesWithTheOracle) {
  check_energy<float>();
  check_energy<double>();
}

/// More than one launch of the energy kernel, against the cpu backend.
TEST_F(CudaPairs, EnergyOfManyIsComplete) {
  if (small_only()) GTEST_SKIP() << "large";
  const Bodies b = cloud_bodies(20011);
  const EngineConfig config = config_of(Precision::fp64, Accumulate::fast);
  for (const ForceField& field : {gravity_field(), lennard_jones_field(0.5)}) {
    const Diagnostics here = make_backend("cuda")->make_engine(b, field, config)->diagnose();
    const Diagnostics there = make_backend("cpu")->make_engine(b, field, config)->diagnose();
    EXPECT_NEAR(here.potential, there.potential, 1e-10 * std::fabs(there.potential)) << to_string(field.pair);
    EXPECT_NEAR(here.virial, there.virial, 1e-10 * std::fabs(there.virial)) << to_string(field.pair);
  }
}

TEST_F(CudaPairs, ErrorsNameTheRemedy) {
  const auto refused = [](const EngineConfig& config, u32 n) {
    return message_of([&] { cuda::PairForces<float>(gravity_field(), config, n, 0); });
  };
  const EngineConfig odd = pair_config<float>(Accumulate::fast, TriangleMapId::lambda, 100);
  EXPECT_NE(refused(odd, 1000).find("128, 256, 384, 512, 768, 1024, 1536"), std::string::npos) << refused(odd, 1000);
  const EngineConfig threads = pair_config<float>(Accumulate::fast, TriangleMapId::rb);
  EXPECT_NE(refused(threads, 1000).find("--map lambda"), std::string::npos) << refused(threads, 1000);
  const EngineConfig narrow = pair_config<float>(Accumulate::ordered, TriangleMapId::lambda, 128);
  EXPECT_EQ(refused(narrow, 1000), "");
  EXPECT_NE(refused(narrow, 40000).find("use 512, 1024, 1536"), std::string::npos) << refused(narrow, 40000);
  const EngineConfig ordered = pair_config<float>(Accumulate::ordered);
  EXPECT_NE(refused(ordered, u32{1} << 27).find("--accumulate fast"), std::string::npos);
}

// Host only: the tables, for every device.
TEST(PairTuning, EveryTilingIsWhole) {
  for (const PairLaw law : {PairLaw::gravity, PairLaw::lennard_jones}) {
    for (const Precision precision : kPrecisions) {
      for (const u32 tile : cuda::kPairTiles) {
        for (const u64 n : {u64{1}, cuda::kOrderedWide - 1, cuda::kOrderedWide, u64{1} << 26}) {
          const bool serves = cuda::tile_serves(law, precision, Accumulate::ordered, n, tile);
          const auto ordered = cuda::ordered_tiling(law, precision, n, tile);
          const std::array<cuda::PairTiling, 3> tilings{cuda::fast_tiling(law, precision, tile),
                                                        cuda::fast_tiling(law, precision, tile, true), ordered};
          for (const cuda::PairTiling& t : tilings) {
            if (&t == &tilings[2] && !serves) continue;
            EXPECT_EQ(t.tile, tile);
            EXPECT_EQ(t.tile % (32 * t.rows), 0u);
            EXPECT_EQ(32 * t.rows % t.columns, 0u);
            EXPECT_EQ(t.columns % 32, 0u);
          }
          // The pieces of ordered sums must be the same for all tiles.
          EXPECT_EQ(ordered.rows, cuda::ordered_tiling(law, precision, n, 1536).rows);
          EXPECT_EQ(ordered.columns, cuda::ordered_tiling(law, precision, n, 1536).columns);
        }
      }
    }
  }
}

TEST(PairTuning, MoreBodiesNeverGetASmallerTile) {
  for (const u32 multiprocessors : {1u, 30u, 132u, 1000u}) {
    for (const PairLaw law : {PairLaw::gravity, PairLaw::lennard_jones}) {
      for (const Precision precision : kPrecisions) {
        u32 last = 0;
        for (u64 n = 1; n <= u64{1} << 31; n *= 2) {
          const u32 tile = cuda::pair_tile_for(law, precision, n, multiprocessors);
          EXPECT_GE(tile, last);
          EXPECT_NE(std::find(cuda::kPairTiles.begin(), cuda::kPairTiles.end(), tile), cuda::kPairTiles.end());
          last = tile;
        }
        EXPECT_EQ(last, cuda::goes_wide(law, precision) ? 1536u : 1024u);
      }
    }
  }
}

}  // namespace
}  // namespace tri::test
