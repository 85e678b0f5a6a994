// Triples as matrix products: bits of ordered sums over maps of pairs, all maps, units of length, clouds far apart, and
// when they are chosen. triples_test.cpp compares them with the oracle, beside the tiles.

#include <cmath>

#include "tests/sim/cuda/engine/triple_support.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::test {
namespace {

class CudaTripleProducts : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (!IsSkipped() && !cuda::has_triple_products(0)) GTEST_SKIP() << "the compute capability is below 9.0";
  }
};

template <class Real>
void check_bits_of_products(u32 n) {
  const cuda::Stream stream;
  const HeldBodies<Real> held(lattice_bodies(n), stream);
  Sums<Real> first;
  for (const TriangleMapId map : maps_for(n, cuda::kProductBlock)) {
    for (const double slice_ms : {0.0, 1e-3}) {
      EngineConfig config = triple_config<Real>(Accumulate::ordered, TetraMapId::tetra, cuda::kProductBlock);
      config.pair_map = map, config.slice_ms = slice_ms;
      cuda::TripleForces<Real> forces(triple_field(), config, n, 0);
      for (int run = 0; run < 2; ++run) {
        const Sums<Real> sums = sums_by(forces, held, stream);
        if (first.empty()) first = sums;
        ASSERT_TRUE(same_bits(sums, first)) << info(map).name << ", n = " << n << ", slices of " << slice_ms << " ms";
      }
    }
  }
}

TEST_F(CudaTripleProducts, OrderedBitsAreEqualOverMapsSlicesAndRuns) {
  for (const u32 n : sizes({3, 65, 193, 1000})) {
    check_bits_of_products<float>(n);
    check_bits_of_products<double>(n);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(CudaTripleProducts, EveryMapOfPairsMeetsEveryTriple) {
  const u32 n = small_only() ? 200 : 1111;
  const cuda::Stream stream;
  const HeldBodies<double> held(lattice_bodies(n), stream);
  for (const TriangleMapId map : maps_for(n, cuda::kProductBlock)) {
    EngineConfig config = triple_config<double>(Accumulate::fast, TetraMapId::tetra, cuda::kProductBlock);
    config.pair_map = map;
    cuda::TripleForces<double> forces(triple_field(), config, n, 0);
    double energy = 0;
    const Sums<double> got = sums_by(forces, held, stream);
    const cuda::PairErrors e = plain_errors(held, got, energy, stream);
    EXPECT_LE(std::sqrt(e.differences / e.squares), 1e-12) << info(map).name;
    EXPECT_NEAR(total_energy(got), energy, 1e-12 * energy) << info(map).name;
  }
}

/// Sums that are independent of the units: a change of the unit of length changes the exponents of forces alone.
TEST_F(CudaTripleProducts, LengthsMayBeInAnyUnit) {
  const u32 n = 300;
  const cuda::Stream stream;
  const auto forces_at = [&](int exponent) {
    Bodies bodies = lattice_bodies(n);
    for (u32 i = 0; i < n; ++i) {
      for (auto* x : {&bodies.x, &bodies.y, &bodies.z}) (*x)[i] = std::ldexp((*x)[i], exponent);
    }
    cuda::TripleForces<double> forces(
        triple_field(), triple_config<double>(Accumulate::fast, TetraMapId::tetra, cuda::kProductBlock), n, 0);
    Sums<double> sums = sums_by(forces, HeldBodies<double>(bodies, stream), stream);
    for (auto& s : sums) {
      s.x = std::ldexp(s.x, 10 * exponent), s.y = std::ldexp(s.y, 10 * exponent), s.z = std::ldexp(s.z, 10 * exponent);
    }
    return sums;
  };
  const Sums<double> expected = forces_at(0);
  for (const int exponent : {-31, -7, 5, 40}) {
    const Sums<double> got = forces_at(exponent);
    double difference = 0, square = 0;
    for (u32 i = 0; i < n; ++i) {
      difference += std::pow(got[i].x - expected[i].x, 2) + std::pow(got[i].y - expected[i].y, 2) +
                    std::pow(got[i].z - expected[i].z, 2);
      square += std::pow(expected[i].x, 2) + std::pow(expected[i].y, 2) + std::pow(expected[i].z, 2);
    }
    EXPECT_LE(std::sqrt(difference / square), 1e-13) << exponent;  // additions come in any order
  }
}

/// Sides from 1 to 2,000: the terms of the longest cancel to 2.5e-7 of the largest.
TEST_F(CudaTripleProducts, BodiesFarApartAgreeWithThePlainLoop) {
  const u32 n = 400;
  Bodies bodies = lattice_bodies(n);
  for (u32 i = 0; i < n / 2; ++i) bodies.x[i] += 2000, bodies.y[i] -= 300;
  bodies.z[7] = 1500;
  const cuda::Stream stream;
  const HeldBodies<double> held(bodies, stream);
  cuda::TripleForces<double> forces(
      triple_field(), triple_config<double>(Accumulate::fast, TetraMapId::tetra, cuda::kProductBlock), n, 0);
  double energy = 0;
  const cuda::PairErrors e = plain_errors(held, sums_by(forces, held, stream), energy, stream);
  EXPECT_LE(std::sqrt(e.differences / e.squares), 1e-12);
  EXPECT_LE(std::sqrt(e.largest / e.squares * n), 1e-11);
}

TEST_F(CudaTripleProducts, AreChosenForManyBodiesAndRefusedWithAReason) {
  const auto config_of = [](u32 n, const EngineConfig& config) {
    return engine_of(lattice_bodies(n), triple_field(), config)->config();
  };
  EngineConfig usual;
  usual.precision = Precision::fp64;
  EXPECT_EQ(config_of(1000, usual).arithmetic, Arithmetic::tensor);
  EXPECT_EQ(config_of(1000, usual).triple_block, cuda::kProductBlock);
  EXPECT_EQ(config_of(100, usual).arithmetic, Arithmetic::float32);
  const auto plain = [&](auto change) {
    EngineConfig config = usual;
    change(config);
    return config_of(1000, config).arithmetic == Arithmetic::float32;
  };
  EXPECT_TRUE(plain([](EngineConfig& c) { c.arithmetic = Arithmetic::float32; }));
  EXPECT_TRUE(plain([](EngineConfig& c) { c.accumulate = Accumulate::ordered; }));
  EXPECT_TRUE(plain([](EngineConfig& c) { c.triple_map = TetraMapId::bb; }));
  EXPECT_TRUE(plain([](EngineConfig& c) { c.triple_block = 64; }));
  EXPECT_TRUE(plain([](EngineConfig& c) { c.precision = Precision::fp32; }));  // from 2,048
  EngineConfig odd = usual;
  odd.arithmetic = Arithmetic::tensor, odd.triple_block = 64;
  const std::string refusal = message_of<ConfigError>([&] { config_of(1000, odd); });
  EXPECT_NE(refusal.find("--block 64"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("192"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace tri::test
