/// Orbits and collisions with known solutions.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/physics_cases.hpp"

namespace tri::test {
namespace {

constexpr double kPi = std::numbers::pi;

double distance(const Bodies& b, std::size_t i, std::size_t j) {
  return std::hypot(b.x[j] - b.x[i], b.y[j] - b.y[i], b.z[j] - b.z[i]);
}

/// Largest coordinate difference of two states.
double apart(const Bodies& a, const Bodies& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max({most, std::fabs(a.x[i] - b.x[i]), std::fabs(a.y[i] - b.y[i]), std::fabs(a.z[i] - b.z[i])});
  }
  return most;
}

using MotionTest = SubjectTest;
TRI_ON_EVERY_SUBJECT(MotionTest);

/// Largest |dE/E| over one Kepler orbit of eccentricity 1/2 from apocentre.
double kepler_error(Probe& probe, Integrator integrator, u64 steps) {
  const double start = probe.diagnose().energy();
  double most = 0;
  for (u64 step = 0; step < steps; ++step) {
    probe.advance(integrator, 2.0 * kPi / static_cast<double>(steps), 1);
    most = std::max(most, std::fabs(probe.diagnose().energy() / start - 1.0));
  }
  return most;
}

TEST_P(MotionTest, KeplerEnergyErrors) {
  struct Row {
    Integrator integrator;
    u64 steps;
    double error;
  };
  const Row rows[] = {{Integrator::kdk, 512, 4.0129e-4},
                      {Integrator::kdk, 1024, 1.0038e-4},
                      {Integrator::kdk, 2048, 2.5099e-5},
                      {Integrator::symplectic_euler, 512, 1.7314e-2},
                      {Integrator::symplectic_euler, 1024, 8.604e-3},
                      {Integrator::symplectic_euler, 2048, 4.289e-3}};
  for (const Row& row : rows) {
    SCOPED_TRACE(to_string(row.integrator) + ", " + std::to_string(row.steps) + " steps");
    const auto probe = make(kepler(0.5), gravity_field());
    // Half a unit of the last digit given; float32 adds the rounding of a few thousand additions.
    const double tolerance = row.error * 2e-4 + (fp64() ? 0.0 : 1e-5);
    EXPECT_NEAR(kepler_error(*probe, row.integrator, row.steps), row.error, tolerance);
  }
}

TEST_P(MotionTest, Yoshida4IsOfFourthOrder) {
  if (!fp64()) GTEST_SKIP() << "the error is below float32's rounding";
  const double coarse = kepler_error(*make(kepler(0.5), gravity_field()), Integrator::yoshida4, 512);
  const double fine = kepler_error(*make(kepler(0.5), gravity_field()), Integrator::yoshida4, 1024);
  EXPECT_NEAR(coarse / fine, 16.0, 0.5);
  EXPECT_LT(coarse, 2e-5);
}

TEST_P(MotionTest, KdkIsReversible) {
  const Bodies start = kepler(0.5);
  const double dt = 2.0 * kPi / 1024;
  const auto forth = make(start, gravity_field());
  forth->advance(Integrator::kdk, dt, 1000);
  Bodies flipped = forth->read();
  EXPECT_GT(apart(flipped, start), 0.04) << "it has hardly moved";
  for (auto* v : {&flipped.vx, &flipped.vy, &flipped.vz}) {
    for (double& component : *v) component = -component;
  }
  const auto back = make(flipped, gravity_field());
  back->advance(Integrator::kdk, dt, 1000);
  EXPECT_LT(apart(back->read(), start), fp64() ? 3e-14 : 1e-4);

  // The same by reversing time.
  forth->advance(Integrator::kdk, -dt, 1000);
  EXPECT_LT(apart(forth->read(), start), fp64() ? 3e-14 : 1e-4);
}

TEST_P(MotionTest, ManyStepsAtOnceAreTheSameSteps) {
  const auto one = make(kepler(0.5), gravity_field()), many = make(kepler(0.5), gravity_field());
  for (const Integrator integrator : {Integrator::kdk, Integrator::symplectic_euler, Integrator::yoshida4}) {
    many->advance(integrator, 0.01, 50);
    for (int step = 0; step < 50; ++step) one->advance(integrator, 0.01, 1);
    EXPECT_EQ(apart(one->read(), many->read()), 0.0) << to_string(integrator);
  }
}

TEST_P(MotionTest, ChoreographiesReturnAfterTheirPeriod) {
  struct Row {
    const char* name;
    Bodies bodies;
    double period;
    double tolerance64;  // the period's digits times the speed
  };
  const Row rows[] = {{"figure 8", figure8(), 6.32591398, 3e-7}, {"Lagrange", lagrange(), 3.62759872846844, 1e-9}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto probe = make(row.bodies, gravity_field());
    constexpr u64 kSteps = 4000;
    const double start = probe->diagnose().energy();
    probe->advance(Integrator::yoshida4, row.period / kSteps, kSteps);
    EXPECT_LT(apart(probe->read(), row.bodies), fp64() ? row.tolerance64 : 2e-4);
    EXPECT_NEAR(probe->diagnose().energy(), start, fp64() ? 1e-12 : 2e-5);
  }
}

TEST_P(MotionTest, TwoBodiesFallFromRest) {
  Bodies b;
  b.add(0.5, 0, 0, 0, 0, 0, 0.5);
  b.add(-0.5, 0, 0, 0, 0, 0, 0.5);
  const auto probe = make(b, gravity_field());
  constexpr u64 kSteps = 8000;
  probe->advance(Integrator::yoshida4, 1.095340770031 / kSteps, kSteps);
  EXPECT_NEAR(distance(probe->read(), 0, 1), 0.1, fp64() ? 2e-11 : 1e-4);
}

TEST_P(MotionTest, SoftenedCircularOrbit) {
  const double v = 0.845897010752451;
  Bodies b;
  b.add(0.5, 0, 0, 0, v / 2, 0, 0.5);
  b.add(-0.5, 0, 0, 0, -v / 2, 0, 0.5);
  const auto probe = make(b, gravity_field(0.5));
  constexpr u64 kSteps = 4000;
  double furthest = 0;
  for (int quarter = 0; quarter < 4; ++quarter) {
    probe->advance(Integrator::yoshida4, 7.42783722759642 / kSteps, kSteps / 4);
    furthest = std::max(furthest, std::fabs(distance(probe->read(), 0, 1) - 1.0));
  }
  EXPECT_LT(furthest, fp64() ? 2e-11 : 1e-4);
  EXPECT_LT(apart(probe->read(), b), fp64() ? 2e-11 : 2e-4);
}

TEST_P(MotionTest, RingTurnsRigidly) {
  const double w = std::sqrt(7.37889798312625);
  const Bodies start = ring(16, w);
  const auto probe = make(start, gravity_field());
  constexpr u64 kSteps = 200;
  probe->advance(Integrator::yoshida4, 2.0 * kPi / (16 * w) / kSteps, kSteps);  // one position further
  const Bodies after = probe->read();
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t next = (i + 1) % 16;
    EXPECT_NEAR(after.x[i], start.x[next], fp64() ? 1e-9 : 2e-5);
    EXPECT_NEAR(after.y[i], start.y[next], fp64() ? 1e-9 : 2e-5);
  }
}

