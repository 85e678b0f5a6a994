// Typed pair laws on the device: against their programs in float64, against the laws of sim/laws, over maps, tiles,
// precisions and ways to sum; in an engine, with parameters that change.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#include "sim/cuda/jit/runtime_kernel.hpp"
#include "sim/cuda/kernels/triples.hpp"
#include "sim/laws/law_basics.hpp"
#include "tests/sim/cuda/cuda_support.hpp"
#include "tests/sim/text/text_support.hpp"

namespace tri::test {
namespace {

namespace fs = std::filesystem;

using CudaTypedPairs = RuntimeKernelTest;

ForceField typed_field(const std::string& text) {
  ForceField field;
  field.pair = PairLaw::typed;
  field.typed_pair = pair_law(text);
  return field;
}

/// Bodies at which the law is tame: a cloud with charges, or a lattice for laws with a core.
Bodies bodies_for(const std::string& name, u32 n) {
  const bool cloud = name == "gravity" || name == "soft_gravity" || name == "yukawa" || name == "logarithm";
  Bodies bodies = cloud ? cloud_bodies(n) : lattice_bodies(n);
  SplitMix64 random{7};
  for (u32 i = 0; i < n; ++i) bodies.q.push_back(static_cast<double>(static_cast<float>(2 * random.uniform() - 1)));
  return bodies;
}

struct ExpectedPairs {
  std::vector<double> x, y, z;  ///< [n] what the law sums
  double potential = 0, virial = 0;
};

/// The law's program over all pairs, in float64, in open space.
ExpectedPairs expected_pairs(const Bodies& b, const ForceField& field) {
  const expression::Law& law = *field.typed_pair.law;
  const std::vector<double> uniforms = law.uniforms(field.typed_pair.values);
  const std::size_t n = b.size();
  ExpectedPairs sums{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double x = b.x[j] - b.x[i], y = b.y[j] - b.y[i], z = b.z[j] - b.z[i], r2 = x * x + y * y + z * z;
      const double inputs[] = {r2, b.m[i], b.m[j], b.r[i], b.r[j], b.q[i], b.q[j]};
      const std::vector<double> out = law.strength_and_energy().run<double>(inputs, uniforms);
      const double s = law.weighs_masses() ? uniforms[0] * out[0] : out[0];
      const double to_i = law.weighs_masses() ? s * b.m[j] : s, to_j = law.weighs_masses() ? s * b.m[i] : s;
      sums.x[i] += to_i * x, sums.y[i] += to_i * y, sums.z[i] += to_i * z;
      sums.x[j] -= to_j * x, sums.y[j] -= to_j * y, sums.z[j] -= to_j * z;
      sums.potential += out[1];
      sums.virial -= (law.weighs_masses() ? s * b.m[i] * b.m[j] : s) * r2;
    }
  }
  return sums;
}

/// Errors relative to the rms of the expected vectors.
template <class Real>
void expect_vectors(const Sums<Real>& got, const ExpectedPairs& expected, const std::string& what) {
  const bool fp32 = sizeof(Real) == 4;
  double square = 0, difference = 0, largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double x = expected.x[i], y = expected.y[i], z = expected.z[i];
    const double ex = double{got[i].x} - x, ey = double{got[i].y} - y, ez = double{got[i].z} - z;
    const double e2 = ex * ex + ey * ey + ez * ez;
    ASSERT_TRUE(std::isfinite(e2)) << what << ", body " << i;
    square += x * x + y * y + z * z, difference += e2, largest = std::max(largest, e2);
  }
  ASSERT_LE(std::sqrt(difference), (fp32 ? 3e-5 : 1e-12) * std::sqrt(square)) << what;
  ASSERT_LE(std::sqrt(largest), (fp32 ? 5e-4 : 1e-11) * std::sqrt(square / static_cast<double>(got.size()))) << what;
}

