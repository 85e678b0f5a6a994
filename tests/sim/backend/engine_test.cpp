// Engines of every backend: times, configurations, interruption, the guard of numbers.
//
// When an engine worked, on the clock of the host: a device's events too.

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/model/integrator.hpp"
#include "sim/reference/reference.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {
namespace {

using EngineTimes = BackendTest;
TRI_ON_EVERY_BACKEND(EngineTimes);

TEST_P(EngineTimes, TellsOnTheClockOfTheHostWhenItWorked) {
  const auto engine =
      backend().make_engine(cloud_bodies(700), gravity_field(), config_of(Precision::fp32, Accumulate::fast));
  std::vector<Instance> instances(700);
  constexpr double kLate = 2e-4;  // seconds; a device's event and the host's look at it
  for (int round = 0; round < 3; ++round) {
    const double before = clock_s();
    engine->advance(Integrator::kdk, 1e-4, 3);
    InstanceSink sink{InstanceSink::Place::host, instances};
    engine->publish(sink);
    const double after = clock_s();
    const tri::Engine::Timing t = engine->timing();
    EXPECT_NEAR(1e3 * (t.force_when.end - t.force_when.begin), t.force, 1e-3);
    EXPECT_GT(t.force_when.begin, before - kLate);
    EXPECT_LT(t.force_when.end, after + kLate);
    if (!cuda()) {
      EXPECT_EQ(t.steps_when.end, 0) << "the caller's thread did them";
      continue;
    }
    EXPECT_GT(t.steps_when.begin, before - kLate);
    EXPECT_LE(t.steps_when.begin, t.force_when.begin + 1e-6);
    EXPECT_GE(t.steps_when.end, t.force_when.end - 1e-6);
    EXPECT_GE(t.publish_when.begin, t.steps_when.end - kLate);
    EXPECT_LT(t.publish_when.end, after + kLate);
  }
}

// Changes of configuration between steps.

using Configure = BackendTest;
TRI_ON_EVERY_BACKEND(Configure);

TEST_P(Configure, IsCompletedAndChangedInFlight) {
  const auto engine = backend().make_engine(cloud_bodies(100), gravity_field(), {});
  EXPECT_GT(engine->config().pair_block, 0u);
  EXPECT_GT(engine->config().threads, 0u);
  const bool cpu = !cuda();
  EXPECT_EQ(engine->config().triple_block > 0, cpu) << "the device chooses where there is a triple law";
  const u64 before = engine->state_hash();
  const u32 block = cpu ? 7 : 256;
  engine->configure(config_of(Precision::fp32, Accumulate::ordered, TriangleMapId::fold, block, 1));
  engine->set_field(lennard_jones_field());
  EXPECT_EQ(engine->state_hash(), before);
  EXPECT_EQ(engine->config().pair_block, block);
  EXPECT_THROW(engine->configure(config_of(Precision::fp64, Accumulate::fast)), ConfigError);
  // More threads than available; a tile side without a device kernel.
  EXPECT_THROW(engine->configure(config_of(Precision::fp32, Accumulate::fast, TriangleMapId::lambda, 7, 5000)),
               ConfigError);
  ForceField bad = gravity_field();
  bad.gravity.softening = -1;
  EXPECT_THROW(engine->set_field(bad), ConfigError);
  EXPECT_EQ(engine->config().pair_map, TriangleMapId::fold) << "a refused change leaves everything";
}

TEST_P(Configure, WorkOfAnEarlierConfigurationIsThatOfANewEngine) {
  // More configurations than an engine keeps, each twice, with steps in between that it may have recorded.
  std::vector<EngineConfig> configs;
  for (const TriangleMapId map : {TriangleMapId::bb, TriangleMapId::lambda, TriangleMapId::fold, TriangleMapId::h,
                                  TriangleMapId::circulant, TriangleMapId::lambda_lut}) {
    for (const u32 block : {128u, 256u, 512u})
      configs.push_back(config_of(Precision::fp64, Accumulate::fast, map, block));
  }
  ForceField field = gravity_field();
  const auto engine = backend().make_engine(cloud_bodies(300), field, configs.front());
  for (int round = 0; round < 4; ++round) {
    if (round == 2) {
      field.gravity.softening *= 8;
      engine->set_field(field);
    }
    for (const EngineConfig& config : configs) {
      engine->configure(config);
      EXPECT_EQ(engine->config().pair_map, config.pair_map);
      EXPECT_EQ(engine->config().pair_block, config.pair_block);
      const Bodies before = engine->read();
      engine->advance(Integrator::kdk, 1e-3, 40);
      const auto other = backend().make_engine(before, field, config);
      other->advance(Integrator::kdk, 1e-3, 40);
      EXPECT_LE(largest_difference(engine->read(), other->read()), 1e-11) << info(config.pair_map).name;
    }
  }
}

// Steps and energies that a progress sink ends, as Ctrl-C does: whole or not at all.

struct InterruptedCase {
  std::string name;
  Bodies bodies;
  ForceField field;
  Precision precision = Precision::fp64;
  BroadPhase broad_phase = BroadPhase::automatic;
};

class Interrupted : public BackendTest {
 protected:
  std::unique_ptr<tri::Engine> engine(const InterruptedCase& c) const {
    EngineConfig config;
    config.precision = c.precision, config.accumulate = Accumulate::ordered, config.threads = 2;
    config.broad_phase = c.broad_phase;
    config.pair_block = cuda() || c.field.pair == PairLaw::contact ? 128 : 8;
    constexpr std::size_t kMany = 4096;  // on a device ordered sums of so many take wide tiles
    if (cuda() && c.bodies.size() > kMany) config.pair_block = 0;
    config.triple_block = cuda() ? 32 : 4;
    config.slice_ms = 1e-6;  // on a device: many launches, as in long steps
    return backend().make_engine(c.bodies, c.field, config);
  }
};
TRI_ON_EVERY_BACKEND(Interrupted);

std::vector<InterruptedCase> interrupted_cases() {
  Bodies rested = cloud_bodies(1000);
  rested.rest.assign(3000, 1e-20);
  return {{"gravity", rested, gravity_field()},
          {"gravity in fp32", cloud_bodies(1000), gravity_field(), Precision::fp32},
          {"triples", lattice_bodies(200), triple_field()},
          {"contacts of all pairs", cloud_bodies(1000), contact_field(), Precision::fp32, BroadPhase::all_pairs}};
}

/// Takes steps, ended at report 1, 2, 5, ... until one comes through. Returns how many were ended.
template <class Take>
u32 ended_steps(const std::string& what, tri::Engine& engine, const Take& take) {
  const u64 before = engine.state_hash();
  const std::vector<double> rest = engine.read().rest;
  u32 ended = 0;
  for (u32 last = 1;; last += last / 2 + 1) {
    EndingSink sink(last);
    const ScopedProgressSink watching(sink);
    const ScopedTask named("a step");
    try {
      take();
      EXPECT_LT(sink.reports, last) << what;
      return ended;
    } catch (const InterruptedError&) {
    }
    ++ended;
    EXPECT_EQ(engine.state_hash(), before) << what << ", report " << last;
    EXPECT_EQ(engine.read().rest, rest) << what << ", report " << last;
  }
}

// Wherever in a step it is ended, the state is that before, and the step that is taken then is the same.
TEST_P(Interrupted, StepsAreWholeOrNotTaken) {
  for (const InterruptedCase& c : interrupted_cases()) {
    for (const Integrator integrator : {Integrator::kdk, Integrator::yoshida4, Integrator::hermite}) {
      if (!scheme_refusal(c.field, integrator, 0, c.precision).empty()) continue;
      const std::string what = c.name + " by " + to_string(integrator);
      const auto cut = engine(c), whole = engine(c);
      whole->advance(integrator, 1e-3, 2);
      whole->advance(integrator, 1e-3, 1);
      const u32 ended = ended_steps(what, *cut, [&] { cut->advance(integrator, 1e-3, 2); });
      EXPECT_GE(ended, 4u) << what;
      ended_steps(what, *cut, [&] { cut->advance(integrator, 1e-3, 1); });
      EXPECT_EQ(cut->state_hash(), whole->state_hash()) << what;
      EXPECT_EQ(cut->read().rest, whole->read().rest) << what;
      EXPECT_NO_THROW(cut->diagnose()) << "ranks compare their states";
    }
  }
}

TEST_P(Interrupted, AutomaticStepsAreWholeOrNotTaken) {
  const InterruptedCase c = interrupted_cases().front();
  for (const Integrator integrator : {Integrator::kdk, Integrator::hermite}) {
    const auto cut = engine(c), whole = engine(c);
    const AutoStep step{0.01};
    const StepTaken want = whole->advance_auto(integrator, step);
    StepTaken got;
    EXPECT_GE(ended_steps(to_string(integrator), *cut, [&] { got = cut->advance_auto(integrator, step); }), 4u);
    EXPECT_EQ(got.length, want.length);
    EXPECT_EQ(got.next, want.next);
    EXPECT_EQ(cut->state_hash(), whole->state_hash()) << to_string(integrator);
  }
}

// Contacts through the grid, on the host: a device needs some milliseconds for ten million spheres.
TEST(InterruptedOnCpu, TheSearchThroughTheGridEnds) {
  InterruptedCase c = interrupted_cases().back();
  c.bodies = cloud_bodies(6000);
  for (double& r : c.bodies.r) r *= 0.2;
  EngineConfig config;
  config.broad_phase = BroadPhase::grid, config.accumulate = Accumulate::ordered;
  config.threads = 1;  // which reports; of several the first one may find all work done
  for (const bool impulse : {false, true}) {
    c.field.contact.impulse = impulse;
    const auto backend = make_backend("cpu");
    const auto cut = backend->make_engine(c.bodies, c.field, config);
    const auto whole = backend->make_engine(c.bodies, c.field, config);
    whole->advance(Integrator::kdk, 1e-3, 1);
    EXPECT_GE(ended_steps("grid", *cut, [&] { cut->advance(Integrator::kdk, 1e-3, 1); }), 2u);
    EXPECT_EQ(cut->state_hash(), whole->state_hash());
  }
}

TEST_P(Interrupted, EnergiesEndToo) {
  for (InterruptedCase c : interrupted_cases()) {
    if (c.field.pair == PairLaw::contact) continue;  // few contacts are added up at once
    // A device takes a hundred million at a time.
    if (cuda()) c.bodies = c.field.pair == PairLaw::none ? lattice_bodies(2000) : cloud_bodies(60000);
    const auto held = engine(c);
    const Diagnostics want = held->diagnose();
    {
      EndingSink sink(2);
      const ScopedProgressSink watching(sink);
      const ScopedTask named("energies");
      EXPECT_THROW(held->diagnose(), InterruptedError) << c.name;
    }
    EXPECT_EQ(held->diagnose().potential, want.potential) << c.name;
  }
}

// The engine's state: stepping against the oracle, faults, rejected input, publishing, hashing.

using Engine = BackendTest;
TRI_ON_EVERY_BACKEND(Engine);

constexpr Integrator kEveryIntegrator[] = {Integrator::kdk, Integrator::symplectic_euler, Integrator::yoshida4,
                                           Integrator::hermite};
constexpr std::span kIntegrators(kEveryIntegrator, 3);  // of constant steps without jerks

struct Scene {
  const char* what;
  Bodies bodies;
  ForceField field;
  double dt;
};

std::vector<Scene> scenes() {
  std::vector<Scene> list;
  list.push_back({"gravity", cloud_bodies(100), gravity_field(), 1e-2});
  ForceField boxed = gravity_field();
  boxed.box = {{-1, -1, -1}, {1, 1, 1}, Boundary::reflecting};
  boxed.field = {0.5, 0, -2};
  list.push_back({"gravity in a box of mirrors, uniform field", cloud_bodies(65), boxed, 5e-2});
  ForceField falling = contact_field();
  falling.field = {0, -1, 0};
  list.push_back({"contact with dashpots, walls and a uniform field", cloud_bodies(65), falling, 1e-3});
  list.push_back({"contact, springs only", cloud_bodies(65), contact_field(0, 0), 1e-3});
  ForceField impulses = contact_field();
  impulses.contact.impulse = true;
  impulses.contact.restitution = 0.8;
  impulses.field = {0, 0, -1};
  list.push_back({"impulses", cloud_bodies(200), impulses, 1e-2});
  list.push_back({"argon", lattice_bodies(40), argon_field(), 1e-3});
  list.push_back({"triples alone", lattice_bodies(33), triple_field(), 1e-3});
  ForceField none;
  none.pair = PairLaw::none;
  none.field = {1, 2, 3};
  list.push_back({"no law", cloud_bodies(10), none, 1e-2});
  Scene massless{"massless bodies", cloud_bodies(40), gravity_field(), 1e-2};
  for (u32 i = 0; i < 40; i += 3) massless.bodies.m[i] = 0;
  list.push_back(massless);
  massless.what = "massless bodies in contact";
  massless.field = contact_field();
  massless.dt = 1e-3;
  list.push_back(massless);
  return list;
}

TEST_P(Engine, StepsLikeTheOracle) {
  for (const Scene& scene : scenes()) {
    for (Integrator integrator : kIntegrators) {
      Bodies expected = scene.bodies;
      reference_advance(expected, scene.field, integrator, scene.dt, 20);
      for (Accumulate accumulate : kAccumulates) {
        const auto engine = backend().make_engine(scene.bodies, scene.field, config_of(Precision::fp64, accumulate));
        engine->advance(integrator, scene.dt, 12);
        engine->advance(integrator, scene.dt, 8);  // accelerations carried over between calls
        EXPECT_LE(largest_difference(engine->read(), expected), 1e-11)
            << scene.what << ", " << to_string(integrator) << ", " << to_string(accumulate);
        EXPECT_NO_THROW(engine->diagnose()) << "ranks compare their states";
      }
    }
  }
}

TEST_P(Engine, Float32StaysNearTheOracle) {
  std::vector<Scene> all = scenes();
  // Rounding shifts an impulse to the step before or after, and the run is another one.
  ASSERT_EQ(std::erase_if(all, [](const Scene& scene) { return scene.field.contact.impulse; }), 1u);
  for (const Scene& scene : all) {
    Bodies expected = as_held(scene.bodies, Precision::fp32);
    reference_advance(expected, scene.field, Integrator::kdk, scene.dt, 10);
    const auto engine = backend().make_engine(scene.bodies, scene.field, config_of(Precision::fp32, Accumulate::fast));
    engine->advance(Integrator::kdk, scene.dt, 10);
    EXPECT_LE(largest_difference(engine->read(), expected), 2e-3) << scene.what;
  }
}

TEST_P(Engine, DiagnosticsMatchTheOracleAndNoMap) {
  for (const Scene& scene : scenes()) {
    const ReferenceForces expected = reference_forces(scene.bodies, scene.field);
    const Diagnostics alone = one_body_diagnostics(scene.bodies, scene.field);
    const auto engine = backend().make_engine(scene.bodies, scene.field, config_of(Precision::fp64, Accumulate::fast));
    const Diagnostics first = engine->diagnose();
    const double size = 1 + std::fabs(expected.potential) + std::fabs(alone.potential);
    EXPECT_NEAR(first.potential, expected.potential + alone.potential, 1e-13 * size) << scene.what;
    EXPECT_NEAR(first.virial, expected.virial, 1e-12 * (1 + std::fabs(expected.virial))) << scene.what;
    EXPECT_NEAR(first.triple_potential, expected.triple_potential, 1e-13 * size) << scene.what;
    EXPECT_DOUBLE_EQ(first.kinetic, alone.kinetic);
    for (u32 threads : {1u, 2u, 3u}) {
      const u32 block = cuda() && !(scene.field.contact.impulse) ? 128 : 8;
      engine->configure(config_of(Precision::fp64, Accumulate::ordered, TriangleMapId::bb, block, threads));
      const Diagnostics other = engine->diagnose();
      EXPECT_EQ(other.potential, first.potential);
      EXPECT_EQ(other.virial, first.virial);
    }
  }
}

TEST_P(Engine, NanGuardNamesBodyAndStep) {
  Bodies b = cloud_bodies(100);
  b.x[71] = b.x[37], b.y[71] = b.y[37], b.z[71] = b.z[37];
  for (Precision precision : kPrecisions) {
    for (Accumulate accumulate : kAccumulates) {
      for (ForceField field : {gravity_field(0), lennard_jones_field(), triple_field()}) {
        const auto engine = backend().make_engine(b, field, config_of(precision, accumulate));
        const std::string said = message_of<NumericalError>([&] { engine->advance(Integrator::kdk, 1e-3, 5); });
        expect_parts(said, {"body 37 ", "step 1"});
        EXPECT_NE(message_of<NumericalError>([&] { engine->forces(); }).find("body 37 "), std::string::npos);
      }
    }
  }
}

// Two bodies that collide head-on after exactly three steps, and one that flies out of range.
TEST_P(Engine, NanGuardReportsTheStepOfTheCollision) {
  Bodies b;
  b.add(-3, 0, 0, 1, 0, 0, 1e-30);  // too light to turn each other
  b.add(3, 0, 0, -1, 0, 0, 1e-30);
  b.add(0, 1e3, 0, 0, 0, 0, 0);
  const auto engine = backend().make_engine(b, gravity_field(0), config_of(Precision::fp64, Accumulate::fast));
  const std::string said = message_of<NumericalError>([&] { engine->advance(Integrator::kdk, 1, 9); });
  expect_parts(said, {"body 0 ", "step 3"});
  b.vx[2] = 3e38;
  ForceField none;
  none.pair = PairLaw::none;
  const auto fast = backend().make_engine(b, none, config_of(Precision::fp32, Accumulate::fast));
  const std::string flown = message_of<NumericalError>([&] { fast->advance(Integrator::kdk, 1, 9); });
  expect_parts(flown, {"body 2 ", "step 2"});
  b.vx[2] = 0;
}

TEST_P(Engine, MasslessBodiesAtOnePlaceHideNoFaultOfOthers) {
  Bodies b;
  b.add(-3, 0, 0, 1, 0, 0, 1e-30), b.add(3, 0, 0, -1, 0, 0, 1e-30);  // which meet after three steps
  b.add(0, 2, 0, 0, 0, 0, 0), b.add(0, 2, 0, 0, 0, 0, 0);
  for (const u64 at_once : {1u, 9u}) {
    const auto engine = backend().make_engine(b, gravity_field(0), config_of(Precision::fp64, Accumulate::fast));
    const auto run = [&] {
      for (u64 step = 0; step < 9; step += at_once) engine->advance(Integrator::kdk, 1, at_once);
    };
    expect_parts(message_of<NumericalError>(run), {"body 0 "});
  }
}

TEST_P(Engine, MasslessBodiesAtOnePlaceAreNoFault) {
  Bodies b = lattice_bodies(20);
  for (const std::size_t i : {3u, 7u, 11u}) b.m[i] = 0, b.x[i] = 0.6, b.y[i] = 0.5, b.z[i] = 0.4;
  b.vx[7] = -b.vx[3];
  for (const Precision precision : kPrecisions) {
    const EngineConfig config = config_of(precision, Accumulate::fast);
    const auto engine = backend().make_engine(b, gravity_field(0), config);
    Bodies expected = as_held(b, precision);
    engine->advance(Integrator::kdk, 0.001, 20);
    reference_advance(expected, gravity_field(0), Integrator::kdk, 0.001, 20);
    EXPECT_LE(largest_difference(engine->read(), expected), precision == Precision::fp64 ? 1e-12 : 1e-4);
    engine->set_field(gravity_field(0.1)), engine->set_field(gravity_field(0));
    EXPECT_NO_THROW(backend().make_engine(b, gravity_field(0), config)->forces());
    Bodies pulling = b;
    pulling.m[3] = 1;
    EXPECT_THROW(backend().make_engine(pulling, gravity_field(0), config)->advance(Integrator::kdk, 0.001, 1),
                 NumericalError)
        << "one that pulls is at the place of others";
  }
}

// Two bodies without mass that come to one place on the way, and two that are at one place all the time.
TEST_P(Engine, MasslessBodiesMayMeetOnTheWay) {
  Bodies b;  // places and steps are exact, and what pulls is too weak to move them
  b.add(-0.25, 0, 0, 1, 0, 0, 0), b.add(0.25, 0, 0, -1, 0, 0, 0), b.add(0, 0, 4, 0, 0, 0, 1e-30);
  b.add(0, 2, 0, 0, 0, 0, 0), b.add(0, 2, 0, 0, 0, 0, 0);
  ForceField typed;
  set_pair_law(typed, "-mi*mj/r");
  for (const ForceField& field : {gravity_field(0), typed}) {
    for (const Integrator scheme : kEveryIntegrator) {
      for (const Precision precision : kPrecisions) {
        if (!scheme_refusal(field, scheme, 0, precision).empty()) continue;
        for (const Accumulate accumulate : kAccumulates) {
          SCOPED_TRACE(to_string(field.pair) + ", " + to_string(scheme) + ", " + to_string(precision));
          const auto engine = backend().make_engine(b, field, config_of(precision, accumulate));
          for (int step = 0; step < 4; ++step) {
            ASSERT_NO_THROW(engine->advance(scheme, 0.125, 1)) << step;
            EXPECT_TRUE(std::isfinite(engine->diagnose().potential)) << step;
          }
          const Bodies after = engine->read();
          EXPECT_NEAR(after.x[0], 0.25, 1e-6);
          EXPECT_NEAR(after.x[1], -0.25, 1e-6);
          EXPECT_EQ(after.vx[3], after.vx[4]);
          engine->advance(scheme, 0.125, 4);
        }
      }
    }
  }
}

TEST_P(Engine, PublishesEveryBody) {
  const Bodies b = cloud_bodies(77);
  for (Precision precision : kPrecisions) {
    const auto engine = backend().make_engine(b, gravity_field(), config_of(precision, Accumulate::fast));
    engine->advance(Integrator::kdk, 1e-3, 2);
    const Bodies s = engine->read();
    std::vector<Instance> instances(80, Instance{9, 9, 9, 9, 9, 9, 9, 9});
    InstanceSink sink{InstanceSink::Place::host, instances};
    engine->publish(sink);
    const ForceResult f = engine->forces();
    for (u32 i = 0; i < 77; ++i) {
      EXPECT_EQ(instances[i].x, static_cast<float>(s.x[i]));
      EXPECT_EQ(instances[i].y, static_cast<float>(s.y[i]));
      EXPECT_EQ(instances[i].z, static_cast<float>(s.z[i]));
      EXPECT_EQ(instances[i].radius, static_cast<float>(s.r[i]));
      EXPECT_EQ(instances[i].mass, static_cast<float>(s.m[i]));
      EXPECT_EQ(instances[i].id, i);
      const double speed = std::sqrt(s.vx[i] * s.vx[i] + s.vy[i] * s.vy[i] + s.vz[i] * s.vz[i]);
      EXPECT_NEAR(instances[i].speed, speed, 1e-6);
      const double a = std::sqrt(f.fx[i] * f.fx[i] + f.fy[i] * f.fy[i] + f.fz[i] * f.fz[i]) / s.m[i];
      EXPECT_NEAR(instances[i].acceleration / a, 1.0, 1e-4);
    }
    EXPECT_EQ(instances[77].id, 9u) << "memory behind the last body";
    EXPECT_GE(engine->timing().publish, 0.0);
    EXPECT_GT(engine->timing().force, 0.0);
  }
}

TEST_P(Engine, TriplesHaveATimeOfTheirOwn) {
  const EngineConfig config = config_of(Precision::fp32, Accumulate::fast);
  const auto pairs = backend().make_engine(cloud_bodies(120), gravity_field(), config);
  pairs->advance(Integrator::kdk, 1e-3, 2);
  EXPECT_EQ(pairs->timing().triples, 0.0);
  const auto both = backend().make_engine(lattice_bodies(120), argon_field(), config);
  for (const bool steps : {true, false}) {
    steps ? both->advance(Integrator::kdk, 1e-6, 20) : static_cast<void>(both->forces());
    EXPECT_GT(both->timing().triples, 0.0);
    EXPECT_LT(both->timing().triples, both->timing().force) << "the pairs take some of it";
  }
}

TEST_P(Engine, PublishesGroupsAndContactsInPlaceOfTheMass) {
  Bodies b = cloud_bodies(300);
  for (u32 i = 0; i < 300; ++i) b.r[i] = 0.08 + 0.0001 * i;
  ForceField contact;
  contact.pair = PairLaw::contact;
  for (Precision precision : kPrecisions) {
    const auto tints = [&](tri::Engine& engine, InstanceScalar scalar) {
      std::vector<Instance> instances(300);
      InstanceSink sink{InstanceSink::Place::host, instances, scalar};
      engine.publish(sink);
      std::vector<float> values;
      for (const Instance& i : instances) values.push_back(i.mass);
      return values;
    };
    b.group.clear();
    const auto config = config_of(precision, Accumulate::fast);
    EXPECT_EQ(tints(*backend().make_engine(b, contact, config), InstanceScalar::group), std::vector<float>(300, 0));
    for (u32 i = 0; i < 300; ++i) b.group.push_back(static_cast<std::uint16_t>(i * i * 7 + 3));
    const auto engine = backend().make_engine(b, contact, config);
    engine->advance(Integrator::kdk, 1e-5, 3);
    EXPECT_EQ(engine->read().group, b.group);
    EXPECT_EQ(tints(*engine, InstanceScalar::group), std::vector<float>(b.group.begin(), b.group.end()));
    const CollisionResult found = backend().collisions(engine->read(), config);
    ASSERT_GT(found.pairs.size(), 50u);
    EXPECT_EQ(tints(*engine, InstanceScalar::contacts),
              std::vector<float>(found.per_body.begin(), found.per_body.end()));
    EXPECT_EQ(tints(*engine, InstanceScalar::contacts),
              std::vector<float>(found.per_body.begin(), found.per_body.end()))
        << "and again, from zero";
    EXPECT_EQ(tints(*engine, InstanceScalar::mass)[7], static_cast<float>(b.m[7]));
    engine->set_field(gravity_field());
    EXPECT_EQ(tints(*engine, InstanceScalar::contacts), std::vector<float>(300, 0)) << "no contacts under gravity";
  }
}

template <class Real>
u64 hash_of(const Bodies& b) {
  u64 hash = kFnvOffset;
  for (const auto* a : {&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz}) {
    for (double v : *a) {
      const Real held = static_cast<Real>(v);
      hash = fnv1a(hash, &held, sizeof held);
    }
  }
  return hash;
}

TEST_P(Engine, HashIsThatOfTheBits) {
  const Bodies b = cloud_bodies(77);
  const auto single = backend().make_engine(b, gravity_field(), config_of(Precision::fp32, Accumulate::fast));
  const auto twice = backend().make_engine(b, gravity_field(), config_of(Precision::fp64, Accumulate::fast));
  EXPECT_EQ(single->state_hash(), hash_of<float>(b));
  EXPECT_EQ(twice->state_hash(), hash_of<double>(b));
  EXPECT_EQ(largest_difference(twice->read(), b), 0.0);
  EXPECT_EQ(largest_difference(single->read(), as_held(b, Precision::fp32)), 0.0);
  Bodies other = b;
  other.vz[76] = std::nextafter(other.vz[76], 9.0);
  EXPECT_NE(backend().make_engine(other, gravity_field(), config_of(Precision::fp64, Accumulate::fast))->state_hash(),
            twice->state_hash());
}

// On a device, floating-point atomics add in any order.
TEST(CpuEngine, FastIsReproducibleForOneConfiguration) {
  const auto backend = make_backend("cpu");
  u64 first = 0;
  for (int i = 0; i < 5; ++i) {
    const auto engine = backend->make_engine(cloud_bodies(700), gravity_field(),
                                             config_of(Precision::fp32, Accumulate::fast, TriangleMapId::bb, 16, 3));
    engine->advance(Integrator::kdk, 1e-2, 3);
    if (i == 0) first = engine->state_hash();
    EXPECT_EQ(engine->state_hash(), first);
  }
}

TEST(CpuEngine, MapsBeyondTheirLimitAreRejected) {
  const auto backend = make_backend("cpu");
  const auto config = config_of(Precision::fp32, Accumulate::fast, TriangleMapId::utm);
  EXPECT_NE(message_of<ConfigError>([&] {
              backend->make_engine(cloud_bodies(8192), gravity_field(), config);
            }).find("utm-block"),
            std::string::npos);
  EXPECT_NO_THROW(backend->make_engine(cloud_bodies(100), gravity_field(), config));
  const auto engine = backend->make_engine(cloud_bodies(8192), gravity_field(), {});
  EXPECT_THROW(engine->configure(config), ConfigError);
}

TEST_P(Engine, BadBodiesAreRejected) {
  Bodies nan = cloud_bodies(3);
  nan.y[1] = std::nan("");
  Bodies wide = cloud_bodies(3);
  wide.z[2] = 1e300;
  EXPECT_THROW(backend().make_engine({}, gravity_field(), {}), ConfigError);
  EXPECT_THROW(backend().make_engine(nan, gravity_field(), {}), ConfigError);
  EXPECT_NE(message_of<ConfigError>([&] { backend().make_engine(wide, gravity_field(), {}); }).find("body 2 "),
            std::string::npos);
}

// In metres and kilograms G/r^3 is 1.4e-46: float32 would leave both bodies at rest.
TEST_P(Engine, LostGravityIsRefusedAndFloat64HasIt) {
  constexpr double kNewton = 6.6743e-11, kSun = 1.98841e30, kDistance = 7.785e11;
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, kSun), b.add(kDistance, 0, 0, 0, 0, 0, 1e3);
  ForceField field;
  field.gravity.G = kNewton;
  EngineConfig config;
  expect_parts(message_of<ConfigError>([&] { backend().make_engine(b, field, config); }),
               {"the gravity on body 1 would vanish in float32", "G/r^3", "--precision fp64"});

