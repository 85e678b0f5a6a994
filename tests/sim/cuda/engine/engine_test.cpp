// The device engine, in addition to the tests shared by all engines (tests/sim/backend/engine_test.cpp,
// tests/sim/reference): batches and graphs, the fault flag at its exact step, impulses along a row, sinks,
// memory.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <span>

#include "sim/cuda/engine/contacts.hpp"
#include "sim/cuda/engine/cuda_engine.hpp"
#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/model/checks.hpp"
#include "sim/reference/reference.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

using CudaEngineTest = CudaTest;
using cuda::plan_steps;

constexpr Integrator kIntegrators[] = {Integrator::kdk, Integrator::symplectic_euler, Integrator::yoshida4};

/// A plan as text: F forces, k kick, d drift, w walls, I impulses, | the end of a step; a space between segments.
template <class Real>
std::string text_of(const cuda::StepPlan<Real>& plan) {
  std::string text;
  for (const auto& segment : plan.segments) {
    if (!text.empty()) text += ' ';
    if (segment.combine) text += 'F';
    for (u32 m = 0; m <= segment.moves.count; ++m) {
      if (m == segment.moves.end) text += '|';
      if (m < segment.moves.count) text += "kdw"[static_cast<u32>(segment.moves.kind[m])];
    }
    if (segment.impulses) text += 'I';
  }
  return text;
}

// The plans need no device.
TEST(CudaStepPlan, KicksAndDriftsBetweenForces) {
  const auto plan = [](Integrator integrator, const ForceField& field, u32 steps, bool fresh) {
    return text_of(plan_steps<double>(integrator, 0.5, field, steps, fresh));
  };
  const ForceField gravity = gravity_field();
  EXPECT_EQ(plan(Integrator::kdk, gravity, 1, false), "Fkd Fk|");
  EXPECT_EQ(plan(Integrator::kdk, gravity, 2, true), "kd Fk|kd Fk|");
  EXPECT_EQ(plan(Integrator::symplectic_euler, gravity, 2, false), "Fkd| Fkd|");
  EXPECT_EQ(plan(Integrator::symplectic_euler, gravity, 2, true), "kd| Fkd|");
  EXPECT_EQ(plan(Integrator::yoshida4, gravity, 1, true), "kd Fkd Fkd Fk|");
  // Dashpots make a kick stale as well.
  EXPECT_EQ(plan(Integrator::kdk, contact_field(10, 0), 2, false), "Fkd Fk| Fkd Fk|");
  EXPECT_EQ(plan(Integrator::kdk, contact_field(0, 0), 2, false), "Fkd Fk|kd Fk|");
  ForceField impulses = contact_field();
  impulses.contact.impulse = true;
  EXPECT_EQ(plan(Integrator::kdk, impulses, 2, false), "Fkd FkI w|kd FkI w|");
  impulses.box.boundary = Boundary::open;
  EXPECT_EQ(plan(Integrator::kdk, impulses, 1, false), "Fkd FkI |");
}

TEST(CudaStepPlan, TimesStepsAndCounts) {
  const auto plan = plan_steps<float>(Integrator::kdk, 0.1, gravity_field(), 3, true);
  ASSERT_EQ(plan.segments.size(), 4u);
  EXPECT_EQ(plan.steps, 3u);
  EXPECT_EQ(plan.evaluations, 3u);
  EXPECT_TRUE(plan.accelerations_valid_after);
  EXPECT_EQ(plan.segments[0].moves.time[0], static_cast<float>(0.05));
  EXPECT_EQ(plan.segments[0].moves.time[1], static_cast<float>(0.1));
  const u32 steps[] = {1, 1, 2, 3};
  for (u32 s = 0; s < 4; ++s) EXPECT_EQ(plan.segments[s].step, steps[s]) << s;
  EXPECT_FALSE(
      plan_steps<float>(Integrator::symplectic_euler, 0.1, gravity_field(), 3, true).accelerations_valid_after);
}

ForceField impulse_box() {
  ForceField f = contact_field();
  f.contact.impulse = true;
  f.contact.restitution = 0.75;
  f.field = {0, 0, -1};
  return f;
}

