/// Periodic walls: forces against explicit images, the lattice's symmetry, and motion through the walls.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/reference/reference.hpp"
#include "tests/sim/reference/subject.hpp"
#include "tests/support/physics_cases.hpp"

namespace tri::test {
namespace {

const Box kBox{{-1.0, 0.5, 2.0}, {3.0, 4.0, 5.5}, Boundary::periodic};  // sides 4, 3.5, 3.5
const double kLow[3] = {-1.0, 0.5, 2.0}, kSide[3] = {4.0, 3.5, 3.5};

using PeriodicTest = SubjectTest;
TRI_ON_EVERY_SUBJECT(PeriodicTest);

/// Spheres over the whole box, moving, each at least `apart` from all images of the others.
Bodies spread(u32 n, double apart, double radius) {
  SplitMix64 random{91};
  Bodies b;
  while (b.size() < n) {
    double p[3];
    for (int a = 0; a < 3; ++a) p[a] = kLow[a] + kSide[a] * random.uniform();
    bool free = true;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const double d[3] = {p[0] - b.x[j], p[1] - b.y[j], p[2] - b.z[j]};
      double square = 0;
      for (int a = 0; a < 3; ++a) square += std::pow(d[a] - kSide[a] * std::round(d[a] / kSide[a]), 2);
      free = free && square > apart * apart;
    }
    const auto v = [&random] { return random.uniform() - 0.5; };
    if (free) b.add(p[0], p[1], p[2], v(), v(), v(), 0.5 + random.uniform(), radius * (0.5 + 0.5 * random.uniform()));
  }
  return b;
}

ForceField soft_spheres() {
  ForceField f = contact_field(50, 1, 0.5);
  f.box = kBox;
  return f;
}

ForceField liquid() {
  ForceField f = lennard_jones_field(1.7, true);
  f.lennard_jones.sigma = 0.6;
  f.box = kBox;
  return f;
}

struct Case {
  const char* name;
  Bodies bodies;
  ForceField field;
};

std::vector<Case> cases() {
  return {{"contact", spread(60, 0.3, 0.6), soft_spheres()}, {"lennard-jones", spread(60, 0.55, 0), liquid()}};
}

/// The oracle's result in open space for the bodies with all 26 neighbouring images: forces on the central bodies; a
/// pair with an image counts half, since its other half is a different pair.
ReferenceForces among_images(const Bodies& b, ForceField field) {
  field.box.boundary = Boundary::open;
  const auto with = [&](const std::vector<Vec3>& shifts) {
    Bodies all;
    for (const Vec3& s : shifts) {
      for (std::size_t i = 0; i < b.size(); ++i) {
        all.add(b.x[i] + s[0] * kSide[0], b.y[i] + s[1] * kSide[1], b.z[i] + s[2] * kSide[2], b.vx[i], b.vy[i], b.vz[i],
                b.m[i], b.r[i]);
      }
    }
    return reference_forces(all, field);
  };
  std::vector<Vec3> shifts{{0, 0, 0}};
  const ReferenceForces alone = with(shifts);
  double potential = alone.potential, virial = alone.virial;
  for (double x = -1; x <= 1; ++x) {
    for (double y = -1; y <= 1; ++y) {
      for (double z = -1; z <= 1; ++z) {
        if (x == 0 && y == 0 && z == 0) continue;
        shifts.push_back({x, y, z});
        const ReferenceForces two = with({{0, 0, 0}, {x, y, z}});
        potential += 0.5 * (two.potential - 2 * alone.potential);
        virial += 0.5 * (two.virial - 2 * alone.virial);
      }
    }
  }
  ReferenceForces f = with(shifts);
  f.fx.resize(b.size()), f.fy.resize(b.size()), f.fz.resize(b.size());
  f.potential = potential, f.virial = virial;
  return f;
}

double largest(const ReferenceForces& f) {
  double most = 0;
  for (const auto* a : {&f.fx, &f.fy, &f.fz}) {
    for (const double v : *a) most = std::max(most, std::fabs(v));
  }
  return most;
}

void expect_near(const ReferenceForces& a, const ReferenceForces& b, double tolerance) {
  const double scale = largest(b), energy = std::fabs(b.potential) + std::fabs(b.virial);
  ASSERT_GT(scale, 0.1);
  for (std::size_t i = 0; i < a.fx.size(); ++i) {
    EXPECT_NEAR(a.fx[i], b.fx[i], tolerance * scale) << "body " << i;
    EXPECT_NEAR(a.fy[i], b.fy[i], tolerance * scale) << "body " << i;
    EXPECT_NEAR(a.fz[i], b.fz[i], tolerance * scale) << "body " << i;
  }
  EXPECT_NEAR(a.potential, b.potential, tolerance * energy);
  EXPECT_NEAR(a.virial, b.virial, tolerance * energy);
}

TEST_P(PeriodicTest, ForcesAreThoseAmongExplicitImages) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const ReferenceForces images = among_images(c.bodies, c.field);
    ForceField open = c.field;
    open.box.boundary = Boundary::open;
    ASSERT_GT(std::fabs(images.potential - reference_forces(c.bodies, open).potential),
              1e-3 * std::fabs(images.potential))
        << "nothing reaches through a wall";
    expect_near(make(c.bodies, c.field)->forces(), images, fp64() ? 1e-11 : 1e-4);
    const Diagnostics d = make(c.bodies, c.field)->diagnose();
    const double scale = std::fabs(images.potential) + std::fabs(images.virial);
    EXPECT_NEAR(d.potential, images.potential, (fp64() ? 1e-11 : 1e-4) * scale);
    EXPECT_NEAR(d.virial, images.virial, (fp64() ? 1e-11 : 1e-4) * scale);
  }
}

