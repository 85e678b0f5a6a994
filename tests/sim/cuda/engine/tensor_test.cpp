// Gravity on tensor cores: its error against float64 in clouds of many kinds, at awkward sizes, on every map; bits of
// ordered sums; what is refused; when it is chosen.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "sim/backend/engine.hpp"
#include "sim/base/numbers.hpp"
#include "sim/cuda/kernels/pairs.hpp"
#include "tests/sim/cuda/cuda_support.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {
namespace {

class CudaTensor : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (!IsSkipped() && !cuda::has_tensor_gravity(0)) GTEST_SKIP() << "the compute capability is below 8.0";
  }
};

EngineConfig tensor_config(Tolerance tolerance, Accumulate accumulate = Accumulate::fast,
                           TriangleMapId map = TriangleMapId::lambda) {
  EngineConfig config = pair_config<float>(accumulate, map);
  config.arithmetic = Arithmetic::tensor, config.tolerance = tolerance;
  return config;
}

EngineConfig float32_config() {
  EngineConfig config = pair_config<float>(Accumulate::fast);
  config.arithmetic = Arithmetic::float32;
  return config;
}

/// A body in a random direction, at this distance from the origin.
void add_at(Bodies& b, SplitMix64& random, double r, double m) {
  const double c = 2 * random.uniform() - 1, phi = 2 * std::numbers::pi * random.uniform(), s = std::sqrt(1 - c * c);
  b.add(r * s * std::cos(phi), r * s * std::sin(phi), r * c, 0, 0, 0, m);
}

struct Cloud {
  const char* name;
  double softening;
  /// The radius of a body for a number between 0 and 1, if the cloud is a ball.
  std::function<double(double)> radius;
  std::function<void(Bodies&, SplitMix64&, u32 i, u32 n)> add;
};

Bodies make(const Cloud& cloud, u32 n) {
  Bodies b;
  SplitMix64 random{42};
  for (u32 i = 0; i < n; ++i) {
    if (cloud.add) {
      cloud.add(b, random, i, n);
    } else {
      const double r = cloud.radius(random.uniform());
      add_at(b, random, r, (0.5 + random.uniform()) / n);
    }
  }
  return as_held(b, Precision::fp32);
}

double plummer_radius(double u) { return 0.589 / std::sqrt(std::pow(0.999 * u + 1e-12, -2.0 / 3) - 1); }
double hernquist_radius(double u) {
  const double root = std::sqrt(0.999 * u + 1e-12);
  return 0.3 * root / (1 - root);
}

/// Clouds on whose errors the tolerances were chosen.
const Cloud kUsual[] = {{"Plummer", 0.02, plummer_radius, {}},
                        {"ball", 0.02, [](double u) { return std::cbrt(u); }, {}}};

/// Clouds that are hard in one way or another.
const Cloud kHard[] = {
    {"Hernquist cusp", 0.001, hernquist_radius, {}},
    {"masses over six decades",
     0.02,
     {},
     [](Bodies& b, SplitMix64& random, u32, u32 n) {
       const double r = plummer_radius(random.uniform());
       add_at(b, random, r, std::pow(10.0, -6 * random.uniform()) / n);
     }},
    {"lattice",
     0.02,
     {},
     [](Bodies& b, SplitMix64&, u32 i, u32 n) {
       const u32 side = static_cast<u32>(std::ceil(std::cbrt(n)));
       b.add(2.0 * (i % side) / side, 2.0 * (i / side % side) / side, 2.0 * (i / side / side) / side, 0, 0, 0, 1.0 / n);
     }},
    {"two clouds far apart",
     0.02,
     {},
     [](Bodies& b, SplitMix64& random, u32 i, u32 n) {
       add_at(b, random, std::cbrt(random.uniform()), 1.0 / n);
       b.x.back() += i % 2 == 0 ? 1000 : -1000;
     }},
    {"plane",
     0.02,
     {},
     [](Bodies& b, SplitMix64& random, u32, u32 n) {
       const double x = random.uniform(), y = random.uniform();
       b.add(x, y, 0.5, 0, 0, 0, 1.0 / n);
     }},
    {"line",
     0.02,
     {},
     [](Bodies& b, SplitMix64& random, u32, u32 n) {
       const double x = random.uniform();
       b.add(x, 2 * x, -x, 0, 0, 0, 1.0 / n);
     }},
};