/// Graphs of many steps, of one, and steps launched one by one give the same bits.
TEST_F(CudaEngineTest, TheSameBitsHoweverTheStepsAreSplit) {
  const u32 n = small_only() ? 60 : 300;
  for (const Precision precision : kPrecisions) {
    for (const Integrator integrator : kIntegrators) {
      const EngineConfig config = config_of(precision, Accumulate::ordered);
      const auto whole = engine_of(cloud_bodies(n), gravity_field(), config);
      const auto parts = engine_of(cloud_bodies(n), gravity_field(), config);
      whole->advance(integrator, 1e-3, 100);
      for (const u64 steps : {1, 1, 3, 16, 0, 17, 30, 32}) {
        parts->advance(integrator, 1e-3, steps);
        EXPECT_GE(parts->steps_at_once(), 1u);
      }
      EXPECT_EQ(whole->state_hash(), parts->state_hash()) << to_string(integrator);
      // Forth and back; another step length has its own graphs.
      whole->advance(integrator, -1e-3, 40);
      whole->advance(integrator, 2e-3, 20);
      for (int k = 0; k < 40; ++k) parts->advance(integrator, -1e-3, 1);
      parts->advance(integrator, 2e-3, 20);
      EXPECT_EQ(whole->state_hash(), parts->state_hash()) << to_string(integrator);
    }
  }
}

/// Another law may prefer other tiles: choices left to the backend remain its own.
TEST_F(CudaEngineTest, TheFieldChangesInFlight) {
  const auto engine = engine_of(cloud_bodies(300), gravity_field(), {});
  for (const ForceField& field : {impulse_box(), lennard_jones_field(), contact_field(), impulse_box()}) {
    engine->set_field(field);
    EXPECT_GT(engine->config().pair_block, 0u);
    EXPECT_NO_THROW(engine->advance(Integrator::kdk, 1e-6, 3)) << to_string(field.pair);
  }
}

/// Two bodies that coincide in the middle of a long call: the step is exact, and the state is the one in which they
/// coincide, with the third body no further.
TEST_F(CudaEngineTest, TheGuardStopsAtTheStepOfTheFault) {
  for (const u64 collision : {3ull, 37ull, 200ull}) {
    Bodies b;
    b.add(-static_cast<double>(collision), 0, 0, 1, 0, 0, 1e-30);  // too light to turn each other
    b.add(static_cast<double>(collision), 0, 0, -1, 0, 0, 1e-30);
    b.add(0, 1e3, 0, 0, 0.25, 0, 0);
    for (const Accumulate accumulate : kAccumulates) {
      const auto engine = engine_of(b, gravity_field(0), config_of(Precision::fp64, accumulate));
      u64 step = 0;
      std::string text;
      try {
        engine->advance(Integrator::kdk, 1, 1000);
      } catch (const NumericalError& e) {
        step = e.step(), text = e.what();
      }
      EXPECT_EQ(step, collision) << text;
      EXPECT_NE(text.find("body 0 has an acceleration that is not finite in step " + std::to_string(collision)),
                std::string::npos)
          << text;
      EXPECT_NE(text.find("it coincides with body 1"), std::string::npos) << text;
      const Bodies after = engine->read();
      EXPECT_EQ(after.x[0], 0.0);
      EXPECT_EQ(after.x[1], 0.0);
      EXPECT_EQ(after.y[2], 1e3 + 0.25 * static_cast<double>(collision));
      // The engine continues once the cause is removed.
      engine->set_field(gravity_field(0.1));
      engine->advance(Integrator::kdk, 1, 5);
      EXPECT_EQ(engine->read().x[0], 5.0);
    }
  }
}

TEST_F(CudaEngineTest, AStateThatLeavesTheRangeStopsAtTheEndOfItsStep) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 1);
  b.add(0, 0, 0, 1e37, 1, 0, 1);  // past 3.4e38 after 35 steps, in Yoshida's step of 1.35 and back after 34
  ForceField none;
  none.pair = PairLaw::none;
  for (const Integrator integrator : kIntegrators) {
    const auto engine = engine_of(b, none, config_of(Precision::fp32, Accumulate::fast));
    u64 step = 0;
    std::string text;
    try {
      engine->advance(integrator, 1, 1000);
    } catch (const NumericalError& e) {
      step = e.step(), text = e.what();
    }
    const u64 expected = integrator == Integrator::yoshida4 ? 34 : 35;
    EXPECT_EQ(step, expected) << text;
    EXPECT_NE(text.find("body 1 has a position or velocity that is not finite after step " + std::to_string(expected)),
              std::string::npos)
        << text;
    const Bodies after = engine->read();
    EXPECT_TRUE(std::isinf(after.x[1]));
    EXPECT_NEAR(after.y[1], static_cast<double>(expected), 1e-3) << to_string(integrator) << ": and no further";
  }
}

