// Typed laws and maps on the device, in addition to tests/sim/backend, which compares typed laws with the oracle on
// every map and tile: wide sums, slices, steps, parameters that change, threads, times; and the kernels that typed maps
// drive.

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <thread>

#include "sim/base/numbers.hpp"
#include "sim/cuda/engine/jobs.hpp"
#include "sim/cuda/jit/runtime_kernel.hpp"
#include "sim/cuda/kernels/bench_kernels.hpp"
#include "sim/cuda/kernels/pairs.hpp"
#include "sim/cuda/kernels/triples.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/text/map_file.hpp"
#include "tests/sim/cuda/cuda_support.hpp"
#include "tests/sim/text/text_support.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/temp_folder.hpp"

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

// It has what the parent compiles, without the threads that do. In a process of its own: the CUDA driver itself cannot
// end a forked process of one that has used a GPU.
TEST(RuntimeKernels, LetAForkedProcessExit) {
  if (!cuda::nvrtc::loaded().found) GTEST_SKIP() << cuda::nvrtc::loaded().found.reason;
  constexpr const char* kOwn = "TRI_TEST_OWN_PROCESS";
  if (std::getenv(kOwn) == nullptr) {
    const std::string self = fs::read_symlink("/proc/self/exe"), name = "RuntimeKernels.LetAForkedProcessExit";
    const std::string command =
        fmt::format("env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX {}=1 '{}' --gtest_filter={}", kOwn, self, name);
    EXPECT_EQ(std::system(command.c_str()), 0);
    return;
  }
  const auto threads = [] {
    return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
  };
  const auto before = threads();
  cuda::load_compiler();
  const auto leave = [](bool finishes) {
    alarm(30);
    if (finishes) cuda::finish_kernels();
    std::vector<std::thread> own(8);  // they take the stacks of the parent's
    for (std::thread& thread : own) thread = std::thread([] {});
    for (std::thread& thread : own) thread.join();
    std::exit(7);
  };
  EXPECT_EXIT(leave(false), testing::ExitedWithCode(7), "");
  EXPECT_EXIT(leave(true), testing::ExitedWithCode(7), "");
  // The compiler may keep a thread of its own, for good.
  for (const Stopwatch watch; threads() > before && watch.ms() < 5e3;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EXIT(leave(false), testing::ExitedWithCode(7), "") << "what ended was never waited for";
  cuda::finish_kernels();
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
  const TempFolder folder;
  setenv("TRI_CACHE", folder.path().c_str(), 1);
  const Bodies bodies = lattice_bodies(100);
  EngineConfig config;
  config.accumulate = Accumulate::ordered;
  // A text of its own, so that no other test of this process has compiled it.
  ForceField field = typed_field("energy = A*exp(-b*r) - C/r^6; A = 1000; b = 3.5; C = 1.5");
  const auto engine = engine_of(bodies, field, config);
  engine->advance(Integrator::kdk, 1e-3, 20);
  (void)engine->diagnose();
  const std::size_t kernels = kept_kernels(folder.path());
  EXPECT_EQ(kernels, 2u);
  const Bodies before = engine->read();
  field.typed_pair.values[0] = 1200;
  engine->set_field(field);
  const auto fresh = engine_of(before, field, config);
  engine->advance(Integrator::kdk, 1e-3, 20), fresh->advance(Integrator::kdk, 1e-3, 20);
  (void)engine->diagnose();
  EXPECT_EQ(engine->state_hash(), fresh->state_hash());
  EXPECT_EQ(kept_kernels(folder.path()), kernels);
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
  const TempFolder folder;
  setenv("TRI_CACHE", folder.path().c_str(), 1);
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

// Map files on the device: kernels over elements meet each element once, and forces have the bits of the built-in
// maps, for built-in and typed laws of pairs and triples.

using CudaTypedMaps = RuntimeKernelTest;

/// Maps of this test, which are then maps of the list.
template <class MapId>
std::vector<MapId> added_maps();

MapInfo added(const std::string& text) { return mapfile::add_map(mapfile::MapFile::from_text(text, "test.toml")); }

/// Lambda; two launches that share the triangle; a launch in three dimensions that reads w; and one whose passes depend
/// on the side. Idle positions would meet a tile again.
template <>
std::vector<TriangleMapId> added_maps() {
  const char* const texts[] = {
      "name = 'root'\ndomain = 'pairs'\nlaunch = ['m*(m + 1)/2']\n"
      "tile = '''\nrow = (isqrt(8*w + 1) - 1)/2\ncol = w - row*(row + 1)/2\n'''\n",
      "name = 'halves'\ndomain = 'pairs'\nonce = 'h = m/2'\nlaunch = [['h*(h + 1)/2'], ['m - h', 'm']]\n"
      "tile = '''\nr = (isqrt(8*w + 1) - 1)/2\nrow = pass == 0 ? r : h + x\n"
      "col = pass == 0 ? w - r*(r + 1)/2 : min(y, row)\nidle = pass == 1 && y > row\n'''\n",
      "name = 'flat'\ndomain = 'pairs'\nonce = 't = m*(m + 1)/2; q = (t + 3)/4'\nlaunch = ['2', 'q', '2']\n"
      "tile = '''\nv = min(w, t - 1)\nrow = (isqrt(8*v + 1) - 1)/2\ncol = v - row*(row + 1)/2\nidle = w >= t\n'''\n",
      "name = 'rows'\ndomain = 'pairs'\npasses = 'm'\nlimit = 60\nlaunch = ['pass + 1']\n"
      "tile = '''\nrow = pass\ncol = x\n'''\n"};
  std::vector<TriangleMapId> maps;
  for (const char* const text : texts) maps.push_back(*find_triangle_map(added(text).name));
  return maps;
}

template <>
std::vector<TetraMapId> added_maps() {
  const MapInfo map = added(
      "name = 'layers'\ndomain = 'triples'\nlaunch = ['m', 'm', 'm']\n"
      "tile = '''\ncol = min(min(x, y), z)\nlayer = max(max(x, y), z)\nrow = x + y + z - col - layer\n"
      "idle = x > y || y > z\n'''\n");
  return {*find_tetra_map(map.name)};
}

/// The sizes of a test at which a map is proved.
bool serves(const MapInfo& map, u32 n, u32 tile) { return refusal(map, n, tile).empty(); }

TEST_F(CudaTypedMaps, EachPairIsMetOnce) {
  const cuda::Stream stream;
  u32 tried = 0;
  for (const TriangleMapId map : added_maps<TriangleMapId>()) {
    for (const u32 n : sizes({1, 2, 7, 16, 17, 33, 127, 1025})) {
      for (const u32 rho : {1u, 8u, 16u, 32u}) {
        if (!serves(info(map), n, rho)) continue;
        ++tried;
        cuda::DeviceBuffer<u32> cells(u64{n} * (n + 1) / 2);
        expect_each_once(map, n, rho, cells, stream);
      }
    }
  }
  EXPECT_GE(tried, small_only() ? 20u : 60u);
}

TEST_F(CudaTypedMaps, EachTripleIsMetOnce) {
  const cuda::Stream stream;
  for (const TetraMapId map : added_maps<TetraMapId>()) {
    for (const u32 n : sizes({1, 2, 7, 9, 33, 100})) {
      for (const u32 rho : {1u, 4u, 8u, 10u}) {
        ASSERT_TRUE(serves(info(map), n, rho));
        cuda::DeviceBuffer<u32> cells(u64{n} * (n + 1) * (n + 2) / 6);
        expect_each_once(map, n, rho, cells, stream);
      }
    }
  }
}

/// One thread a cell of the gasket, digit by digit.
template <>
std::vector<GasketMapId> added_maps() {
  const MapInfo map = added(
      "name = 'thirds'\ndomain = 'gasket'\nonce = '''\nr = ctz(m)\ncells = 1\nrepeat r up to 31 {\ncells = 3*cells\n}\n"
      "'''\nlaunch = ['cells']\ntile = '''\nv = w; u = 0\nrow = 0; col = 0\nrepeat r up to 31 {\nd = v % 3\n"
      "col = col | (d >> 1) << u\nrow = row | (d + 1 >> 1) << u\nv = v/3; u = u + 1\n}\n'''\n");
  return {*find_gasket_map(map.name)};
}

TEST_F(CudaTypedMaps, EachCellOfTheGasketIsWritten) {
  const cuda::Stream stream;
  const Fractal gasket = open_fractal("gasket");
  for (const u32 levels : sizes({5, 6, 9})) {
    for (const GasketPlacement placement : {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::sectors}) {
      cuda::FractalLaunch launch;
      launch.shape = gasket.shape, launch.placement = placement, launch.map = added_maps<GasketMapId>()[0];
      launch.grid = fractal_grid(gasket, u64{1} << levels, 32);
      const u64 side = launch.grid.side;
      cuda::DeviceBuffer<u8> cells(side * side);
      cells.fill_bytes(0, stream);
      cuda::prepare_fractal_write(launch, cells.data()).enqueue(stream);
      const std::vector<u8> got = cells.download(stream);
      u64 wrong = 0;
      for (u64 y = 0; y < side; ++y) {
        for (u64 x = 0; x < side; ++x) wrong += got[y * side + x] != ((x & ~y) == 0 ? 1 : 0);
      }
      ASSERT_EQ(wrong, 0u) << "levels " << levels << ", placement " << static_cast<int>(placement);
      if (placement == GasketPlacement::sectors) continue;
      cuda::DeviceBuffer<unsigned long long> sums(cuda::kSumSlots);
      sums.fill_bytes(0, stream);
      cuda::prepare_fractal_sum(launch, cells.data(), sums.data()).enqueue(stream);
      const std::vector<unsigned long long> parts = sums.download(stream);
      EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), u64{0}), fractal_cells(gasket.shape, levels));
    }
  }
}