struct TensorError {
  double rms = 0, most = 0;
};

TensorError error_of(const Sums<float>& got, const Sums<double>& expected) {
  double square = 0, difference = 0, largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const cuda::Vec4<double>& e = expected[i];
    const double x = got[i].x - e.x, y = got[i].y - e.y, z = got[i].z - e.z, e2 = x * x + y * y + z * z;
    square += e.x * e.x + e.y * e.y + e.z * e.z;
    difference += e2;
    if (!(e2 <= largest)) largest = e2;  // keeps a NaN
  }
  return {std::sqrt(difference / square), std::sqrt(largest * static_cast<double>(got.size()) / square)};
}

/// Bodies and their accelerations by the float64 kernel, which other tests compare with the oracle.
struct Expected {
  HeldBodies<float> held;
  Sums<double> sums;
  ForceField field;

  Expected(const Bodies& b, double softening, cudaStream_t stream) : held(b, stream), field(gravity_field(softening)) {
    // The softening as float32 has it.
    field.gravity.softening = std::sqrt(static_cast<double>(static_cast<float>(softening * softening)));
    cuda::PairForces<double> in_float64(field, pair_config<double>(Accumulate::fast), static_cast<u32>(b.size()), 0);
    sums = sums_by(in_float64, HeldBodies<double>(b, stream), stream);
  }
  TensorError by(const EngineConfig& config, cudaStream_t stream) const {
    cuda::PairForces<float> forces(field, config, held.view().n, 0);
    forces.keep_sorted(stream, held.view(), 1);
    return error_of(sums_by(forces, held, stream), sums);
  }
};

constexpr std::pair<Tolerance, double> kNamed[] = {
    {Tolerance::close, 3e-7}, {Tolerance::middle, 1e-6}, {Tolerance::loose, 2e-6}};

TEST_F(CudaTensor, IsWithinEachToleranceInUsualClouds) {
  if (small_only()) GTEST_SKIP() << "large";
  const cuda::Stream stream;
  for (const u32 n : {65536u, 100001u, 262144u}) {
    for (const Cloud& cloud : kUsual) {
      SCOPED_TRACE(fmt::format("{}, n = {}", cloud.name, n));
      const Expected expected(make(cloud, n), cloud.softening, stream);
      for (const auto& [tolerance, most] : kNamed) {
        const TensorError error = expected.by(tensor_config(tolerance), stream);
        printf("%s, n = %u, tolerance %s: rms %.2e, largest %.2e\n", cloud.name, n, to_string(tolerance).c_str(),
               error.rms, error.most);
        EXPECT_LE(error.rms, most);
        EXPECT_GE(error.rms, most / 50) << "not the tensor cores?";
      }
      const TensorError plain = expected.by(float32_config(), stream);
      const TensorError automatic = expected.by(tensor_config(Tolerance::automatic), stream);
      printf("%s, n = %u: float32 rms %.2e, largest %.2e; auto %.2e, %.2e\n", cloud.name, n, plain.rms, plain.most,
             automatic.rms, automatic.most);
      EXPECT_LE(automatic.rms, 1.5 * plain.rms);
      EXPECT_LE(automatic.most, 3 * plain.most);
      if (n < 262144) continue;
      const TensorError close = expected.by(tensor_config(Tolerance::close), stream);
      EXPECT_LE(close.rms, plain.rms);
      EXPECT_LE(close.most, plain.most);
    }
  }
}

