// Steps of every backend: jerks, Hermite, saved and borrowed states.
//
// Accelerations with their jerks, and the Hermite scheme with steps of a given length.

#include <numbers>

#include "tests/sim/backend/cases.hpp"
#include "tests/sim/backend/law_cases.hpp"

namespace tri::test {
namespace {

class Jerks : public BackendTest {
 protected:
  std::unique_ptr<tri::Engine> engine(const Bodies& bodies, const ForceField& field,
                                      const EngineConfig& config = config_of(Precision::fp64, Accumulate::fast)) {
    return backend().make_engine(bodies, field, config);
  }
};
TRI_ON_EVERY_BACKEND(Jerks);

/// The largest difference of the vectors (x, y, z), relative to the longest of them.
double difference(const std::vector<double>* const (&got)[3], const std::vector<double>* const (&want)[3]) {
  double most = 0, scale = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (got[k]->size() != want[k]->size()) return HUGE_VAL;
    for (std::size_t i = 0; i < want[k]->size(); ++i) {
      const double error = std::abs((*got[k])[i] - (*want[k])[i]);
      most = error <= most ? most : error;  // a NaN stays
      scale = std::max(scale, std::abs((*want[k])[i]));
    }
  }
  return scale > 0 ? most / scale : most;
}

void expect_near(const JerkResult& got, const ReferenceJerks& want, double limit, const std::string& what) {
  EXPECT_LE(difference({&got.ax, &got.ay, &got.az}, {&want.ax, &want.ay, &want.az}), limit) << what;
  EXPECT_LE(difference({&got.jx, &got.jy, &got.jz}, {&want.jx, &want.jy, &want.jz}), limit) << what << ", jerk";
}

TEST_P(Jerks, MatchTheOracleOnEveryMapAndAreBitEqualInOrder) {
  app::VerifyPlan plan;
  plan.sizes = {2, 3, 31, 33, 257},
  plan.blocks = cuda() ? std::vector<u32>{128, 512} : std::vector<u32>{3, 8, 16, 100, 300};
  std::vector<app::VerifyCheck> checks;
  app::verify_parts::add_jerk_checks(plan, backend(), checks);
  expect_passed(checks);
}

// j = da/dt along the motion: (a(t + h) - a(t - h)) / 2h with bodies that fly straight on, and the velocity's change
// adds nothing to a.
TEST_P(Jerks, AreTheDerivativesOfTheAccelerations) {
  const double h = 1e-4;
  const Bodies now = cloud_bodies(33);
  const auto moved = [&](double time) {
    Bodies b = now;
    for (std::size_t i = 0; i < b.size(); ++i) {
      b.x[i] += time * b.vx[i], b.y[i] += time * b.vy[i], b.z[i] += time * b.vz[i];
    }
    return engine(b, gravity_field(0.3))->jerks();
  };
  const JerkResult before = moved(-h), at = moved(0), after = moved(h);
  ReferenceJerks want{at.ax, at.ay, at.az, {}, {}, {}};
  for (std::size_t i = 0; i < now.size(); ++i) {
    want.jx.push_back((after.ax[i] - before.ax[i]) / (2 * h));
    want.jy.push_back((after.ay[i] - before.ay[i]) / (2 * h));
    want.jz.push_back((after.az[i] - before.az[i]) / (2 * h));
  }
  expect_near(at, want, 1e-6, "central differences");
}

TEST_P(Jerks, ObeyTheThirdLaw) {
  const Bodies bodies = cloud_bodies(257);
  const JerkResult got = engine(bodies, gravity_field())->jerks();
  for (const auto* values : {&got.ax, &got.ay, &got.az, &got.jx, &got.jy, &got.jz}) {
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      sum += bodies.m[i] * (*values)[i];
      size += bodies.m[i] * std::abs((*values)[i]);
    }
    EXPECT_GT(size, 0.1);
    EXPECT_LE(std::abs(sum), 1e-13 * size);
  }
}

