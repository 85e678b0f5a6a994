// Typed laws on the device, in addition to tests/sim/backend, which compares them with the oracle on every map and
// tile: wide sums, slices, steps, parameters that change, threads, times.

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

// The bits of ordered sums where they are cut wide, as built-in laws have them.
TEST_F(CudaTypedPairs, OrderedBitsAreEqualWhereSumsAreCutWide) {
  if (small_only()) GTEST_SKIP() << "large";
  const u32 n = static_cast<u32>(cuda::kOrderedWide) + 301;
  const cuda::Stream stream;
  const ForceField field = typed_field(kTypedGravity);
  const HeldBodies<float> held(cloud_bodies(n), stream);
  Sums<float> first;
  for (const u32 tile : tiles_for(field, Precision::fp32, Accumulate::ordered, n)) {
    for (const TriangleMapId map : maps_for(n, tile)) {
      const EngineConfig config = pair_config<float>(Accumulate::ordered, map, tile);
      cuda::PairForces<float> forces(field, config, n, 0);
      const Sums<float> sums = sums_by(forces, held, stream);
      if (first.empty()) first = sums;
      ASSERT_TRUE(same_bits(sums, first)) << describe_pairs(config, field, n);
    }
  }
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

using CudaTypedTriples = RuntimeKernelTest;

ForceField typed_triples(const char* text) {
  ForceField field;
  field.pair = PairLaw::none;
  field.triple = TripleLaw::typed;
  field.typed_triple = triple_law(text);
  return field;
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