TEST_F(CudaTensor, IsWithinEachToleranceInHardClouds) {
  if (small_only()) GTEST_SKIP() << "large";
  const cuda::Stream stream;
  const u32 n = 65536 + 77;
  for (const Cloud& cloud : kHard) {
    SCOPED_TRACE(cloud.name);
    const Bodies bodies = make(cloud, n);
    const bool line = on_a_line(bodies);  // which `automatic` leaves to float32
    EXPECT_EQ(line, std::string(cloud.name) == "line");
    const Expected expected(bodies, cloud.softening, stream);
    const TensorError plain = expected.by(float32_config(), stream);
    for (const auto& [tolerance, most] : kNamed) {
      const TensorError error = expected.by(tensor_config(tolerance), stream);
      printf("%s, tolerance %s: rms %.2e, largest %.2e; float32 %.2e, %.2e\n", cloud.name, to_string(tolerance).c_str(),
             error.rms, error.most, plain.rms, plain.most);
      EXPECT_LE(error.rms, line ? std::max(7e-7, 1.2 * most) : most);
    }
    if (line) {
      EXPECT_EQ(
          engine_of(bodies, gravity_field(cloud.softening), pair_config<float>(Accumulate::fast))->config().arithmetic,
          Arithmetic::float32);
      continue;
    }
    const TensorError automatic = expected.by(tensor_config(Tolerance::automatic), stream);
    printf("%s, auto: rms %.2e, largest %.2e\n", cloud.name, automatic.rms, automatic.most);
    EXPECT_LE(automatic.rms, 1.5 * plain.rms);
    EXPECT_LE(automatic.most, 3 * plain.most);
  }
}

TEST_F(CudaTensor, AwkwardSizesAgreeWithFloat64) {
  const cuda::Stream stream;
  for (const u32 n : sizes({1, 2, 3, 31, 63, 64, 65, 127, 128, 129, 255, 257, 1000, 4095, 4096, 4097, 12345})) {
    const Expected expected(make(kUsual[0], n), 0.02, stream);
    for (const Accumulate accumulate : kAccumulates) {
      const TensorError error = expected.by(tensor_config(Tolerance::loose, accumulate), stream);
      EXPECT_TRUE(n == 1 ? std::isnan(error.rms) : error.rms <= 2e-6) << n << ": " << error.rms;  // 1: 0 of 0
    }
  }
}

// Softened bodies at one point: every acceleration is 0.
TEST_F(CudaTensor, OnePointPullsNowhere) {
  const cuda::Stream stream;
  Bodies b;
  for (int i = 0; i < 700; ++i) b.add(0.25, -3, 1e6, 0, 0, 0, 1);
  const HeldBodies<float> held(b, stream);
  cuda::PairForces<float> forces(gravity_field(0.1), tensor_config(Tolerance::automatic), 700, 0);
  for (const auto& s : sums_by(forces, held, stream)) {
    ASSERT_TRUE(s.x == 0 && s.y == 0 && s.z == 0);
  }
}

// Without softening two bodies at one place have an infinite term, and no others have.
TEST_F(CudaTensor, ABodyIsNotItsOwnNeighbour) {
  const cuda::Stream stream;
  Bodies b = as_held(cloud_bodies(3001), Precision::fp32);
  const auto not_finite = [&](const Bodies& bodies) {
    const HeldBodies<float> held(bodies, stream);
    cuda::PairForces<float> forces(gravity_field(0), tensor_config(Tolerance::automatic), 3001, 0);
    forces.keep_sorted(stream, held.view(), 1);
    std::vector<u32> broken;
    const Sums<float> sums = sums_by(forces, held, stream);
    for (u32 i = 0; i < sums.size(); ++i) {
      if (!std::isfinite(sums[i].x + sums[i].y + sums[i].z)) broken.push_back(i);
    }
    return broken;
  };
  EXPECT_TRUE(not_finite(b).empty());
  b.x[17] = b.x[2900], b.y[17] = b.y[2900], b.z[17] = b.z[2900];
  EXPECT_EQ(not_finite(b), (std::vector<u32>{17, 2900}));
}

TEST_F(CudaTensor, MassesMayBeZeroAndGravityStrong) {
  const cuda::Stream stream;
  const u32 n = 5000;
  Bodies b = make(kUsual[0], n);
  for (u32 i = 0; i < n; i += 3) b.m[i] = 0;
  for (u32 i = 0; i < 200; ++i) b.m[i] = 0;
  Expected expected(b, 0.02, stream);
  expected.field.gravity.G = 6.7e9;
  for (auto& e : expected.sums) e.x *= 6.7e9, e.y *= 6.7e9, e.z *= 6.7e9;
  EXPECT_LE(expected.by(tensor_config(Tolerance::middle), stream).rms, 1e-6);
}