/// Two unit spheres of radius 1/2 that touch and close with relative velocity 1.
Bodies colliding_pair() {
  Bodies b;
  b.add(-0.5, 0, 0, 0.5, 0, 0, 1.0, 0.5);
  b.add(0.5, 0, 0, -0.5, 0, 0, 1.0, 0.5);
  return b;
}

TEST_P(MotionTest, SpringContactLastsAndOverlapsAsKnown) {
  const double time = 0.0222144146907918, deepest = 0.00707106781186548;
  constexpr u64 kSteps = 2000;
  const double dt = time / kSteps;
  const auto probe = make(colliding_pair(), contact_field(1e4));
  double overlap = 0;
  for (u64 step = 0; step < kSteps; step += 10) {
    probe->advance(Integrator::kdk, dt, 10);
    overlap = std::max(overlap, 1.0 - distance(probe->read(), 0, 1));
  }
  const Bodies after = probe->read();
  EXPECT_NEAR(overlap, deepest, deepest * (fp64() ? 2e-6 : 1e-3));
  EXPECT_NEAR(distance(after, 0, 1), 1.0, fp64() ? 1e-7 : 2e-5);  // they separate now
  EXPECT_NEAR(after.vx[0], -0.5, fp64() ? 1e-5 : 1e-3);           // and have swapped velocities
  EXPECT_NEAR(after.vx[1], 0.5, fp64() ? 1e-5 : 1e-3);
}