TEST_F(CudaTypedMaps, AutomataStepAsOnTheStream) {
  for (const CellStorage storage : {CellStorage::embedded, CellStorage::compact}) {
    for (const GasketPlacement placement : {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll}) {
      AutomatonSpec spec;
      spec.fractal = open_fractal("gasket");
      spec.levels = 8, spec.storage = storage;
      spec.work.placement = placement;
      const auto expected = cuda::make_automaton(spec, 0);
      spec.work.map = added_maps<GasketMapId>()[0];
      const auto got = cuda::make_automaton(spec, 0);
      expected->step(5), got->step(5);
      ASSERT_EQ(got->read(), expected->read()) << to_string(storage) << ", " << to_string(placement);
    }
  }
}

/// Ordered sums on typed maps have the bits of those on lambda.
template <class Real>
void check_pairs(const ForceField& field, const Bodies& bodies) {
  const u32 n = static_cast<u32>(bodies.size());
  const cuda::Stream stream;
  const HeldBodies<Real> held(bodies, stream);
  cuda::PairForces<Real> on_lambda(field, pair_config<Real>(Accumulate::ordered), n, 0);
  const Sums<Real> expected = sums_by(on_lambda, held, stream);
  for (const TriangleMapId map : added_maps<TriangleMapId>()) {
    const EngineConfig config = pair_config<Real>(Accumulate::ordered, map);
    if (!serves(info(map), n, on_lambda.block())) continue;
    cuda::PairForces<Real> forces(field, config, n, 0);
    for (int run = 0; run < 2; ++run) {
      ASSERT_TRUE(same_bits(sums_by(forces, held, stream), expected)) << describe_pairs(config, field, n);
    }
  }
}