TEST_F(CudaTensor, OrderedSumsHaveOneSetOfBits) {
  const cuda::Stream stream;
  const u32 n = small_only() ? 5000 : 40000;
  const HeldBodies<float> held(make(kUsual[0], n), stream);
  Sums<float> first;
  u32 compared = 0;
  for (const TriangleMapId map : maps_for(n, cuda::kTensorBlock)) {
    for (const double slice_ms : {0.0, 1e-3}) {
      EngineConfig config = tensor_config(Tolerance::automatic, Accumulate::ordered, map);
      config.slice_ms = slice_ms;
      cuda::PairForces<float> forces(gravity_field(0.02), config, n, 0);
      EXPECT_EQ(forces.block(), cuda::kTensorBlock);
      EXPECT_TRUE(forces.on_tensor_cores());
      const Sums<float> sums = sums_by(forces, held, stream);
      ASSERT_FALSE(forces.left_range(stream));
      if (first.empty()) first = sums;
      EXPECT_TRUE(same_bits(sums, first)) << info(map).name << ", slices of " << slice_ms << " ms";
      EXPECT_TRUE(same_bits(sums_by(forces, held, stream), first)) << "again";
      ++compared;
    }
  }
  EXPECT_GE(compared, 10u);
}

TEST_F(CudaTensor, SortingAndMapsChangeNoMoreThanRounding) {
  const cuda::Stream stream;
  const u32 n = small_only() ? 5000 : 30011;
  const Expected expected(make(kUsual[0], n), 0.02, stream);
  for (const TriangleMapId map : maps_for(n, cuda::kTensorBlock)) {
    cuda::PairForces<float> forces(expected.field, tensor_config(Tolerance::middle, Accumulate::fast, map), n, 0);
    EXPECT_LE(error_of(sums_by(forces, expected.held, stream), expected.sums).rms, 1e-6) << info(map).name;
    forces.keep_sorted(stream, expected.held.view(), 1);
    EXPECT_LE(error_of(sums_by(forces, expected.held, stream), expected.sums).rms, 1e-6) << info(map).name;
  }
}

TEST_F(CudaTensor, IsChosenForManyBodiesAndRefusedWithAReason) {
  const auto arithmetic_of = [](u32 n, const EngineConfig& config, const ForceField& field) {
    return engine_of(as_held(cloud_bodies(n), Precision::fp32), field, config)->config().arithmetic;
  };
  const EngineConfig usual = pair_config<float>(Accumulate::fast);
  EXPECT_EQ(arithmetic_of(1000, usual, gravity_field()), Arithmetic::float32);
  EXPECT_EQ(arithmetic_of(65535, usual, gravity_field()), Arithmetic::float32);
  EXPECT_EQ(arithmetic_of(65536, usual, gravity_field()), Arithmetic::tensor);
  EXPECT_EQ(arithmetic_of(70000, float32_config(), gravity_field()), Arithmetic::float32);
  EXPECT_EQ(arithmetic_of(70000, pair_config<float>(Accumulate::ordered), gravity_field()), Arithmetic::float32);
  EXPECT_EQ(arithmetic_of(70000, pair_config<float>(Accumulate::fast, TriangleMapId::lambda, 256), gravity_field()),
            Arithmetic::float32);
  EXPECT_EQ(arithmetic_of(70000, pair_config<double>(Accumulate::fast), gravity_field()), Arithmetic::float32);
  EXPECT_EQ(arithmetic_of(1000, tensor_config(Tolerance::close, Accumulate::ordered), gravity_field()),
            Arithmetic::tensor);

  const auto refusal_of = [&](const EngineConfig& config, const ForceField& field) {
    return message_of<ConfigError>([&] { arithmetic_of(1000, config, field); });
  };
  EXPECT_NE(refusal_of(tensor_config(Tolerance::automatic), lennard_jones_field()).find("lennard-jones"),
            std::string::npos);
  EngineConfig config = tensor_config(Tolerance::automatic);
  config.precision = Precision::fp64;
  EXPECT_NE(refusal_of(config, gravity_field()).find("--precision fp32"), std::string::npos);
  config = tensor_config(Tolerance::automatic);
  config.pair_block = 256;
  EXPECT_NE(refusal_of(config, gravity_field()).find("--block 256"), std::string::npos);
}