/// Terms that are finite and too large for the quantum must not pass silently.
TEST_F(CudaEngineTest, LeavingFixedPointIsAnErrorOrGivesAResult) {
  Bodies b = cloud_bodies(64);
  b.x[9] = b.x[3] + 1e-17, b.y[9] = b.y[3], b.z[9] = b.z[3] + 1e-12;
  const auto engine = engine_of(b, gravity_field(0), config_of(Precision::fp64, Accumulate::ordered));
  try {
    const ForceResult got = engine->forces();
    expect_close(got, reference_forces(b, gravity_field(0)), Precision::fp64, "near bodies");
  } catch (const NumericalError& e) {
    EXPECT_NE(std::string(e.what()).find("--accumulate fast"), std::string::npos) << e.what();
  }
}

/// Bodies in a row, each touching the next: the longest possible chain of dependencies.
TEST_F(CudaEngineTest, AShockRunsAlongARow) {
  const u32 n = small_only() ? 40 : 300;
  Bodies b;
  for (u32 i = 0; i < n; ++i) b.add(i, 0, 0, i == 0 ? 1.0 : 0.0, 0, 0, 1, 0.5);
  ForceField f = impulse_box();
  f.field = {};
  f.box.boundary = Boundary::open;
  f.contact.restitution = 1;
  const auto here = engine_of(b, f, config_of(Precision::fp64, Accumulate::fast));
  const auto there = make_backend("cpu")->make_engine(b, f, config_of(Precision::fp64, Accumulate::fast));
  here->advance(Integrator::kdk, 1e-6, 3);
  there->advance(Integrator::kdk, 1e-6, 3);
  const Bodies p = here->read(), q = there->read();
  for (u32 i = 0; i < n; ++i) ASSERT_NEAR(p.vx[i], q.vx[i], 1e-12) << i;
  EXPECT_NEAR(p.vx[n - 1], 1.0, 1e-9) << "the last one flies off";
}

/// Compensated sums: a small drift must show next to large numbers, and the order is fixed.
TEST_F(CudaEngineTest, DiagnosticsAreTheHostsToTheLastBits) {
  for (const u32 n : sizes({1u, 255u, 257u, 40000u})) {
    ForceField f;
    f.pair = PairLaw::none;
    f.field = {0.5, -0.25, 2};
    Bodies b = cloud_bodies(n);
    for (u32 i = 0; i < n; ++i) b.vx[i] += 1e6;
    const auto engine = engine_of(b, f, config_of(Precision::fp64, Accumulate::fast));
    const Diagnostics got = engine->diagnose(), want = one_body_diagnostics(b, f), again = engine->diagnose();
    EXPECT_DOUBLE_EQ(got.kinetic, want.kinetic);
    EXPECT_DOUBLE_EQ(got.potential, want.potential);
    EXPECT_DOUBLE_EQ(got.mass, want.mass);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_DOUBLE_EQ(got.momentum[axis], want.momentum[axis]);
      EXPECT_DOUBLE_EQ(got.angular_momentum[axis], want.angular_momentum[axis]);
      EXPECT_DOUBLE_EQ(got.centre[axis], want.centre[axis]);
    }
    EXPECT_EQ(got.kinetic, again.kinetic);
    EXPECT_EQ(got.angular_momentum, again.angular_momentum);
  }
}