TEST_P(Jerks, IncludeTheUniformFieldInAccelerationsAlone) {
  ForceField field = gravity_field();
  field.field = {1, -2, 3};
  Bodies one;
  one.add(0, 0, 0, 5, 6, 7, 1);
  const JerkResult got = engine(one, field)->jerks();
  EXPECT_EQ(got.ax[0], 1);
  EXPECT_EQ(got.ay[0], -2);
  EXPECT_EQ(got.az[0], 3);
  EXPECT_EQ(got.jx[0], 0);
  EXPECT_EQ(got.jy[0], 0);
  EXPECT_EQ(got.jz[0], 0);
  EXPECT_EQ(got.fall, 0);
  EXPECT_EQ(got.fly, 0);
}

/// Two bodies at the apocentre of an ellipse, e = 0.5, with period 2 pi.
Bodies ellipse() {
  const double speed = std::sqrt(0.5 / 1.5);
  Bodies b;
  b.add(-0.75, 0, 0, 0, -speed / 2, 0, 0.5);
  b.add(0.75, 0, 0, 0, speed / 2, 0, 0.5);
  return b;
}

/// The distance from the exact state of the ellipse after one period in this many steps.
double orbit_error(tri::Engine& engine, u32 steps) {
  engine.advance(Integrator::hermite, 2 * std::numbers::pi / steps, steps);
  const Bodies end = engine.read();
  return std::hypot(end.x[0] - ellipse().x[0], end.y[0]);
}

TEST_P(Jerks, HermiteIsOfFourthOrder) {
  double before = 0;
  for (const u32 steps : {200u, 400u, 800u, 1600u}) {
    const double error = orbit_error(*engine(ellipse(), gravity_field(0)), steps);
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / error), 4, 0.15) << steps << " steps: " << error;
    }
    before = error;
  }
  EXPECT_LT(before, 1e-8);
}

TEST_P(Jerks, HermiteRunsBackwardsToItsStart) {
  const auto there = engine(ellipse(), gravity_field(0));
  const double dt = 2 * std::numbers::pi / 1000;
  there->advance(Integrator::hermite, dt, 700);
  there->advance(Integrator::hermite, -dt, 700);
  const Bodies back = there->read();
  EXPECT_NEAR(back.x[0], ellipse().x[0], 1e-9);
  EXPECT_NEAR(back.y[0], 0, 1e-9);
}

// The rest of a rounding is part of the state.
TEST_P(Jerks, PositionsCarryTheirRest) {
  const auto first = engine(cloud_bodies(20), gravity_field(), config_of(Precision::fp64, Accumulate::ordered));
  first->advance(Integrator::hermite, 1e-3, 10);
  const Bodies middle = first->read();
  ASSERT_EQ(middle.rest.size(), 60u);
  double largest = 0;
  for (const double rest : middle.rest) largest = std::max(largest, std::abs(rest));
  EXPECT_GT(largest, 0) << "no step rounds nothing";
  EXPECT_LT(largest, 1e-15);
  first->advance(Integrator::hermite, 1e-3, 10);
  const auto second = engine(middle, gravity_field(), config_of(Precision::fp64, Accumulate::ordered));
  second->advance(Integrator::hermite, 1e-3, 10);
  EXPECT_EQ(second->state_hash(), first->state_hash());
  first->advance(Integrator::symplectic_euler, 0, 2);
  EXPECT_EQ(first->read().rest.size(), 60u) << "nothing moved";
  first->advance(Integrator::kdk, 1e-3, 1);
  EXPECT_TRUE(first->read().rest.empty()) << "kdk carries nothing";
}

TEST_P(Jerks, AreRefusedWhereTheyMakeNoSense) {
  const Bodies bodies = cloud_bodies(10);
  const auto refusal = [&](const ForceField& field, Precision precision) {
    const auto one = engine(bodies, field, config_of(precision, Accumulate::fast));
    return message_of<ConfigError>([&] { one->advance(Integrator::hermite, 1e-3, 1); });
  };
  EXPECT_EQ(refusal(gravity_field(), Precision::fp64), "");
  expect_parts(refusal(gravity_field(), Precision::fp32), {"float64", "--precision fp64"});
  expect_parts(refusal(lennard_jones_field(), Precision::fp64), {"lennard-jones", "--integrator kdk"});
  ForceField walls = gravity_field();
  walls.box = {{-2, -2, -2}, {2, 2, 2}, Boundary::reflecting};
  expect_parts(refusal(walls, Precision::fp64), {"reflecting"});
}