template <class Real>
void check_law(const NamedLaw& law, u32 n) {
  const ForceField field = typed_field(law.text);
  const Bodies bodies = as_held(bodies_for(law.name, n), kPrecisionOf<Real>);
  const ExpectedPairs expected = expected_pairs(bodies, field);
  const cuda::Stream stream;
  const HeldBodies<Real> held(bodies, stream);
  for (const Accumulate accumulate : kAccumulates) {
    for (const u32 tile : thinned(tiles_for(field, kPrecisionOf<Real>, accumulate, n))) {
      for (const TriangleMapId map : maps_for(n, tile)) {
        const EngineConfig config = pair_config<Real>(accumulate, map, tile);
        cuda::PairForces<Real> forces(field, config, n, 0);
        const std::string what = law.name + ": " + describe_pairs(config, field, n);
        for (int run = 0; run < 2; ++run) {
          expect_vectors(sums_by(forces, held, stream), expected, what);
          if (testing::Test::HasFatalFailure()) return;
        }
        ASSERT_FALSE(forces.left_range(stream)) << what;
      }
    }
    cuda::PairForces<Real> forces(field, pair_config<Real>(accumulate), n, 0);
    const cuda::PairEnergy energy = forces.energy(stream, held.view());
    const double scale = std::fabs(expected.potential) + std::fabs(expected.virial);
    EXPECT_NEAR(energy.potential, expected.potential, 1e-11 * scale) << law.name << ", n " << n;
    EXPECT_NEAR(energy.virial, expected.virial, 1e-11 * scale) << law.name << ", n " << n;
  }
}

TEST_F(CudaTypedPairs, EveryLawMapAndTileAgreesWithTheProgram) {
  for (const NamedLaw& law : typed_laws()) {
    for (const u32 n : sizes({1, 2, 31, 33, 129, 1000})) {
      check_law<float>(law, n);
      check_law<double>(law, n);
      if (HasFatalFailure()) return;
    }
  }
}

/// The same law as one of sim/laws.
struct Twin {
  std::string text;
  ForceField built_in;
  bool cloud;
};

std::vector<Twin> twins() {
  ForceField heavy = gravity_field(0.05), near = lennard_jones_field(2.5);
  heavy.gravity.G = 2.5;
  near.lennard_jones.shifted = true;
  return {{kTypedGravity, heavy, true},
          {kTypedSoftGravity, heavy, true},
          {kTypedLennardJones, lennard_jones_field(), false},
          {kTypedCut, near, false}};
}

template <class Real>
void check_twins(u32 n) {
  const cuda::Stream stream;
  for (const Twin& twin : twins()) {
    const Bodies bodies = as_held(twin.cloud ? cloud_bodies(n) : lattice_bodies(n), kPrecisionOf<Real>);
    const HeldBodies<Real> held(bodies, stream);
    const ReferenceForces reference = reference_forces(bodies, twin.built_in);
    ExpectedPairs expected{reference.fx, reference.fy, reference.fz};
    for (std::size_t i = 0; twin.cloud && i < n; ++i) {
      expected.x[i] /= bodies.m[i], expected.y[i] /= bodies.m[i], expected.z[i] /= bodies.m[i];
    }
    for (const Accumulate accumulate : kAccumulates) {
      cuda::PairForces<Real> forces(typed_field(twin.text), pair_config<Real>(accumulate), n, 0);
      expect_vectors(sums_by(forces, held, stream), expected, twin.text + ", n " + std::to_string(n));
      const cuda::PairEnergy energy = forces.energy(stream, held.view());
      EXPECT_NEAR(energy.potential, reference.potential, 1e-10 * std::fabs(reference.potential)) << twin.text;
      EXPECT_NEAR(energy.virial, reference.virial, 1e-10 * std::fabs(reference.virial)) << twin.text;
    }
  }
}

TEST_F(CudaTypedPairs, AgreeWithTheOracleOfTheSameLaw) {
  for (const u32 n : sizes({1, 2, 33, 4097})) {
    if (n == 1) continue;  // without a pair there is no rms
    check_twins<float>(n);
    check_twins<double>(n);
    if (HasFatalFailure()) return;
  }
}

template <class Real>
void check_typed_bits(const NamedLaw& law, u32 n) {
  const cuda::Stream stream;
  const ForceField field = typed_field(law.text);
  const HeldBodies<Real> held(bodies_for(law.name, n), stream);
  Sums<Real> first;
  for (const u32 tile : thinned(tiles_for(field, kPrecisionOf<Real>, Accumulate::ordered, n))) {
    for (const TriangleMapId map : maps_for(n, tile)) {
      const EngineConfig config = pair_config<Real>(Accumulate::ordered, map, tile);
      cuda::PairForces<Real> forces(field, config, n, 0);
      const Sums<Real> sums = sums_by(forces, held, stream);
      if (first.empty()) first = sums;
      ASSERT_TRUE(same_bits(sums, first)) << law.name << ": " << describe_pairs(config, field, n);
    }
  }
}