/// Bodies as far away as the backend takes them feel nothing of those that kernels put beyond the last; farther ones
/// are refused (tests/sim/model/checks_test.cpp has all columns).
TEST_F(CudaEngineTest, FarBodiesFeelNothingOfThoseBeyondTheLast) {
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    EngineConfig config;
    config.precision = precision;
    const double most = device_reach(precision);
    Bodies b;
    b.add(0, 0, 0, 0, 0, 0, 1), b.add(1.1, 0, 0, 0, 0, 0, 1);
    const ForceResult near = engine_of(b, lennard_jones_field(), config)->forces();
    b.add(most, most, most, 0, 0, 0, 1);
    const ForceResult all = engine_of(b, lennard_jones_field(), config)->forces();
    EXPECT_EQ(all.fx[0], near.fx[0]);
    EXPECT_EQ(all.fx[2], 0) << to_string(precision);
    EXPECT_EQ(all.potential, near.potential);
    b.x[2] = 1.01 * most;
    EXPECT_THROW(engine_of(b, lennard_jones_field(), config), ConfigError);
  }
}

/// Within batches and graphs, at the exact step.
TEST_F(CudaEngineTest, BodiesWithoutMassMeetInABatch) {
  Bodies b;
  b.add(-0.25, 0, 0, 1, 0, 0, 0), b.add(0.25, 0, 0, -1, 0, 0, 0), b.add(0, 0, 4, 0, 0, 0, 1e-30);
  for (const Integrator scheme : kIntegrators) {
    for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
      EngineConfig config;
      config.accumulate = accumulate;
      const auto one = engine_of(b, gravity_field(0), config), many = engine_of(b, gravity_field(0), config);
      for (int step = 0; step < 64; ++step) one->advance(scheme, 0x1p-7, 1);
      many->advance(scheme, 0x1p-7, 64);
      EXPECT_NEAR(many->read().x[0], 0.25, 1e-5) << to_string(scheme);
      EXPECT_EQ(many->state_hash(), one->state_hash()) << to_string(scheme);
    }
  }
}

/// The cost of a step without its forces, the best of some: other programs may use the device. The figures are
/// recorded.
TEST_F(CudaEngineTest, AStepIsLittleMoreThanItsForces) {
  if (small_only()) GTEST_SKIP() << "under a checker times mean nothing";
  for (const u32 n : {10241u, 65536u}) {
    const auto engine = engine_of(cloud_bodies(n), gravity_field(), {});
    const double allowed = n > 20000 ? 0.1 : 1;  // of the forces
    Engine::Timing t;
    for (int k = 0; k < 12; ++k) {
      engine->advance(Integrator::kdk, 1e-5, n > 20000 ? 40 : 800);
      t = engine->timing();
      if (k >= 2 && t.integrate < allowed * t.force) break;
    }
    std::printf("n = %u: forces %.4f ms, beside them %.4f ms a step\n", n, t.force, t.integrate);
    RecordProperty("force_us_" + std::to_string(n), static_cast<int>(1000 * t.force));
    RecordProperty("beside_us_" + std::to_string(n), static_cast<int>(1000 * t.integrate));
    EXPECT_LT(t.integrate, allowed * t.force);
  }
}

TEST_F(CudaEngineTest, TimesAreThoseOfTheLastBatch) {
  const auto engine = engine_of(cloud_bodies(2000), gravity_field(), {});
  EXPECT_EQ(engine->steps_at_once(), 1u) << "the step time is not known yet";
  engine->advance(Integrator::kdk, 1e-3, 200);
  EXPECT_GT(engine->timing().force, 0.0);
  EXPECT_LT(engine->timing().force, 50.0);
  EXPECT_GE(engine->timing().integrate, 0.0);
  EXPECT_GT(engine->steps_at_once(), 1u);
}

// Instances in device memory: the same as on the host, at once or in the order of a stream.

using CudaPublish = CudaTest;

bool same_instances(std::span<const Instance> a, std::span<const Instance> b) {
  return std::ranges::equal(std::as_bytes(a), std::as_bytes(b));
}

TEST_F(CudaPublish, PublishesIntoDeviceMemory) {
  const u32 n = 77;
  const auto engine = engine_of(cloud_bodies(n), gravity_field(), {});
  engine->advance(Integrator::kdk, 1e-3, 3);
  std::vector<Instance> host(n), copied(n);
  InstanceSink to_host{InstanceSink::Place::host, host};
  engine->publish(to_host);
  cuda::DeviceBuffer<Instance> memory(n);
  InstanceSink to_device{InstanceSink::Place::cuda_device, std::span<Instance>(memory.data(), n)};
  engine->publish(to_device);
  const cuda::Stream stream;
  memory.download(std::span<Instance>(copied), stream);
  EXPECT_TRUE(same_instances(host, copied));
  EXPECT_EQ(host[76].id, 76u);
}