TEST_P(MotionTest, DashpotGivesItsRestitution) {
  const double restitution = 0.80035364031800;
  const double dt = 0.0222144146907918 / 4000;
  const auto probe = make(colliding_pair(), contact_field(1e4, 10));
  double energy = probe->diagnose().energy();
  for (int block = 0; block < 50; ++block) {
    probe->advance(Integrator::kdk, dt, 100);
    const double now = probe->diagnose().energy();
    EXPECT_LE(now, energy + (fp64() ? 1e-9 : 1e-5)) << "block " << block;
    energy = now;
  }
  const Bodies after = probe->read();
  ASSERT_GT(distance(after, 0, 1), 1.0);
  EXPECT_NEAR(after.vx[1] - after.vx[0], restitution, fp64() ? 2e-4 : 2e-3);
  EXPECT_NEAR(after.vx[0] + after.vx[1], 0.0, fp64() ? 1e-14 : 1e-6);
}

TEST_P(MotionTest, UniformFieldIsFreeFall) {
  ForceField f;
  f.pair = PairLaw::none;
  f.field = {0.5, -1.0, 0.25};
  Bodies b;
  b.add(1, 2, 3, 0.5, 0.25, -1, 2.0);
  const auto probe = make(b, f);
  const double start = probe->diagnose().energy();
  probe->advance(Integrator::kdk, 1.0 / 64, 128);
  const Bodies after = probe->read();
  EXPECT_NEAR(after.x[0], 1 + 0.5 * 2 + 0.5 * 0.5 * 4, 1e-5);
  EXPECT_NEAR(after.y[0], 2 + 0.25 * 2 - 0.5 * 1.0 * 4, 1e-5);
  EXPECT_NEAR(after.z[0], 3 - 1 * 2 + 0.5 * 0.25 * 4, 1e-5);
  EXPECT_NEAR(probe->diagnose().energy(), start, fp64() ? 1e-13 : 1e-5);
}

TEST_P(MotionTest, MirrorsUnfoldFreeFlight) {
  ForceField f;
  f.pair = PairLaw::none;
  f.box = Box{{0, 0, 0}, {1, 2, 4}, Boundary::reflecting};
  Bodies b;
  b.add(0.5, 0.5, 0.5, 1.0, -0.5, 0.0, 1.0);
  const auto probe = make(b, f);
  probe->advance(Integrator::kdk, 1.0 / 16, 60);  // t = 3.75: x unfolds to 4.25, y to -1.375
  const Bodies after = probe->read();
  EXPECT_NEAR(after.x[0], 0.25, 1e-6);
  EXPECT_NEAR(after.vx[0], 1.0, 0);
  EXPECT_NEAR(after.y[0], 1.375, 1e-6);
  EXPECT_NEAR(after.vy[0], 0.5, 0);
  EXPECT_EQ(after.z[0], 0.5);
  probe->advance(Integrator::kdk, 4.0, 1);  // four widths in one step: x unfolds to 4.25 again, y to 3.375
  EXPECT_NEAR(probe->read().x[0], 0.25, 1e-6);
  EXPECT_NEAR(probe->read().y[0], 0.625, 1e-6);
  EXPECT_NEAR(probe->read().vx[0], 1.0, 0);
  EXPECT_NEAR(probe->read().vy[0], -0.5, 0);
}

TEST_P(MotionTest, ImpulsesSwapVelocities) {
  Bodies b;  // touching along x, moving obliquely: normal components swap, tangential ones stay
  b.add(0, 0, 0, 1, 0.5, -0.25, 1.0, 0.5);
  b.add(1, 0, 0, -2, 0.75, 0, 1.0, 0.5);
  const auto probe = make(b, impulse_field(1.0));
  probe->advance(Integrator::kdk, 1.0 / 1024, 1);
  const Bodies after = probe->read();
  EXPECT_NEAR(after.vx[0], -2, 2e-3);
  EXPECT_NEAR(after.vx[1], 1, 2e-3);
  EXPECT_NEAR(after.vy[0] + after.vy[1], 1.25, 1e-6);
  const double speed2 = 1 + 0.25 + 0.0625 + 4 + 0.5625;
  EXPECT_NEAR(2.0 * probe->diagnose().kinetic, speed2, 1e-5);
  // They separate now: another step does not change the velocities.
  probe->advance(Integrator::kdk, 1.0 / 1024, 1);
  EXPECT_EQ(probe->read().vx[0], after.vx[0]);
}