// For a hundred crossing times: the energy shows whether forces are biased.
TEST_F(CudaTensor, AClusterKeepsItsEnergyAsInFloat32) {
  if (small_only()) GTEST_SKIP() << "large";
  Bodies b = make(kUsual[0], 16384);
  SplitMix64 random{7};
  for (u32 i = 0; i < 16384; ++i) {  // in equilibrium: the dispersion at each radius is that of the sphere
    const double x = b.x[i] / 0.589, y = b.y[i] / 0.589, z = b.z[i] / 0.589;
    const double dispersion = std::sqrt(1 / (6 * 0.589 * std::sqrt(1 + x * x + y * y + z * z)));
    const auto component = [&] { return dispersion * std::sqrt(3.0) * (2 * random.uniform() - 1); };
    b.vx[i] = component(), b.vy[i] = component(), b.vz[i] = component();
  }
  const auto error_after = [&](const EngineConfig& config) {
    const auto engine = engine_of(b, gravity_field(0.05), config);
    const auto energy = [&] {
      const Diagnostics d = engine->diagnose();
      return d.kinetic + d.potential;
    };
    const double first = energy();
    double largest = 0;  // of 20: one alone is a matter of chance
    for (int part = 0; part < 20; ++part) {
      engine->advance(Integrator::kdk, 0.01, 28300 / 20);
      largest = std::max(largest, std::abs(energy() / first - 1));
    }
    return largest;
  };
  const double plain = error_after(float32_config()), tensor = error_after(tensor_config(Tolerance::automatic));
  printf("energy error: float32 %.2e, tensor %.2e\n", plain, tensor);
  // Close encounters, which differ from run to run, make either error up to three times the other.
  EXPECT_LE(tensor, 2 * plain + 1e-5);
}

// Triples as matrix products: bits of ordered sums over maps of pairs, all maps, units of length, clouds far apart, and
// when they are chosen. verify compares them with the oracle.

// Gravity by a tree, in the same clouds: near pairs one by one, far ones by series.

class CudaTree : public CudaTest {};

template <class Real>
EngineConfig tree_config(Tolerance tolerance, TriangleMapId map = TriangleMapId::lambda) {
  EngineConfig config = pair_config<Real>(Accumulate::ordered, map);
  config.pairs = PairSearch::tree, config.tolerance = tolerance;
  return config;
}

struct TreeResult {
  double rms = 0, net = 0;  ///< error relative to the rms acceleration; of sum m a, relative to sum m |a|
  cuda::TreeMeetings met;
};

template <class Real>
TreeResult by_tree(const Bodies& b, double softening, const Sums<double>& expected, Tolerance tolerance,
                   cudaStream_t stream) {
  const HeldBodies<Real> held(b, stream);
  const u32 n = static_cast<u32>(b.size());
  cuda::PairForces<Real> forces(gravity_field(softening), tree_config<Real>(tolerance), n, 0);
  const Sums<Real> got = sums_by(forces, held, stream);
  double square = 0, difference = 0, net[3] = {0, 0, 0}, force = 0;
  for (u32 i = 0; i < n; ++i) {
    const double g[3] = {got[i].x, got[i].y, got[i].z}, e[3] = {expected[i].x, expected[i].y, expected[i].z};
    for (u32 k = 0; k < 3; ++k) {
      difference += (g[k] - e[k]) * (g[k] - e[k]), square += e[k] * e[k];
      net[k] += b.m[i] * g[k], force += b.m[i] * std::abs(g[k]);
    }
  }
  return {std::sqrt(difference / std::max(square, 1e-300)),
          std::sqrt(net[0] * net[0] + net[1] * net[1] + net[2] * net[2]) / std::max(force, 1e-300), forces.met()};
}