TEST_F(CudaTypedPairs, OrderedBitsAreEqualOverMapsAndTiles) {
  for (const NamedLaw& law : typed_laws()) {
    for (const u32 n : sizes({33, 700})) {
      check_typed_bits<float>(law, n);
      check_typed_bits<double>(law, n);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(CudaTypedPairs, OrderedBitsAreEqualWhereSumsAreCutWide) {
  if (small_only()) GTEST_SKIP() << "large";
  check_typed_bits<float>({"gravity", kTypedGravity}, static_cast<u32>(cuda::kOrderedWide) + 301);
}

TEST_F(CudaTypedPairs, SlicesAddUpToTheWhole) {
  const u32 n = 1000;
  const cuda::Stream stream;
  const ForceField field = typed_field(kTypedCut);
  const HeldBodies<double> held(lattice_bodies(n), stream);
  EngineConfig config = pair_config<double>(Accumulate::ordered);
  cuda::PairForces<double> whole(field, config, n, 0);
  config.slice_ms = 1e-6;
  cuda::PairForces<double> sliced(field, config, n, 0);
  EXPECT_TRUE(sliced.in_slices());
  EXPECT_TRUE(same_bits(sums_by(whole, held, stream), sums_by(sliced, held, stream)));
}

TEST_F(CudaTypedPairs, PeriodicWallsGiveNearestImages) {
  const u32 n = 512;
  const Bodies bodies = lattice_bodies(n);
  ForceField typed = typed_field(kTypedCut), built_in = lennard_jones_field(2.5);
  built_in.lennard_jones.shifted = true;
  Box box;
  box.boundary = Boundary::periodic;
  box.low = {-1, -1, -1}, box.high = {8.2, 8.2, 8.2};
  typed.box = built_in.box = box;
  const ReferenceForces reference = reference_forces(bodies, built_in);
  const cuda::Stream stream;
  const HeldBodies<double> held(bodies, stream);
  cuda::PairForces<double> forces(typed, pair_config<double>(Accumulate::ordered), n, 0);
  expect_vectors(sums_by(forces, held, stream), {reference.fx, reference.fy, reference.fz}, "periodic");
  const cuda::PairEnergy energy = forces.energy(stream, held.view());
  EXPECT_NEAR(energy.potential, reference.potential, 1e-10 * std::fabs(reference.potential));
  EXPECT_NEAR(energy.virial, reference.virial, 1e-10 * std::fabs(reference.virial));
}

TEST_F(CudaTypedPairs, StepsFollowThoseOfTheSameLaw) {
  const Bodies bodies = lattice_bodies(200);
  EngineConfig config;
  config.precision = Precision::fp64;
  config.accumulate = Accumulate::ordered;
  for (const Integrator integrator : {Integrator::kdk, Integrator::symplectic_euler, Integrator::yoshida4}) {
    const auto typed = engine_of(bodies, typed_field(kTypedLennardJones), config);
    const auto built_in = engine_of(bodies, lennard_jones_field(), config);
    // More than a graph has.
    typed->advance(integrator, 1e-4, 40), built_in->advance(integrator, 1e-4, 40);
    const Bodies a = typed->read(), b = built_in->read();
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_NEAR(a.x[i], b.x[i], 1e-10) << to_string(integrator);
      ASSERT_NEAR(a.vx[i], b.vx[i], 1e-8) << to_string(integrator);
    }
    const Diagnostics of_typed = typed->diagnose(), of_built_in = built_in->diagnose();
    EXPECT_NEAR(of_typed.potential, of_built_in.potential, 1e-9 * std::fabs(of_built_in.potential));
  }
}

std::size_t kept_kernels(const fs::path& folder) {
  std::error_code none;
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder / "kernels", none), {}));
}