/// With a stream, the memory is written in its order although publish() does not wait, and steps that follow change
/// nothing of it.
TEST_F(CudaPublish, PublishesInTheOrderOfAStream) {
  const u32 n = 5000;
  const auto engine = engine_of(cloud_bodies(n), gravity_field(), config_of(Precision::fp32, Accumulate::ordered));
  const auto again = engine_of(cloud_bodies(n), gravity_field(), config_of(Precision::fp32, Accumulate::ordered));
  cuda::DeviceBuffer<Instance> memory(n), kept(n);
  const cuda::Stream stream;
  std::vector<Instance> want(n), got(n);
  for (int round = 0; round < 20; ++round) {
    engine->advance(Integrator::kdk, 1e-3, 1);
    again->advance(Integrator::kdk, 1e-3, 1);
    memory.fill_bytes(0xFF, stream);  // the sink's earlier work: it comes before the instances
    InstanceSink sink{InstanceSink::Place::cuda_device, std::span<Instance>(memory.data(), n)};
    sink.stream = static_cast<cudaStream_t>(stream);
    engine->publish(sink);
    TRI_CUDA(cudaMemcpyAsync(kept.data(), memory.data(), kept.bytes(), cudaMemcpyDeviceToDevice, stream));
    if (round % 2 == 0) engine->advance(Integrator::kdk, 1e-3, 3);
    kept.download(std::span<Instance>(got), stream);
    InstanceSink host{InstanceSink::Place::host, want};
    again->publish(host);
    ASSERT_TRUE(same_instances(want, got)) << round;
    if (round % 2 == 0) again->advance(Integrator::kdk, 1e-3, 3);
  }
  EXPECT_GT(engine->timing().publish, 0);
}

// Work in slices: how many there are, and that they cover the whole work, on every map.

using CudaSlices = CudaTest;

TEST(Slices, AsManyAsTheTimeAsksFor) {
  EXPECT_EQ(cuda::slices_of(1e6, 1e6, 50), 1u);
  EXPECT_EQ(cuda::slices_of(50e6, 1e6, 50), 1u);
  EXPECT_EQ(cuda::slices_of(50.1e6, 1e6, 50), 2u);
  EXPECT_EQ(cuda::slices_of(1e9, 1e6, 50), 20u);
  EXPECT_EQ(cuda::slices_of(0, 1e6, 50), 1u);
  EXPECT_EQ(cuda::slices_of(1e9, 1e6, std::numeric_limits<double>::infinity()), 1u);
  EXPECT_EQ(cuda::slices_of(1e30, 1e6, 1e-3), 1u << 16) << "bounded";
}

TEST_F(CudaSlices, TheEstimateIsOfThisDevice) {
  const double fp32 = cuda::min_pairs_per_ms(0, Precision::fp32), fp64 = cuda::min_pairs_per_ms(0, Precision::fp64);
  EXPECT_GT(fp32, 1e6);
  EXPECT_LT(fp32, 1e10);
  EXPECT_LE(fp64, fp32);
  EngineConfig config;
  config.slice_ms = std::numeric_limits<double>::infinity();
  EXPECT_EQ(cuda::slices_for(config, 1000000, 0), 1u);
  config.slice_ms = 1;
  EXPECT_GT(cuda::slices_for(config, 1000000, 0), 10u);
  EXPECT_EQ(cuda::slices_for(config, 100, 0), 1u);
  config.slice_ms = 0;
  config.precision = Precision::fp32;
  const auto bodies_for = [&](double ms) { return static_cast<u64>(std::sqrt(2 * ms * fp32)); };
  EXPECT_EQ(cuda::slices_for(config, bodies_for(100), 0), cuda::drives_display(0) ? 2u : 1u);
  EXPECT_EQ(cuda::slices_for(config, bodies_for(990), 0), cuda::drives_display(0) ? 20u : 5u) << "for Ctrl-C";
}