TEST_P(PeriodicTest, ShiftingAllBodiesByAnyVectorChangesNoForce) {
  SplitMix64 random{5};
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const ReferenceForces before = make(c.bodies, c.field)->forces();
    for (int trial = 0; trial < 3; ++trial) {
      Bodies moved = c.bodies;
      // Up to three boxes away: the engine wraps bodies into the box.
      const double s[3] = {12 * random.uniform() - 6, 12 * random.uniform() - 6, 12 * random.uniform() - 6};
      for (std::size_t i = 0; i < moved.size(); ++i) moved.x[i] += s[0], moved.y[i] += s[1], moved.z[i] += s[2];
      const auto probe = make(moved, c.field);
      expect_near(probe->forces(), before, fp64() ? 1e-11 : 2e-4);
    }
  }
}

TEST_P(PeriodicTest, ABodyCrossesTheWallsAndKeepsItsVelocity) {
  ForceField f;
  f.pair = PairLaw::none;
  f.box = kBox;
  Bodies b;
  b.add(2.5, 1.0, 5.0, 1.0, -1.0, 0.25, 1.0);
  const auto probe = make(b, f);
  probe->advance(Integrator::kdk, 1.0 / 16, 16);  // to 3.5, 0.0, 5.25
  Bodies after = probe->read();
  EXPECT_NEAR(after.x[0], -0.5, 1e-6);
  EXPECT_NEAR(after.y[0], 3.5, 1e-6);
  EXPECT_NEAR(after.z[0], 5.25, 1e-6);
  // Unwrapped to 15.5, -12.5, 9.25; wrapping subtracts four, four and two sides.
  probe->advance(Integrator::kdk, 16.0, 1);
  after = probe->read();
  EXPECT_NEAR(after.x[0], -0.5, 1e-5);
  EXPECT_NEAR(after.y[0], 1.5, 1e-5);
  EXPECT_NEAR(after.z[0], 2.25, 1e-5);
  EXPECT_EQ(after.vx[0], 1.0);
  EXPECT_EQ(after.vy[0], -1.0);
  EXPECT_EQ(after.vz[0], 0.25);
}

/// Two spheres that collide across the wall x = 3 | x = -1.
Bodies pair_across_the_wall() {
  Bodies b;
  b.add(2.5, 2, 3, 0.5, 0, 0, 1.0, 0.5);
  b.add(-0.5, 2, 3, -0.5, 0, 0, 1.0, 0.5);
  return b;
}

TEST_P(PeriodicTest, SpringsActAcrossTheWallAsInside) {
  const double time = 0.0222144146907918;
  ForceField f = contact_field(1e4);
  f.box = kBox;
  const auto probe = make(pair_across_the_wall(), f);
  probe->advance(Integrator::kdk, time / 2000, 2000);
  const Bodies after = probe->read();
  EXPECT_NEAR(after.vx[0], -0.5, fp64() ? 1e-5 : 2e-3);
  EXPECT_NEAR(after.vx[1], 0.5, fp64() ? 1e-5 : 2e-3);
  EXPECT_NEAR(after.x[0], 2.5, fp64() ? 1e-6 : 2e-5);
  EXPECT_NEAR(after.x[1], -0.5, fp64() ? 1e-6 : 2e-5);
}