TEST_F(CudaTypedPairs, AParameterThatChangesCompilesNothing) {
  const fs::path folder = fs::path(testing::TempDir()) / "tri_kernels_of_one_law";
  fs::remove_all(folder);
  setenv("TRI_CACHE", folder.c_str(), 1);
  const Bodies bodies = lattice_bodies(100);
  EngineConfig config;
  config.accumulate = Accumulate::ordered;
  // A text of its own, so that no other test of this process has compiled it.
  ForceField field = typed_field("energy = A*exp(-b*r) - C/r^6; A = 1000; b = 3.5; C = 1.5");
  const auto engine = engine_of(bodies, field, config);
  engine->advance(Integrator::kdk, 1e-3, 20);
  (void)engine->diagnose();
  const std::size_t kernels = kept_kernels(folder);
  EXPECT_EQ(kernels, 2u);
  const Bodies before = engine->read();
  field.typed_pair.values[0] = 1200;
  engine->set_field(field);
  const auto fresh = engine_of(before, field, config);
  engine->advance(Integrator::kdk, 1e-3, 20), fresh->advance(Integrator::kdk, 1e-3, 20);
  (void)engine->diagnose();
  EXPECT_EQ(engine->state_hash(), fresh->state_hash());
  EXPECT_EQ(kept_kernels(folder), kernels);
  fs::remove_all(folder);
}

