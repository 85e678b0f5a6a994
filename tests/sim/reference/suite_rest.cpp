/// Spheres under a field: piles that come to rest, by springs and by impulses, and their supports.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/model/contact_step.hpp"
#include "tests/sim/reference/subject.hpp"
#include "tests/support/physics_cases.hpp"

namespace tri::test {
namespace {

using RestTest = SubjectTest;
TRI_ON_EVERY_SUBJECT(RestTest);

/// 45 spheres of radii 0.25 to 0.5 with masses proportional to their volumes, in loose layers above the floor y = 0 of
/// a 3 x 3 box.
Bodies dropped() {
  SplitMix64 random{77};
  Bodies b;
  for (int i = 0; i < 45; ++i) {
    const double r = 0.25 + 0.25 * random.uniform();
    const auto near = [&](int cell) { return 0.5 + cell + (random.uniform() - 0.5) * (0.98 - 2 * r); };
    b.add(near(i % 3), 0.6 + 1.02 * (i / 9), near(i / 3 % 3), 0, 0, 0, 8 * r * r * r, r);
  }
  return b;
}

ForceField pit(ForceField f) {
  f.field = {0, -1, 0};
  f.box = Box{{0, 0, 0}, {3, 100, 3}, Boundary::reflecting};
  return f;
}

struct Deepest {
  double pair = 0, wall = 0;
};

Deepest deepest_overlap(const Bodies& b) {
  Deepest d;
  for (std::size_t i = 0; i < b.size(); ++i) {
    d.wall =
        std::max({d.wall, b.r[i] - b.x[i], b.x[i] + b.r[i] - 3, b.r[i] - b.y[i], b.r[i] - b.z[i], b.z[i] + b.r[i] - 3});
    for (std::size_t j = 0; j < i; ++j) {
      d.pair = std::max(d.pair, b.r[i] + b.r[j] - std::hypot(b.x[i] - b.x[j], b.y[i] - b.y[j], b.z[i] - b.z[j]));
    }
  }
  return d;
}

/// Lets the pile fall for a time of 10 and rest for another 10, then checks it.
void expect_rest(Probe& probe, double dt, double fallen, double speed, double overlap) {
  const Diagnostics start = probe.diagnose();
  const u64 steps = static_cast<u64>(10 / dt);
  probe.advance(Integrator::kdk, dt, steps);
  const Diagnostics once = probe.diagnose();
  const Deepest then = deepest_overlap(probe.read());
  probe.advance(Integrator::kdk, dt, steps);
  const Diagnostics end = probe.diagnose();
  const Bodies b = probe.read();
  const Deepest now = deepest_overlap(b);
  EXPECT_LT(end.centre[1], start.centre[1] - fallen) << "nothing has fallen";
  EXPECT_LT(end.kinetic, 0.5 * end.mass * speed * speed);
  EXPECT_LT(std::max(then.pair, now.pair), overlap) << "spheres sink into each other";
  EXPECT_LT(std::max(then.wall, now.wall), overlap) << "spheres sink into the floor";
  EXPECT_LT(now.pair, 1.5 * then.pair + 5e-4) << "the pile keeps sinking";
  EXPECT_NEAR(end.centre[1], once.centre[1], 0.06) << "the pile keeps moving";
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_GT(b.y[i], 0.0) << "body " << i;
}

TEST_P(RestTest, APileOfSoftSpheresComesToRest) {
  const Bodies b = dropped();
  // Stiff enough that the whole weight compresses one of the smallest spheres by less than a tenth of its radius.
  const ForceField f = pit(contact_field(600, 6, 0.3));
  const double dt = shortest_contact(b, f) / kStepsPerContact;
  ASSERT_EQ(contact_step_warning(b, f, dt), "");
  expect_rest(*make(b, f), dt, 0.5, 0.02, 0.025);
}

TEST_P(RestTest, APileOfHardSpheresComesToRest) {
  for (const double e : {0.0, 0.5}) {
    SCOPED_TRACE(e);
    expect_rest(*make(dropped(), pit(impulse_field(e))), 0.002, 0.5, 0.05, 0.03);
  }
}

/// The deepest overlap of a pair over its mean radius.
double deepest_share_of_pairs(const Bodies& b) {
  double share = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double apart = std::hypot(b.x[i] - b.x[j], b.y[i] - b.y[j], b.z[i] - b.z[j]), both = b.r[i] + b.r[j];
      share = std::max(share, (both - apart) / (0.5 * both));
    }
  }
  return share;
}

/// The same with the walls of the pit.
double deepest_share(const Bodies& b) {
  double share = deepest_share_of_pairs(b);
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double wall = std::max({b.r[i] - b.x[i], b.x[i] + b.r[i] - 3, b.r[i] - b.y[i], b.r[i] - b.z[i]});
    share = std::max(share, wall / b.r[i]);
  }
  return share;
}