TEST_P(Jerks, TwoBodiesAtOnePlaceAreNamed) {
  for (const Accumulate accumulate : kAccumulates) {
    Bodies bodies = cloud_bodies(40);
    bodies.x[31] = bodies.x[7], bodies.y[31] = bodies.y[7], bodies.z[31] = bodies.z[7];
    const auto one = engine(bodies, gravity_field(0), config_of(Precision::fp64, accumulate));
    expect_parts(message_of<NumericalError>([&] { one->advance(Integrator::hermite, 1e-3, 1); }), {"7"});
  }
}

// The pair that falls fastest is found by a search in the tree, whether its bodies are close or heavy.
TEST_P(Jerks, AutomaticStepsByATreeAreThoseOfAllPairs) {
  Bodies heavy = cloud_bodies(700), decades = cloud_bodies(700), massless = cloud_bodies(700);
  for (std::size_t i = 0; i < 700; ++i) {
    heavy.m[i] *= i == 3 || i == 600 ? 1e9 : 1;
    decades.m[i] *= std::pow(10.0, static_cast<double>(i % 7));
    massless.m[i] *= i % 5 == 0 ? 1 : 0;
  }
  heavy.x[3] = -40, heavy.x[600] = 40;
  std::vector<std::pair<std::string, Bodies>> clouds{{"heavy", heavy}, {"decades", decades}, {"massless", massless}};
  for (const u32 n : {1u, 2u, 64u, 65u, 129u, 5000u}) clouds.emplace_back(std::to_string(n), cloud_bodies(n));
  for (const auto& [name, bodies] : clouds) {
    for (const double softening : {0.0, 0.3}) {
      EngineConfig config = config_of(Precision::fp64, Accumulate::ordered);
      const auto all = engine(bodies, gravity_field(softening), config);
      config.pairs = PairSearch::tree, config.tolerance = Tolerance::e_9;
      const auto tree = engine(bodies, gravity_field(softening), config);
      config.pair_map = TriangleMapId::rec;
      const auto other = engine(bodies, gravity_field(softening), config);
      AutoStep step{0.02};
      for (int k = 0; k < 3; ++k) {
        const StepTaken want = all->advance_auto(Integrator::kdk, step),
                        got = tree->advance_auto(Integrator::kdk, step);
        EXPECT_NEAR(got.length, want.length, 1e-6 * want.length) << name << ' ' << softening;
        EXPECT_NEAR(got.next, want.next, 1e-6 * want.next) << name << ' ' << softening;
        EXPECT_EQ(other->advance_auto(Integrator::kdk, step).length, got.length);
        step.next = want.next;
      }
      EXPECT_EQ(tree->state_hash(), other->state_hash()) << name;
      expect_parts(message_of<ConfigError>([&] { tree->advance(Integrator::hermite, 1e-3, 1); }), {"not by a tree"});
    }
  }
}

// States that an engine keeps: they come back bit for bit, in this engine or another one, and the run goes on from them
// as it did. And the state itself, which others read and write.

using SavedStates = BackendTest;
TRI_ON_EVERY_BACKEND(SavedStates);

struct KeptRun {
  const char* what;
  Bodies bodies;
  ForceField field;
  double dt;
  Integrator integrator = Integrator::kdk;
  Precision precision = Precision::fp32;
};

std::vector<KeptRun> runs() {
  ForceField impulses = contact_field();
  impulses.contact.impulse = true;
  return {{"gravity", cloud_bodies(129), gravity_field(), 1e-2},
          {"gravity in float64", cloud_bodies(65), gravity_field(), 1e-2, Integrator::yoshida4, Precision::fp64},
          {"hermite", cloud_bodies(33), gravity_field(), 1e-3, Integrator::hermite, Precision::fp64},
          {"springs", cloud_bodies(65), contact_field(), 1e-3},
          {"impulses", cloud_bodies(100), impulses, 1e-2},
          {"argon", lattice_bodies(40), argon_field(), 1e-3}};
}