  field.gravity.G = 1;  // float32 can do that: 1/r^3 = 2.1e-36
  const auto engine = backend().make_engine(b, field, config);
  field.gravity.G = kNewton;
  EXPECT_NE(message_of<ConfigError>([&] { engine->set_field(field); }), "");

  config.precision = Precision::fp64;
  const auto precise = backend().make_engine(b, field, config);
  constexpr double kDt = 1e3;
  precise->advance(Integrator::symplectic_euler, kDt, 1);
  const double expected = -kNewton * kSun / (kDistance * kDistance) * kDt;
  EXPECT_NEAR(precise->read().vx[1], expected, 1e-12 * std::abs(expected));
}

TEST(Backends, AllAreTested) {
  std::vector<std::string> names;
  for (const BackendEntry& entry : list_backends()) names.push_back(entry.name);
  names.emplace_back("ranks");
  EXPECT_EQ(names, backend_names());
}

TEST(Backends, UnavailableOnesGiveTheReason) {
  for (const BackendEntry& entry : list_backends()) {
    EXPECT_EQ(entry.available.ok, entry.available.reason.empty()) << entry.name;
    if (entry.available) {
      const BackendInfo about = make_backend(entry.name)->info();
      EXPECT_EQ(about.name, entry.name);
      EXPECT_FALSE(about.device.empty() || about.detail.empty()) << entry.name;
    } else {
      EXPECT_NE(message_of<BackendError>([&] { make_backend(entry.name); }).find(entry.available.reason),
                std::string::npos);
    }
  }
  EXPECT_NO_THROW(make_backend("auto"));
  EXPECT_NE(message_of<ConfigError>([] { make_backend("cdua"); }).find("cuda"), std::string::npos);
}

}  // namespace
}  // namespace tri::test