/// The measured time of a slice is within the requested one.
TEST_F(CudaSlices, NoSliceTakesLongerThanRequested) {
  if (small_only()) GTEST_SKIP() << "under a checker times mean nothing";
  const u32 n = 65536;
  EngineConfig config = pair_config<float>(Accumulate::fast);
  config.slice_ms = 1;
  const u32 slices = cuda::slices_for(config, n, 0);
  const cuda::Stream stream;
  const HeldBodies<float> held(cloud_bodies(n), stream);
  cuda::DeviceBuffer<cuda::Vec4<float>> out(n);
  out.fill_bytes(0, stream);
  const auto tiling = cuda::fast_tiling(PairLaw::gravity, Precision::fp32, 384);
  const auto work =
      cuda::prepare_pair_tiles<float>(gravity_field(), TriangleMapId::lambda, n, tiling, Accumulate::fast, slices);
  EXPECT_GE(work.launches, slices);
  cuda::EventTimer timer;
  std::vector<double> times;
  for (int run = 0; run < 2; ++run) {  // the first loads the kernel
    for (u32 k = 0; k < work.launches; ++k) {
      timer.start(stream);
      work.launch(stream, k, held.view(), {out.data(), nullptr, nullptr});
      timer.stop(stream);
      if (run == 1) times.push_back(timer.elapsed_ms());
    }
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  EXPECT_LT(times[times.size() / 2], 1.0);
}

template <class Real>
void check_sums(const PairCase& c) {
  const cuda::Stream stream;
  const u32 n = static_cast<u32>(c.bodies.size()), tile = 128;
  const HeldBodies<Real> held(c.bodies, stream);
  cuda::PairForces<Real> whole(c.field, pair_config<Real>(Accumulate::ordered), n, 0);
  const Sums<Real> expected = sums_by(whole, held, stream);
  const auto tiling = cuda::ordered_tiling(c.field.pair, kPrecisionOf<Real>, n, tile);
  cuda::DeviceBuffer<unsigned long long> bins(u64{n} * 3 * cuda::ordered_bins(kPrecisionOf<Real>)), left(1);
  cuda::DeviceBuffer<u32> broken(n);
  cuda::DeviceBuffer<cuda::Vec4<Real>> out(n);
  bins.fill_bytes(0, stream), left.fill_bytes(0, stream), broken.fill_bytes(0, stream);
  for (const TriangleMapId map : maps_for(n, tile)) {
    for (const u32 slices : {2u, 7u, 100000u}) {
      const auto work = cuda::prepare_pair_tiles<Real>(c.field, map, n, tiling, Accumulate::ordered, slices);
      EXPECT_GT(work.launches, 1u) << info(map).name;
      const cuda::PairSums<Real> sums{out.data(), bins.data(), broken.data()};
      // Backwards: slices are independent.
      for (u32 k = work.launches; k-- > 0;) work.launch(stream, k, held.view(), sums);
      cuda::finish_ordered_sums(sums, n, left.data(), stream);
      ASSERT_TRUE(same_bits(out.download(stream), expected)) << info(map).name << ", " << slices << " slices";
    }
  }
}

TEST_F(CudaSlices, SumsEqualThoseOfOneLaunch) {
  for (const PairCase& c : pair_cases(small_only() ? 400 : 2000)) {
    check_sums<float>(c);
    check_sums<double>(c);
  }
}

TEST_F(CudaSlices, ContactsEqualThoseOfOneLaunch) {
  const u32 n = small_only() ? 400 : 3000;
  const Bodies b = cloud_bodies(n);
  const cuda::Stream stream;
  const HeldBodies<float> held(b, stream);
  u64 expected = 0;
  for (const TriangleMapId map : maps_for(n, 128)) {
    for (const double slice_ms : {std::numeric_limits<double>::infinity(), 1e-5, 1e-7}) {
      EngineConfig config = pair_config<float>(Accumulate::fast, map, 128);
      config.slice_ms = slice_ms;
      config.broad_phase = BroadPhase::all_pairs;
      cuda::OverlapSearch<float> search(b, Box{}, config, stream);
      search.enqueue(stream, held.view());
      const u64 found = search.found(stream);
      if (expected == 0) expected = found;
      EXPECT_EQ(found, expected) << info(map).name << ", " << slice_ms;
    }
  }
  EXPECT_GT(expected, 100u);
}

}  // namespace
}  // namespace tri::test