bool same_state(const Bodies& a, const Bodies& b) {
  return same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.z, b.z) && same_bits(a.vx, b.vx) &&
         same_bits(a.vy, b.vy) && same_bits(a.vz, b.vz) && same_bits(a.m, b.m) && same_bits(a.r, b.r) &&
         same_bits(a.rest, b.rest);
}

std::vector<float> accelerations(tri::Engine& engine) {
  std::vector<Instance> instances(engine.size());
  InstanceSink sink{InstanceSink::Place::host, instances};
  engine.publish(sink);
  std::vector<float> values;
  for (const Instance& i : instances) values.push_back(i.acceleration);
  return values;
}

TEST_P(SavedStates, ComeBackBitForBit) {
  for (const KeptRun& run : runs()) {
    for (const Accumulate accumulate : kAccumulates) {
      SCOPED_TRACE(std::string(run.what) + ", " + to_string(accumulate));
      const EngineConfig config = config_of(run.precision, accumulate);
      const auto engine = backend().make_engine(run.bodies, run.field, config);
      engine->advance(run.integrator, run.dt, 7);
      std::unique_ptr<SavedState> kept = engine->save_state();
      EXPECT_GT(kept->bytes(), engine->size() * 6 * sizeof(float));
      const Bodies then = engine->read();
      const std::vector<float> drawn = accelerations(*engine);
      engine->advance(run.integrator, run.dt, 9);
      const Bodies end = engine->read();
      EXPECT_FALSE(same_state(end, then));
      engine->restore_state(*kept);
      EXPECT_TRUE(same_state(engine->read(), then));
      EXPECT_EQ(accelerations(*engine), drawn);
      const auto other = backend().make_engine(run.bodies, run.field, config);
      other->restore_state(*kept);
      EXPECT_TRUE(same_state(other->read(), then)) << "in another engine";
      // The same memory for another state.
      other->advance(run.integrator, run.dt, 2);
      kept = other->save_state(std::move(kept));
      const Bodies later = other->read();
      other->advance(run.integrator, run.dt, 2);
      other->restore_state(*kept);
      EXPECT_TRUE(same_state(other->read(), later));
      if (!fast_repeats() && accumulate == Accumulate::fast) continue;  // sums differ from run to run
      engine->advance(run.integrator, run.dt, 9);
      EXPECT_TRUE(same_state(engine->read(), end));
      other->advance(run.integrator, run.dt, 7);
      EXPECT_TRUE(same_state(other->read(), end));
    }
  }
}

TEST_P(SavedStates, OfAutomaticStepsGoOnAsTheyDid) {
  const auto engine =
      backend().make_engine(cloud_bodies(20), gravity_field(0), config_of(Precision::fp64, Accumulate::ordered));
  for (const Integrator integrator : {Integrator::hermite, Integrator::kdk}) {
    AutoStep step{0.01};
    const auto take = [&](AutoStep& to) {
      for (int k = 0; k < 10; ++k) to.next = engine->advance_auto(integrator, to).next;
    };
    take(step);
    const std::unique_ptr<SavedState> kept = engine->save_state();
    AutoStep again = step;
    take(step);
    const Bodies end = engine->read();
    engine->restore_state(*kept);
    take(again);
    EXPECT_TRUE(same_state(engine->read(), end));
    EXPECT_EQ(again.next, step.next);
  }
}

double number_at(const void* values, std::ptrdiff_t at, Precision precision) {
  return precision == Precision::fp32 ? static_cast<double>(static_cast<const float*>(values)[at])
                                      : static_cast<const double*>(values)[at];
}

void write_number(void* values, std::ptrdiff_t at, Precision precision, double value) {
  if (precision == Precision::fp32) {
    static_cast<float*>(values)[at] = static_cast<float>(value);
  } else {
    static_cast<double*>(values)[at] = value;
  }
}

using LentStates = BackendTest;
TRI_ON_EVERY_BACKEND(LentStates);