TEST_F(CudaTree, ErrorsAreWithinTheTolerance) {
  const cuda::Stream stream;
  const u32 n = small_only() ? 1000 : 65536 + 77;
  std::vector<Cloud> clouds(std::begin(kUsual), std::end(kUsual));
  clouds.insert(clouds.end(), std::begin(kHard), std::end(kHard));
  for (const Cloud& cloud : clouds) {
    SCOPED_TRACE(cloud.name);
    const Bodies b = make(cloud, n);
    const Expected expected(b, cloud.softening, stream);
    for (const Tolerance tolerance :
         {Tolerance::e_3, Tolerance::e_4, Tolerance::e_5x3, Tolerance::middle, Tolerance::close}) {
      const double most = tree_tolerance(tree_config<float>(tolerance));
      const TreeResult r = by_tree<float>(b, cloud.softening, expected.sums, tolerance, stream);
      printf("%s, tolerance %g: rms %.2e, net %.1e, near %.3f of all\n", cloud.name, most, r.rms, r.net,
             static_cast<double>(r.met.near) / static_cast<double>(r.met.met));
      EXPECT_LE(r.rms, on_a_line(b) ? std::max(7e-7, most) : most);
      EXPECT_LE(r.net, 1e-6);
      EXPECT_EQ(r.met.met, u64{n} * (n - 1) / 2);
      EXPECT_TRUE(tolerance != Tolerance::e_3 || small_only() || r.met.near < r.met.met / 2);
    }
    for (const Tolerance tolerance : {Tolerance::e_9, Tolerance::middle, Tolerance::e_4}) {
      const double most = tree_tolerance(tree_config<double>(tolerance));
      const TreeResult r = by_tree<double>(b, cloud.softening, expected.sums, tolerance, stream);
      // The softening of what is compared with is rounded to float32.
      EXPECT_LE(r.rms, std::max(most, 1e-7));
      EXPECT_LE(r.net, 1e-14);
      EXPECT_EQ(r.met.met, u64{n} * (n - 1) / 2);
    }
  }
}

TEST_F(CudaTree, AnyNumberOfBodies) {
  const cuda::Stream stream;
  for (const u32 n :
       sizes({1, 2, 3, 31, 63, 64, 65, 127, 128, 129, 255, 300, 511, 512, 513, 4095, 4096, 4097, 12345})) {
    for (const double softening : {0.0, 0.02}) {
      const Bodies b = make(kUsual[0], n);
      const Expected expected(b, softening, stream);
      const TreeResult r = by_tree<float>(b, softening, expected.sums, Tolerance::middle, stream);
      EXPECT_LE(r.rms, 1e-6) << n;
      EXPECT_EQ(r.met.met, u64{n} * (n - 1) / 2) << n;
      EXPECT_LE(by_tree<double>(b, 0, Expected(b, 0, stream).sums, Tolerance::e_9, stream).rms, 1e-9) << n;
    }
  }
  const u32 many = small_only() ? 64 : 1200000;  // whose entries have 64 bits, and not 32
  const Bodies b = make(kUsual[0], many);
  const TreeResult r = by_tree<float>(b, 0.02, Expected(b, 0.02, stream).sums, Tolerance::e_4, stream);
  EXPECT_LE(r.rms, 1e-4);
  EXPECT_EQ(r.met.met, u64{many} * (many - 1) / 2);
}