TEST_F(CudaTypedMaps, OrderedPairSumsHaveTheBitsOfLambda) {
  for (const u32 n : sizes({1, 2, 129, 1000, 3000})) {
    for (const PairCase& c : pair_cases(n)) {
      check_pairs<float>(c.field, as_held(c.bodies, Precision::fp32));
      check_pairs<double>(c.field, c.bodies);
      if (HasFatalFailure()) return;
    }
    ForceField typed;
    typed.pair = PairLaw::typed, typed.typed_pair = pair_law(kTypedCut);
    check_pairs<float>(typed, as_held(lattice_bodies(n), Precision::fp32));
  }
}

template <class Real>
void check_triples_on_typed_maps(const ForceField& field, u32 n) {
  const cuda::Stream stream;
  const HeldBodies<Real> held(as_held(lattice_bodies(n), kPrecisionOf<Real>), stream);
  const auto sums_on = [&](TetraMapId map) {
    EngineConfig config = pair_config<Real>(Accumulate::ordered);
    config.triple_map = map;
    cuda::TripleForces<Real> forces(field, config, n, 0);
    cuda::DeviceBuffer<cuda::Vec4<Real>> out(n);
    out.fill_bytes(0xff, stream);
    forces.enqueue(stream, held.view(), out.data());
    return out.download(stream);
  };
  const Sums<Real> expected = sums_on(TetraMapId::tetra);
  for (const TetraMapId map : added_maps<TetraMapId>()) {
    ASSERT_TRUE(same_bits(sums_on(map), expected)) << info(map).name << ", n " << n;
  }
}