TEST_P(LentStates, AreTheStateAndUnwrittenChangeNothing) {
  for (const KeptRun& run : runs()) {
    SCOPED_TRACE(run.what);
    const EngineConfig config = config_of(run.precision, Accumulate::ordered);
    const auto engine = backend().make_engine(run.bodies, run.field, config);
    const auto alone = backend().make_engine(run.bodies, run.field, config);
    engine->advance(run.integrator, run.dt, 7), alone->advance(run.integrator, run.dt, 7);
    if (GetParam() == "ranks") {
      EXPECT_THROW(engine->borrow(), ConfigError);
      continue;
    }
    const StateArrays lent = engine->borrow();
    EXPECT_EQ(lent.device == StateArrays::kHost, !cuda());
    if (!cuda()) {
      const Bodies b = engine->read();
      for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(b.size()); ++i) {
        const auto u = static_cast<std::size_t>(i);
        EXPECT_EQ(number_at(lent.position, i * lent.body + 2 * lent.axis, run.precision), b.z[u]);
        EXPECT_EQ(number_at(lent.velocity, i * lent.body + lent.axis, run.precision), b.vy[u]);
        EXPECT_EQ(number_at(lent.mass, i * lent.body, run.precision), b.m[u]);
        EXPECT_EQ(number_at(lent.radius, i * lent.body, run.precision), b.r[u]);
      }
    }
    EXPECT_FALSE(engine->return_borrowed(false));
    engine->advance(run.integrator, run.dt, 7), alone->advance(run.integrator, run.dt, 7);
    EXPECT_TRUE(same_state(engine->read(), alone->read()));
    EXPECT_EQ(engine->borrow().position, lent.position) << "it moved";
    engine->return_borrowed(true);
    EXPECT_TRUE(same_state(engine->read(), alone->read()));
  }
}

TEST_P(LentStates, WhatIsWrittenIsWhereTheRunGoesOn) {
  if (GetParam() != "cpu") GTEST_SKIP() << "writes in host memory; tests/app/python/test_arrays.py writes on a GPU";
  for (const KeptRun& run : runs()) {
    SCOPED_TRACE(run.what);
    const EngineConfig config = config_of(run.precision, Accumulate::ordered);
    const auto engine = backend().make_engine(run.bodies, run.field, config);
    engine->advance(run.integrator, run.dt, 7);
    const StateArrays lent = engine->borrow();
    write_number(lent.position, 3 * lent.body + lent.axis, run.precision, -1.25);
    write_number(lent.velocity, 5 * lent.body, run.precision, 0.5);
    write_number(lent.mass, 2 * lent.body, run.precision, 2);
    write_number(lent.radius, 2 * lent.body, run.precision, 0.75);
    EXPECT_TRUE(engine->return_borrowed(false));
    const Bodies written = engine->read();
    EXPECT_EQ(written.y[3], -1.25);
    EXPECT_EQ(written.vx[5], 0.5);
    EXPECT_EQ(written.m[2], 2);
    EXPECT_EQ(written.r[2], 0.75);
    EXPECT_TRUE(written.rest.empty());
    const auto other = backend().make_engine(written, run.field, config);
    engine->advance(run.integrator, run.dt, 5), other->advance(run.integrator, run.dt, 5);
    EXPECT_TRUE(same_state(engine->read(), other->read()));
    // What no engine would take is refused, and the state is that of before.
    for (const double bad : {std::nan(""), -1.0}) {
      const Bodies before = engine->read();
      const StateArrays again = engine->borrow();
      write_number(again.mass, again.body, run.precision, bad);
      write_number(again.velocity, again.body, run.precision, 9);
      EXPECT_THROW(engine->return_borrowed(false), ConfigError);
      EXPECT_TRUE(same_state(engine->read(), before));
    }
    const Bodies before = engine->read();
    write_number(engine->borrow().mass, 0, run.precision, 3);
    EXPECT_FALSE(engine->return_borrowed(true));
    EXPECT_TRUE(same_state(engine->read(), before));
  }
}

}  // namespace
}  // namespace tri::test