/// In whatever order a map visits the squares, however often, and however ranks share them.
TEST_F(CudaTree, BitsDependOnThePositionsAlone) {
  const cuda::Stream stream;
  const u32 n = small_only() ? 130 : 30001;
  const Bodies b = make(kUsual[0], n);
  const HeldBodies<float> held(b, stream);
  const auto bits = [&](const EngineConfig& config) {
    cuda::PairForces<float> forces(gravity_field(0.02), config, n, 0);
    const Sums<float> first = sums_by(forces, held, stream), sums = sums_by(forces, held, stream);
    EXPECT_EQ(std::memcmp(first.data(), sums.data(), n * sizeof(sums[0])), 0);
    return sums;
  };
  const Sums<float> expected = bits(tree_config<float>(Tolerance::e_4));
  for (const TriangleMapId map : maps_for(n, cuda::kTensorBlock)) {
    const Sums<float> got = bits(tree_config<float>(Tolerance::e_4, map));
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), n * sizeof(got[0])), 0) << info(map).name;
  }
  Sums<float> shared(n);
  for (u32 rank = 0; rank < 3; ++rank) {
    cuda::DeviceBuffer<cuda::Vec4<float>> out(n);
    out.fill_bytes(0, stream);
    cuda::prepare_tree_gravity<float>(gravity_field(0.02), TriangleMapId::lambda, n, 1e-4, false, rank, 3)
        .sums.enqueue(stream, held.view(), {out.data(), nullptr, nullptr});
    const Sums<float> part = out.download(stream);
    for (u32 i = 0; i < n; ++i) {
      shared[i].x += part[i].x, shared[i].y += part[i].y, shared[i].z += part[i].z, shared[i].w += part[i].w;
    }
  }
  EXPECT_EQ(std::memcmp(shared.data(), expected.data(), n * sizeof(shared[0])), 0);
}

TEST_F(CudaTree, TwoBodiesAtOnePlaceAndManyInOne) {
  const cuda::Stream stream;
  Bodies b = as_held(cloud_bodies(3001), Precision::fp32);
  b.x[17] = b.x[2900], b.y[17] = b.y[2900], b.z[17] = b.z[2900];
  cuda::PairForces<float> forces(gravity_field(0), tree_config<float>(Tolerance::e_4), 3001, 0);
  std::vector<u32> broken;
  const Sums<float> sums = sums_by(forces, HeldBodies<float>(b, stream), stream);
  for (u32 i = 0; i < sums.size(); ++i) {
    if (!std::isfinite(sums[i].x + sums[i].y + sums[i].z)) broken.push_back(i);
  }
  EXPECT_EQ(broken, (std::vector<u32>{17, 2900}));
  Bodies point;
  for (int i = 0; i < 700; ++i) point.add(0.25, -3, 1e6, 0, 0, 0, 1);
  cuda::PairForces<float> nowhere(gravity_field(0.1), tree_config<float>(Tolerance::e_4), 700, 0);
  for (const auto& s : sums_by(nowhere, HeldBodies<float>(point, stream), stream)) {
    ASSERT_TRUE(s.x == 0 && s.y == 0 && s.z == 0);
  }
}

TEST_F(CudaTree, EnergiesAndStepsAreThoseOfAllPairs) {
  const Bodies b = make(kUsual[0], small_only() ? 130 : 20000);
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    EngineConfig config = tree_config<double>(Tolerance::e_4);
    config.precision = precision;
    const auto tree = engine_of(b, gravity_field(0.02), config);
    config.pairs = PairSearch::all, config.tolerance = Tolerance::automatic;
    const auto all = engine_of(b, gravity_field(0.02), config);
    const Diagnostics found = tree->diagnose(), right = all->diagnose();
    EXPECT_NEAR(found.potential, right.potential, 1e-8 * std::abs(right.potential));
    EXPECT_NEAR(found.virial, right.virial, 1e-7 * std::abs(right.virial));
    tree->advance(Integrator::kdk, 0.001, 4), all->advance(Integrator::kdk, 0.001, 4);
    const Bodies moved = tree->read(), expected = all->read();
    for (std::size_t i = 0; i < b.size(); ++i) ASSERT_NEAR(moved.x[i], expected.x[i], 1e-6) << i;
    EXPECT_EQ(tree->config().pairs, PairSearch::tree);
  }
  const auto tree = engine_of(b, gravity_field(0.02), tree_config<double>(Tolerance::e_4));
  EXPECT_THROW(tree->advance(Integrator::hermite, 0.01, 1), ConfigError);
  EngineConfig tensor = tree_config<float>(Tolerance::close);
  tensor.arithmetic = Arithmetic::tensor;
  expect_parts(message_of<ConfigError>([&] { engine_of(b, gravity_field(0.02), tensor); }), {"--pairs all"});
}

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
  expect_parts(refusal, {"--block 64", "192"});
}

}  // namespace
}  // namespace tri::test