TEST_F(CudaTypedMaps, OrderedTripleSumsHaveTheBitsOfTetra) {
  ForceField built_in, typed;
  built_in.pair = typed.pair = PairLaw::none;
  built_in.triple = TripleLaw::axilrod_teller;
  typed.triple = TripleLaw::typed, typed.typed_triple = triple_law(kTypedTriples);
  for (const u32 n : sizes({3, 33, 100, 257})) {
    for (const ForceField& field : {built_in, typed}) {
      check_triples_on_typed_maps<float>(field, n);
      check_triples_on_typed_maps<double>(field, n);
      if (HasFatalFailure()) return;
    }
  }
}

/// Steps on typed maps have the bits of those on lambda.
void check_steps(const Bodies& bodies, const ForceField& field, EngineConfig config, Integrator integrator) {
  config.accumulate = Accumulate::ordered;
  const auto hash_on = [&](TriangleMapId map) {
    config.pair_map = map;
    const auto engine = engine_of(bodies, field, config);
    engine->advance(integrator, 1e-3, 20);
    return engine->state_hash();
  };
  const auto expected = hash_on(TriangleMapId::lambda);
  for (const TriangleMapId map : added_maps<TriangleMapId>()) EXPECT_EQ(hash_on(map), expected) << info(map).name;
}

TEST_F(CudaTypedMaps, StepsOfAnEngineHaveTheBitsOfLambda) {
  check_steps(cloud_bodies(500), gravity_field(0.05), {}, Integrator::kdk);
}

TEST_F(CudaTypedMaps, HermiteStepsHaveTheBitsOfLambda) {
  EngineConfig config;
  config.precision = Precision::fp64;
  check_steps(cloud_bodies(500), gravity_field(0.05), config, Integrator::hermite);
}

TEST_F(CudaTypedMaps, TensorCoresHaveTheBitsOfLambda) {
  EngineConfig config;
  config.arithmetic = Arithmetic::tensor;
  if (small_only() || !cuda::has_tensor_gravity(0)) GTEST_SKIP() << "large, or without the instructions";
  check_steps(cloud_bodies(9000), gravity_field(0.05), config, Integrator::kdk);
}

TEST_F(CudaTypedMaps, ContactsHaveTheBitsOfLambda) {
  ForceField field;
  field.pair = PairLaw::contact;
  Bodies bodies = cloud_bodies(700);
  for (double& r : bodies.r) r = 0.08;
  EngineConfig config;
  config.broad_phase = BroadPhase::all_pairs;
  for (const u32 block : {0u, 16u}) {
    config.pair_block = block;
    check_steps(bodies, field, config, Integrator::kdk);
  }
}

TEST_F(CudaTypedMaps, TriplesAreCountedAsOnTetra) {
  PointSet points{300, 3, std::vector<double>(900)};
  SplitMix64 random{5};
  for (double& v : points.values) v = random.uniform();
  for (const u32 bins : {5u, 40u}) {
    SideBins sides;
    for (u32 e = 0; e <= bins; ++e) sides.edges.push_back(1.2 * e / bins);
    EngineConfig config;
    config.arithmetic = Arithmetic::float32;
    const std::vector<u64> expected = cuda::count_triples(points, sides, config).counts;
    config.triple_map = added_maps<TetraMapId>()[0];
    EXPECT_EQ(cuda::count_triples(points, sides, config).counts, expected) << bins << " bins";
  }
}

TEST_F(CudaTypedMaps, ASideThatIsNotProvedDrivesNothing) {
  added_maps<TriangleMapId>();
  const auto rows = *find_triangle_map("rows");
  const std::string text = message_of<ConfigError>(
      [&] { cuda::PairForces<float>(gravity_field(0.05), pair_config<float>(Accumulate::fast, rows, 128), 20000, 0); });
  EXPECT_NE(text.find("rows"), std::string::npos) << text;
}

}  // namespace
}  // namespace tri::test