TEST_F(CudaTypedPairs, ThreadsThatAskForOneKernelGetIt) {
  const u32 n = 300;
  const Bodies bodies = lattice_bodies(n);
  const ForceField field = typed_field("energy = k/(r^4 + 0.5); k = 1.25");
  std::vector<Sums<float>> sums(4);
  std::vector<std::thread> threads;
  for (Sums<float>& mine : sums) {
    threads.emplace_back([&] {
      const cuda::Stream stream;
      const HeldBodies<float> held(bodies, stream);
      cuda::PairForces<float> forces(field, pair_config<float>(Accumulate::ordered), n, 0);
      mine = sums_by(forces, held, stream);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Sums<float>& mine : sums) EXPECT_TRUE(same_bits(mine, sums[0]));
}

TEST_F(CudaTypedPairs, ABadNumberIsReported) {
  Bodies bodies = lattice_bodies(50);
  bodies.x[7] = bodies.x[3], bodies.y[7] = bodies.y[3], bodies.z[7] = bodies.z[3];
  const auto engine = engine_of(bodies, typed_field(kTypedLennardJones), {});
  EXPECT_THROW(engine->advance(Integrator::kdk, 1e-3, 3), NumericalError);
}

/// The best of some evaluations, in ms.
double best_ms(const ForceField& field, const Bodies& bodies) {
  const cuda::Stream stream;
  const u32 n = static_cast<u32>(bodies.size());
  const HeldBodies<float> held(bodies, stream);
  EngineConfig config = pair_config<float>(Accumulate::fast);
  config.arithmetic = Arithmetic::float32;
  cuda::PairForces<float> forces(field, config, n, 0);
  cuda::DeviceBuffer<cuda::Vec4<float>> out(n);
  double best = 1e30;
  for (int round = 0; round < 30; ++round) {
    cuda::EventTimer timer;
    timer.start(stream), forces.enqueue(stream, held.view(), out.data()), timer.stop(stream);
    best = std::min(best, static_cast<double>(timer.elapsed_ms()));
  }
  return best;
}

// Times need a device of one's own: TRI_TIME=1.
TEST_F(CudaTypedPairs, AreAboutAsFastAsTheSameLawBuiltIn) {
  if (!flag_set("TRI_TIME")) GTEST_SKIP() << "TRI_TIME=1 asks for it";
  const u32 n = 65536;
  for (const Twin& twin : twins()) {
    const Bodies bodies = twin.cloud ? cloud_bodies(n) : lattice_bodies(n);
    const double typed = best_ms(typed_field(twin.text), bodies), built_in = best_ms(twin.built_in, bodies);
    std::printf("%-70s %.3f ms, built in %.3f ms: %.1f %% of its speed\n", twin.text.c_str(), typed, built_in,
                100 * built_in / typed);
    EXPECT_GE(built_in / typed, twin.cloud ? 0.9 : 0.95) << twin.text;
  }
}

// First use: TRI_TIME=1, too.
TEST_F(CudaTypedPairs, AreCompiledInHalfASecond) {
  if (!flag_set("TRI_TIME")) GTEST_SKIP() << "TRI_TIME=1 asks for it";
  const fs::path folder = fs::path(testing::TempDir()) / "tri_kernels_of_a_timing";
  fs::remove_all(folder);
  setenv("TRI_CACHE", folder.c_str(), 1);
  const auto seconds = [](const char* exponent) {
    const auto start = std::chrono::steady_clock::now();
    cuda::PairForces<float> forces(typed_field(std::string("energy = k/r^") + exponent + "; k = 1"),
                                   pair_config<float>(Accumulate::fast), 1000, 0);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double first = seconds("5"), second = seconds("7"), power = seconds("3.25"), again = seconds("5");
  std::printf(
      "first law of a process %.3f s, second %.3f s, one with a power of no whole exponent %.3f s, known %.4f s\n",
      first, second, power, again);
  EXPECT_LE(first, 0.6) << "the first of a process loads NVRTC, too";
  EXPECT_LE(second, 0.5);
  EXPECT_LE(power, 1.0);
  EXPECT_LE(again, 0.02);
  fs::remove_all(folder);
}

// Typed triple laws on the device: against the oracle of Axilrod and Teller, against a law's program in float64, over
// maps and tiles.

using CudaTypedTriples = RuntimeKernelTest;

ForceField typed_triples(const char* text) {
  ForceField field;
  field.pair = PairLaw::none;
  field.triple = TripleLaw::typed;
  field.typed_triple = triple_law(text);
  return field;
}

struct ExpectedTriples {
  std::vector<double> x, y, z;  ///< [n] forces
  double potential = 0, virial = 0;
};

/// The law's program over all triples, in float64.
ExpectedTriples expected_triples(const Bodies& b, const ForceField& field) {
  const expression::Law& law = *field.typed_triple.law;
  const std::vector<double> uniforms = law.uniforms(field.typed_triple.values);
  const std::size_t n = b.size();
  ExpectedTriples sums{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  const auto square = [&](std::size_t p, std::size_t q) {
    const double x = b.x[q] - b.x[p], y = b.y[q] - b.y[p], z = b.z[q] - b.z[p];
    return x * x + y * y + z * z;
  };
  const auto pull = [&](std::size_t p, std::size_t q, double strength) {
    const double x = strength * (b.x[q] - b.x[p]), y = strength * (b.y[q] - b.y[p]), z = strength * (b.z[q] - b.z[p]);
    sums.x[p] += x, sums.y[p] += y, sums.z[p] += z;
    sums.x[q] -= x, sums.y[q] -= y, sums.z[q] -= z;
    sums.virial -= strength * square(p, q);
  };
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        const double inputs[] = {square(i, j), square(j, k), square(k, i)};
        const std::vector<double> out = law.strength_and_energy().run<double>(inputs, uniforms);
        pull(i, j, out[0]), pull(j, k, out[1]), pull(k, i, out[2]);
        sums.potential += out[3];
      }
    }
  }
  return sums;
}

template <class Real>
Sums<Real> triple_sums_by(cuda::TripleForces<Real>& forces, const HeldBodies<Real>& held, cudaStream_t stream) {
  cuda::DeviceBuffer<cuda::Vec4<Real>> out(held.view().n);
  out.fill_bytes(0xff, stream);
  forces.enqueue(stream, held.view(), out.data());
  return out.download(stream);
}

std::vector<TetraMapId> tetra_maps_for(u32 n, u32 tile) {
  std::vector<TetraMapId> maps;
  for (u32 id = 0; id < kTetraMapCount; ++id) {
    const auto map = static_cast<TetraMapId>(id);
    if (info(map).space == Space::block && refusal(info(map), n, tile).empty()) maps.push_back(map);
  }
  return maps;
}

template <class Real>
void check_triples(const char* text, u32 n, const ExpectedTriples* oracle = nullptr) {
  const bool fp32 = sizeof(Real) == 4;
  const ForceField field = typed_triples(text);
  const Bodies bodies = as_held(lattice_bodies(n), kPrecisionOf<Real>);
  const ExpectedTriples expected = oracle != nullptr ? *oracle : expected_triples(bodies, field);
  const cuda::Stream stream;
  const HeldBodies<Real> held(bodies, stream);
  for (const Accumulate accumulate : kAccumulates) {
    Sums<Real> first;
    for (const u32 tile : thinned(std::vector<u32>(cuda::kTripleTiles))) {
      for (const TetraMapId map : tetra_maps_for(n, tile)) {
        EngineConfig config = pair_config<Real>(accumulate);
        config.triple_map = map, config.triple_block = tile;
        cuda::TripleForces<Real> forces(field, config, n, 0);
        const Sums<Real> sums = triple_sums_by(forces, held, stream);
        const std::string what = std::string(info(map).name) + ", tile " + std::to_string(tile) + ", n " +
                                 std::to_string(n) + ", " + to_string(accumulate) + (fp32 ? ", fp32" : ", fp64");
        double square = 0, difference = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const double ex = double{sums[i].x} - expected.x[i], ey = double{sums[i].y} - expected.y[i];
          const double ez = double{sums[i].z} - expected.z[i];
          ASSERT_EQ(sums[i].w, Real(0)) << what;
          square += expected.x[i] * expected.x[i] + expected.y[i] * expected.y[i] + expected.z[i] * expected.z[i];
          difference += ex * ex + ey * ey + ez * ez;
        }
        ASSERT_LE(std::sqrt(difference), (fp32 ? 5e-5 : 1e-11) * std::sqrt(square)) << what;
        if (accumulate == Accumulate::fast) continue;
        if (first.empty()) first = sums;
        ASSERT_TRUE(same_bits(sums, first)) << what;
      }
    }
    cuda::TripleForces<Real> forces(field, pair_config<Real>(accumulate), n, 0);
    const cuda::PairEnergy energies = forces.energies(stream, held.view());
    const double scale = std::fabs(expected.potential) + std::fabs(expected.virial);
    EXPECT_NEAR(energies.potential, expected.potential, 1e-10 * scale) << n;
    EXPECT_NEAR(energies.virial, expected.virial, 1e-10 * scale) << n;
  }
}