TEST_P(MotionTest, ImpulsesWithRestitutionOfUnequalMasses) {
  const double m1 = 3, m2 = 1, v1 = 1, v2 = -2, e = 0.5;
  Bodies b;
  b.add(0, 0, 0, v1, 0, 0, m1, 0.5);
  b.add(1, 0, 0, v2, 0, 0, m2, 0.5);
  const auto probe = make(b, impulse_field(e));
  probe->advance(Integrator::kdk, 1.0 / 256, 1);
  const Bodies after = probe->read();
  EXPECT_NEAR(after.vx[0], ((m1 - e * m2) * v1 + (1 + e) * m2 * v2) / (m1 + m2), 1e-6);
  EXPECT_NEAR(after.vx[1], ((m2 - e * m1) * v2 + (1 + e) * m1 * v1) / (m1 + m2), 1e-6);
}

TEST_P(MotionTest, HardSpheresInABoxKeepTheirEnergyAndNeverGain) {
  for (const double e : {1.0, 0.75}) {
    SCOPED_TRACE(e);
    SplitMix64 random{7};
    Bodies b;
    for (int i = 0; i < 27; ++i) {
      const auto v = [&random] { return 2.0 * random.uniform() - 1.0; };
      b.add(0.5 + i % 3, 0.5 + (i / 3) % 3, 0.5 + i / 9, v(), v(), v(), 0.5 + random.uniform(), 0.4);
    }
    ForceField f = impulse_field(e);
    f.box = Box{{0, 0, 0}, {3, 3, 3}, Boundary::reflecting};
    const auto probe = make(b, f);
    double energy = probe->diagnose().kinetic;
    const double start = energy;
    for (int block = 0; block < 40; ++block) {
      probe->advance(Integrator::kdk, 0.005, 10);
      const double now = probe->diagnose().kinetic;
      EXPECT_LE(now, energy * (1 + (fp64() ? 1e-13 : 1e-5)));
      energy = now;
    }
    if (e == 1.0) {
      EXPECT_NEAR(energy, start, start * (fp64() ? 1e-12 : 1e-4));
    } else {
      EXPECT_LT(energy, 0.9 * start);
    }
    const Bodies after = probe->read();
    for (std::size_t i = 0; i < after.size(); ++i) EXPECT_TRUE(std::fabs(after.x[i] - 1.5) < 1.6) << "body " << i;
  }
}

TEST_P(MotionTest, PairLawWithTriplesKeepsEnergyAndMomenta) {
  ForceField f = lennard_jones_field();
  f.triple = TripleLaw::axilrod_teller;
  std::vector<Vec3> positions = cube_corners(-0.6, 0.6);
  positions.push_back({0.1, 1.7, 0.2});
  Bodies b = bodies_at(positions);
  SplitMix64 random{3};
  for (std::size_t i = 0; i < b.size(); ++i) b.vx[i] = random.uniform() - 0.5, b.vy[i] = random.uniform() - 0.5;
  const auto probe = make(b, f);
  const Diagnostics start = probe->diagnose();
  EXPECT_NE(start.triple_potential, 0.0);
  probe->advance(Integrator::yoshida4, 0.001, 1000);
  const Diagnostics end = probe->diagnose();
  EXPECT_NEAR(end.energy(), start.energy(), fp64() ? 2e-8 : 1e-3);
  EXPECT_GT(std::fabs(end.kinetic - start.kinetic), 0.01) << "nothing has moved";
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(end.momentum[axis], start.momentum[axis], fp64() ? 1e-12 : 1e-4);
    EXPECT_NEAR(end.angular_momentum[axis], start.angular_momentum[axis], fp64() ? 1e-12 : 1e-4);
  }
}

}  // namespace
}  // namespace tri::test
