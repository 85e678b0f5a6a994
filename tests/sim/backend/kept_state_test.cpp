// States that an engine keeps: they come back bit for bit, in this engine or another one, and the run goes on from them
// as it did. And the state itself, which others read and write.

#include "tests/sim/backend/cases.hpp"

namespace tri::test {
namespace {

using KeptStates = BackendTest;
TRI_ON_EVERY_BACKEND(KeptStates);

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

TEST_P(KeptStates, ComeBackBitForBit) {
  for (const KeptRun& run : runs()) {
    for (const Accumulate accumulate : kAccumulates) {
      SCOPED_TRACE(std::string(run.what) + ", " + to_string(accumulate));
      const EngineConfig config = config_of(run.precision, accumulate);
      const auto engine = backend().make_engine(run.bodies, run.field, config);
      engine->advance(run.integrator, run.dt, 7);
      std::unique_ptr<KeptState> kept = engine->keep();
      EXPECT_GT(kept->bytes(), engine->size() * 6 * sizeof(float));
      const Bodies then = engine->read();
      const std::vector<float> drawn = accelerations(*engine);
      engine->advance(run.integrator, run.dt, 9);
      const Bodies end = engine->read();
      EXPECT_FALSE(same_state(end, then));
      engine->bring_back(*kept);
      EXPECT_TRUE(same_state(engine->read(), then));
      EXPECT_EQ(accelerations(*engine), drawn);
      const auto other = backend().make_engine(run.bodies, run.field, config);
      other->bring_back(*kept);
      EXPECT_TRUE(same_state(other->read(), then)) << "in another engine";
      // The same memory for another state.
      other->advance(run.integrator, run.dt, 2);
      kept = other->keep(std::move(kept));
      const Bodies later = other->read();
      other->advance(run.integrator, run.dt, 2);
      other->bring_back(*kept);
      EXPECT_TRUE(same_state(other->read(), later));
      if (!fast_repeats() && accumulate == Accumulate::fast) continue;  // sums differ from run to run
      engine->advance(run.integrator, run.dt, 9);
      EXPECT_TRUE(same_state(engine->read(), end));
      other->advance(run.integrator, run.dt, 7);
      EXPECT_TRUE(same_state(other->read(), end));
    }
  }
}

TEST_P(KeptStates, OfAutomaticStepsGoOnAsTheyDid) {
  const auto engine =
      backend().make_engine(cloud_bodies(20), gravity_field(0), config_of(Precision::fp64, Accumulate::ordered));
  for (const Integrator integrator : {Integrator::hermite, Integrator::kdk}) {
    AutoStep step{0.01};
    const auto take = [&](AutoStep& to) {
      for (int k = 0; k < 10; ++k) to.next = engine->advance_auto(integrator, to).next;
    };
    take(step);
    const std::unique_ptr<KeptState> kept = engine->keep();
    AutoStep again = step;
    take(step);
    const Bodies end = engine->read();
    engine->bring_back(*kept);
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
      EXPECT_THROW(engine->lend(), ConfigError);
      continue;
    }
    const StateArrays lent = engine->lend();
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
    EXPECT_FALSE(engine->take_back(false));
    engine->advance(run.integrator, run.dt, 7), alone->advance(run.integrator, run.dt, 7);
    EXPECT_TRUE(same_state(engine->read(), alone->read()));
    EXPECT_EQ(engine->lend().position, lent.position) << "it moved";
    engine->take_back(true);
    EXPECT_TRUE(same_state(engine->read(), alone->read()));
  }
}

TEST_P(LentStates, WhatIsWrittenIsWhereTheRunGoesOn) {
  if (GetParam() != "cpu") GTEST_SKIP() << "writes in host memory; tests/app/python/test_cuda.py writes on a GPU";
  for (const KeptRun& run : runs()) {
    SCOPED_TRACE(run.what);
    const EngineConfig config = config_of(run.precision, Accumulate::ordered);
    const auto engine = backend().make_engine(run.bodies, run.field, config);
    engine->advance(run.integrator, run.dt, 7);
    const StateArrays lent = engine->lend();
    write_number(lent.position, 3 * lent.body + lent.axis, run.precision, -1.25);
    write_number(lent.velocity, 5 * lent.body, run.precision, 0.5);
    write_number(lent.mass, 2 * lent.body, run.precision, 2);
    write_number(lent.radius, 2 * lent.body, run.precision, 0.75);
    EXPECT_TRUE(engine->take_back(false));
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
      const StateArrays again = engine->lend();
      write_number(again.mass, again.body, run.precision, bad);
      write_number(again.velocity, again.body, run.precision, 9);
      EXPECT_THROW(engine->take_back(false), ConfigError);
      EXPECT_TRUE(same_state(engine->read(), before));
    }
    const Bodies before = engine->read();
    write_number(engine->lend().mass, 0, run.precision, 3);
    EXPECT_FALSE(engine->take_back(true));
    EXPECT_TRUE(same_state(engine->read(), before));
  }
}

}  // namespace
}  // namespace tri::test