TEST_F(CudaTypedTriples, EveryMapAndTileAgreesWithTheProgram) {
  for (const u32 n : sizes({1, 2, 3, 31, 33, 65, 130})) {
    for (const char* text : {kTypedAxilrodTeller, kTypedTriples}) {
      check_triples<float>(text, n);
      check_triples<double>(text, n);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(CudaTypedTriples, AgreeWithTheOracleOfAxilrodAndTeller) {
  const u32 n = 100;
  const ReferenceForces reference = reference_forces(lattice_bodies(n), triple_field());
  ASSERT_EQ(triple_field().axilrod_teller.nu, 0.072);
  const ExpectedTriples expected{reference.fx, reference.fy, reference.fz, reference.potential, reference.virial};
  check_triples<double>(kTypedAxilrodTeller, n, &expected);
}

TEST_F(CudaTypedTriples, GoWithPairsInAnEngine) {
  const Bodies bodies = lattice_bodies(90);
  ForceField typed = typed_triples(kTypedAxilrodTeller), built_in = argon_field();
  typed.pair = PairLaw::typed, typed.typed_pair = pair_law(kTypedLennardJones);
  EngineConfig config;
  config.precision = Precision::fp64;
  const auto a = engine_of(bodies, typed, config), b = engine_of(bodies, built_in, config);
  a->advance(Integrator::kdk, 1e-4, 20), b->advance(Integrator::kdk, 1e-4, 20);
  const Bodies x = a->read(), y = b->read();
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x.vx[i], y.vx[i], 1e-9) << i;
  const Diagnostics of_typed = a->diagnose(), of_built_in = b->diagnose();
  EXPECT_NEAR(of_typed.potential, of_built_in.potential, 1e-9 * std::fabs(of_built_in.potential));
  EXPECT_NEAR(of_typed.triple_potential, of_built_in.triple_potential, 1e-9 * std::fabs(of_built_in.triple_potential));
  EXPECT_NEAR(of_typed.virial, of_built_in.virial, 1e-9 * std::fabs(of_built_in.virial));
}

}  // namespace
}  // namespace tri::test
