// Triples as matrix products: bits of ordered sums over maps of pairs, all maps, units of length, clouds far apart, and
// when they are chosen. triples_test.cpp compares them with the oracle, beside the tiles.

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "tests/sim/cuda/engine/triple_support.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::test {
namespace {

class CudaTripleProducts : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (!IsSkipped() && !(has_products<float>() && has_products<double>()))
      GTEST_SKIP() << "the compute capability is below 9.0";
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

/// The rms and the largest error that products may have, over the rms force.
struct ErrorBound {
  double rms, largest;
};
template <class Real>
constexpr ErrorBound kBound = sizeof(Real) == sizeof(float) ? ErrorBound{1.5e-6, 1e-5} : ErrorBound{1e-12, 1e-11};

template <class Real>
void expect_products_right(const Bodies& bodies, TriangleMapId map, const std::string& what,
                           const ErrorBound& bound = kBound<Real>) {
  const cuda::Stream stream;
  const u32 n = static_cast<u32>(bodies.size());
  const HeldBodies<Real> held(bodies, stream);
  EngineConfig config = triple_config<Real>(Accumulate::fast, TetraMapId::tetra, cuda::kProductBlock);
  config.pair_map = map;
  cuda::TripleForces<Real> forces(triple_field(), config, n, 0);
  double energy = 0;
  const Sums<Real> got = sums_by(forces, held, stream);
  const cuda::PairErrors e = plain_errors(held, got, energy, stream);
  EXPECT_LE(std::sqrt(e.differences / e.squares), bound.rms) << what;
  EXPECT_LE(std::sqrt(e.largest / e.squares * n), bound.largest) << what;
  EXPECT_NEAR(total_energy(got), energy, bound.largest * std::fabs(energy)) << what;
}

TEST_F(CudaTripleProducts, EveryMapOfPairsMeetsEveryTriple) {
  const u32 n = small_only() ? 200 : 1111;
  for (const TriangleMapId map : maps_for(n, cuda::kProductBlock)) {
    expect_products_right<float>(lattice_bodies(n), map, info(map).name);
    expect_products_right<double>(lattice_bodies(n), map, info(map).name);
  }
}

TEST_F(CudaTripleProducts, AwkwardNumbersOfBodies) {
  for (const u32 n : sizes({3, 15, 16, 17, 63, 64, 65, 129, 192, 193, 500})) {
    expect_products_right<float>(lattice_bodies(n), TriangleMapId::lambda, fmt::format("n = {}", n));
    expect_products_right<double>(lattice_bodies(n), TriangleMapId::lambda, fmt::format("n = {}", n));
  }
}

/// Sums that are independent of the units: a change of the unit of length changes the exponents of forces alone.
template <class Real>
void check_units(const std::vector<int>& exponents, double tolerance) {
  const u32 n = 300;
  const cuda::Stream stream;
  const auto forces_at = [&](int exponent) {
    Bodies bodies = lattice_bodies(n);
    for (u32 i = 0; i < n; ++i) {
      for (auto* x : {&bodies.x, &bodies.y, &bodies.z}) (*x)[i] = std::ldexp((*x)[i], exponent);
    }
    cuda::TripleForces<Real> forces(
        triple_field(), triple_config<Real>(Accumulate::fast, TetraMapId::tetra, cuda::kProductBlock), n, 0);
    std::vector<std::array<double, 3>> scaled;
    for (const auto& s : sums_by(forces, HeldBodies<Real>(bodies, stream), stream)) {
      scaled.push_back({std::ldexp(double{s.x}, 10 * exponent), std::ldexp(double{s.y}, 10 * exponent),
                        std::ldexp(double{s.z}, 10 * exponent)});
    }
    return scaled;
  };
  const auto expected = forces_at(0);
  for (const int exponent : exponents) {
    const auto got = forces_at(exponent);
    double difference = 0, square = 0;
    for (u32 i = 0; i < n; ++i) {
      for (u32 k = 0; k < 3; ++k) {
        difference += std::pow(got[i][k] - expected[i][k], 2), square += std::pow(expected[i][k], 2);
      }
    }
    EXPECT_LE(std::sqrt(difference / square), tolerance) << exponent;  // additions come in any order
  }
}

TEST_F(CudaTripleProducts, LengthsMayBeInAnyUnit) {
  check_units<double>({-31, -7, 5, 40}, 1e-13);
  check_units<float>({-11, -7, 5, 8}, 2e-7);
}

/// Sides from 1 to 2,000: in float64 the terms of the longest cancel to 2.5e-7 of the largest.
TEST_F(CudaTripleProducts, BodiesFarApartAgreeWithThePlainLoop) {
  const u32 n = 400;
  Bodies bodies = lattice_bodies(n);
  for (u32 i = 0; i < n / 2; ++i) bodies.x[i] += 2000, bodies.y[i] -= 300;
  bodies.z[7] = 1500;
  expect_products_right<float>(bodies, TriangleMapId::lambda, "two clouds");
  expect_products_right<double>(bodies, TriangleMapId::lambda, "two clouds");
}

/// Where a few bodies have nearly all of the rms force, its largest error is a relative one times the root of n.
constexpr ErrorBound kUnevenBound{3e-6, 3e-5};

/// The sides of a close pair are the largest values of its bodies by the cube of the ratio: at a hundredth of other
/// sides half precision has no more room for the smaller halves of the others.
TEST_F(CudaTripleProducts, APairMayBeMuchNearerThanOthers) {
  const auto with_pair_at = [](double distance) {
    Bodies bodies = lattice_bodies(300);
    bodies.x[5] = bodies.x[200] + distance, bodies.y[5] = bodies.y[200], bodies.z[5] = bodies.z[200] - distance / 2;
    return bodies;
  };
  expect_products_right<float>(with_pair_at(0.1), TriangleMapId::lambda, "a tenth", kUnevenBound);
  expect_products_right<float>(with_pair_at(0.01), TriangleMapId::lambda, "a hundredth", {1e-5, 1e-4});
}

/// Bodies at random: some much nearer than the mean, so that chunks are near by the shortest of their sides.
TEST_F(CudaTripleProducts, BodiesAtRandomAgreeWithThePlainLoop) {
  Bodies bodies = cloud_bodies(small_only() ? 200 : 900);
  expect_products_right<float>(bodies, TriangleMapId::lambda, "a cloud", kUnevenBound);
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
  EXPECT_TRUE(plain([](EngineConfig& c) { c.precision = Precision::fp32; }));  // from 1,152
  EngineConfig odd = usual;
  odd.arithmetic = Arithmetic::tensor, odd.triple_block = 64;
  const std::string refusal = message_of<ConfigError>([&] { config_of(1000, odd); });
  EXPECT_NE(refusal.find("--block 64"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("192"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace tri::test