TEST_P(PeriodicTest, ImpulsesAreExchangedAcrossTheWall) {
  ForceField f = impulse_field(0.5);
  f.box = kBox;
  Bodies b = pair_across_the_wall();
  b.m[1] = 3.0;
  const auto probe = make(b, f);
  probe->advance(Integrator::kdk, 1.0 / 64, 1);
  const Bodies after = probe->read();
  const double v1 = 0.5, v2 = -0.5, m1 = 1, m2 = 3, e = 0.5;
  EXPECT_NEAR(after.vx[0], ((m1 - e * m2) * v1 + (1 + e) * m2 * v2) / (m1 + m2), 1e-6);
  EXPECT_NEAR(after.vx[1], ((m2 - e * m1) * v2 + (1 + e) * m1 * v1) / (m1 + m2), 1e-6);
}

/// A lasting overlap across the wall is reduced through the wall, and positions stay in the box: by a fifth in the one
/// sweep of elastic spheres, to next to nothing in the sweeps of others.
TEST_P(PeriodicTest, APushThroughTheWallStaysInTheBox) {
  ForceField f = impulse_field(1.0);
  f.box = kBox;
  Bodies b;
  b.add(2.99, 2, 3, 0, 0, 0, 1.0, 0.5);  // overlap 0.5, centres 0.01 before the wall and 0.49 behind it
  b.add(-0.51, 2, 3, 0, 0, 0, 1.0, 0.5);
  const auto probe = make(b, f);
  probe->advance(Integrator::kdk, 0.01, 1);
  const Bodies after = probe->read();
  EXPECT_NEAR(after.x[0], 2.94, 1e-6);
  EXPECT_NEAR(after.x[1], -0.46, 1e-6);
  b.x = {-0.99, -0.49};  // the first is pushed out and re-enters on the other side
  const auto other = make(b, f);
  for (int step = 0; step < 20; ++step) {
    other->advance(Integrator::kdk, 0.01, 1);
    for (const double x : other->read().x) EXPECT_TRUE(x >= -1.0 && x < 3.0) << x;
  }
  const Bodies last = other->read();
  EXPECT_GT(last.x[0], 2.5);
  EXPECT_NEAR(last.x[1] - last.x[0] + 4.0, 1.0 - 0.5 * std::pow(0.8, 20), 1e-5);
  f.contact.restitution = 0;
  const auto dull = make(b, f);
  dull->advance(Integrator::kdk, 0.01, 1);
  const Bodies apart = dull->read();
  EXPECT_NEAR(apart.x[1] - apart.x[0] + 4.0, 1.0, 0.01 * 0.5);
  for (const double x : apart.x) EXPECT_TRUE(x >= -1.0 && x < 3.0) << x;
}

TEST_P(PeriodicTest, ALiquidKeepsEnergyAndMomentum) {
  const auto probe = make(spread(60, 0.55, 0), liquid());
  const Diagnostics start = probe->diagnose();
  const u64 steps = 400;
  probe->advance(Integrator::kdk, 0.002, steps);
  const Diagnostics end = probe->diagnose();
  EXPECT_GT(std::fabs(end.kinetic - start.kinetic), 0.5) << "nothing has happened";
  EXPECT_NEAR(end.energy(), start.energy(), 2e-3 * end.kinetic);
  for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(end.momentum[a], start.momentum[a], fp64() ? 1e-12 : 1e-3);
}

TEST_P(PeriodicTest, AGasOfHardSpheresKeepsEnergyAndMomentum) {
  ForceField f = impulse_field(1.0);
  f.box = kBox;
  const auto probe = make(spread(60, 0.5, 0.25), f);
  const Diagnostics start = probe->diagnose();
  const Bodies before = probe->read();
  probe->advance(Integrator::kdk, 0.01, 500);
  const Diagnostics end = probe->diagnose();
  EXPECT_NEAR(end.kinetic, start.kinetic, start.kinetic * (fp64() ? 1e-13 : 1e-5));
  for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(end.momentum[a], start.momentum[a], fp64() ? 1e-12 : 1e-4);
  const Bodies after = probe->read();
  u32 turned = 0;
  for (std::size_t i = 0; i < after.size(); ++i) turned += after.vx[i] != before.vx[i];
  EXPECT_GT(turned, 30u) << "too few collisions";
}

}  // namespace
}  // namespace tri::test