/// Neither a pile nor a column, in which the lowest contact carries twenty spheres, sinks by more than a hundredth of a
/// radius; the numbers of the bodies, which give the order of resolution, do not follow their heights.
TEST_P(RestTest, HardSpheresAtRestOverlapByAHundredthOfARadius) {
  Bodies column;
  for (u32 i = 0; i < 20; ++i) column.add(1.5, 0.5 + (7 * i) % 20, 1.5, 0, 0, 0, 1.0, 0.5);
  for (const double e : {0.0, 0.5}) {
    SCOPED_TRACE(e);
    const auto standing = make(column, pit(impulse_field(e)));
    const auto pile = make(dropped(), pit(impulse_field(e)));
    pile->advance(Integrator::kdk, 0.002, 5000);
    for (int look = 0; look < 10; ++look) {
      standing->advance(Integrator::kdk, 0.01, 100);
      pile->advance(Integrator::kdk, 0.002, 100);
      EXPECT_LT(deepest_share(standing->read()), 0.01) << "column, look " << look;
      EXPECT_LT(deepest_share(pile->read()), 0.01) << "pile, look " << look;
    }
    const Bodies after = standing->read();
    for (std::size_t i = 0; i < after.size(); ++i) EXPECT_NEAR(after.y[i], column.y[i], 0.05) << i;
  }
}

/// What is pushed apart without walls and field keeps its momentum and its centre of mass.
TEST_P(RestTest, PushesKeepMomentumAndCentre) {
  Bodies b = dropped();
  for (std::size_t i = 0; i < b.size(); ++i) b.x[i] *= 0.5, b.y[i] *= 0.5, b.z[i] *= 0.5, b.vx[i] = 0.25;
  ASSERT_GT(reference_collisions(b).size(), 40u);
  const auto probe = make(b, impulse_field(0));
  const Diagnostics before = probe->diagnose();
  probe->advance(Integrator::kdk, 0.01, 20);
  const Diagnostics after = probe->diagnose();
  const double tolerance = fp64() ? 1e-12 : 1e-5;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(after.momentum[axis], before.momentum[axis], tolerance * before.mass);
    const double travelled = axis == 0 ? 0.25 * 0.01 * 20 : 0;
    EXPECT_NEAR(after.centre[axis], before.centre[axis] + travelled, tolerance);
  }
  EXPECT_LT(deepest_share_of_pairs(probe->read()), 0.01);
}

/// One sphere on the floor, and one on another: the closed forms of rest. A spring is compressed by m g / k.
TEST_P(RestTest, ASpringAtRestCarriesTheWeight) {
  ForceField f = pit(contact_field(100, 20));
  Bodies b;
  b.add(1.5, 0.49, 1.5, 0, 0, 0, 2.0, 0.5);
  b.add(1.5, 1.47, 1.5, 0, 0, 0, 1.0, 0.5);
  const auto probe = make(b, f);
  probe->advance(Integrator::kdk, 0.002, 6000);
  const Bodies after = probe->read();
  EXPECT_NEAR(after.y[0], 0.5 - 3.0 / 100, fp64() ? 1e-9 : 1e-5);
  EXPECT_NEAR(after.y[1] - after.y[0], 1.0 - 1.0 / 100, fp64() ? 1e-9 : 1e-5);
}

/// A hard sphere at rest on the floor stays there: a step of gravity adds less than g dt^2 of overlap, and a fifth of
/// what remains is pushed back.
TEST_P(RestTest, AHardSphereDoesNotSinkThroughTheFloor) {
  for (const double e : {0.0, 0.3, 0.9}) {
    SCOPED_TRACE(e);
    Bodies b;
    b.add(1.5, 0.5, 1.5, 0, 0, 0, 1.0, 0.5);
    const auto probe = make(b, pit(impulse_field(e)));
    double lowest = 1, highest = 0;
    for (int block = 0; block < 50; ++block) {
      probe->advance(Integrator::kdk, 0.01, 100);
      lowest = std::min(lowest, probe->read().y[0]), highest = std::max(highest, probe->read().y[0]);
    }
    EXPECT_GT(lowest, 0.5 - 5 * 0.01 * 0.01);
    EXPECT_LT(highest, 0.5 + 5 * 0.01 * 0.01);
  }
}

/// Only lasting contacts are pushed: an elastic sphere that bounces under a field neither gains nor loses height.
TEST_P(RestTest, AnElasticBounceIsNotPushed) {
  Bodies b;
  b.add(1.5, 1.5, 1.5, 0, 0, 0, 1.0, 0.5);
  const auto probe = make(b, pit(impulse_field(1.0)));
  double highest = 0;
  for (int block = 0; block < 2000; ++block) {
    probe->advance(Integrator::kdk, 0.001, 10);
    if (block > 1700) highest = std::max(highest, probe->read().y[0]);
  }
  EXPECT_NEAR(highest, 1.5, 0.01);
}

}  // namespace
}  // namespace tri::test
