/// Forces and energies in the states of physics_cases.hpp.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "sim/model/checks.hpp"
#include "sim/reference/reference.hpp"
#include "tests/support/physics_cases.hpp"

namespace tri::test {
namespace {

struct Measured {
  double largest_component = 0;
  double largest_force = 0;
  double rms_acceleration = 0;
};

Measured measure(const Bodies& b, const ReferenceForces& f) {
  Measured m;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double square = f.fx[i] * f.fx[i] + f.fy[i] * f.fy[i] + f.fz[i] * f.fz[i];
    m.largest_component = std::max({m.largest_component, std::fabs(f.fx[i]), std::fabs(f.fy[i]), std::fabs(f.fz[i])});
    m.largest_force = std::max(m.largest_force, std::sqrt(square));
    m.rms_acceleration += square / (b.m[i] * b.m[i]);
  }
  m.rms_acceleration = std::sqrt(m.rms_acceleration / static_cast<double>(b.size()));
  return m;
}

using ForceTest = SubjectTest;
TRI_ON_EVERY_SUBJECT(ForceTest);

TEST_P(ForceTest, MatchesTheKnownNumbers) {
  for (const ForceCase& c : force_cases()) {
    SCOPED_TRACE(c.name);
    const double tolerance = fp64() ? c.tolerance64 : c.tolerance32;
    const auto near = [tolerance](double measured, const std::optional<Known>& known, double scale, const char* what) {
      if (!known) return;
      EXPECT_NEAR(measured, known->value, scale * std::max(tolerance, known->precision)) << what;
    };
    const auto probe = make(c.bodies, c.field);
    const ReferenceForces f = probe->forces();
    const Measured m = measure(c.bodies, f);
    // If the expected value is 0, the terms that cancel set the scale: 1 is that of the wells and walls here.
    const double force_scale =
        c.largest_force || c.largest_component ? m.largest_component : std::max(1.0, m.largest_force);
    near(f.potential, c.potential, c.potential && c.potential->value != 0 ? std::fabs(c.potential->value) : 1.0,
         "potential");
    near(m.largest_component, c.largest_component, m.largest_component, "largest component");
    near(m.largest_force, c.largest_force, m.largest_force, "largest force");
    near(m.rms_acceleration, c.rms_acceleration, m.rms_acceleration, "rms acceleration");
    if (!c.force0) continue;
    const double of_body0[] = {f.fx[0], f.fy[0], f.fz[0]};
    const bool gravity = c.field.pair == PairLaw::gravity;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      near(of_body0[axis], (*c.force0)[axis], gravity ? m.largest_force : force_scale, "force on body 0");
    }
  }
}

TEST_P(ForceTest, PairAndTripleForcesAddUpToNothing) {
  const double tolerance = fp64() ? 1e-12 : 1e-5;
  for (const ForceCase& c : force_cases()) {
    if (c.field.box.boundary == Boundary::reflecting) continue;
    SCOPED_TRACE(c.name);
    const ReferenceForces f = make(c.bodies, c.field)->forces();
    double total[3] = {0, 0, 0}, size = 0;
    for (std::size_t i = 0; i < c.bodies.size(); ++i) {
      total[0] += f.fx[i], total[1] += f.fy[i], total[2] += f.fz[i];
      size += std::fabs(f.fx[i]) + std::fabs(f.fy[i]) + std::fabs(f.fz[i]);
    }
    for (const double t : total) EXPECT_NEAR(t, 0.0, tolerance * std::max(size, 1e-30));
  }
}

/// r.F summed over bodies is, for a potential homogeneous of degree k, -k times the potential.
TEST_P(ForceTest, VirialIsThatOfAHomogeneousPotential) {
  const double tolerance = fp64() ? 1e-12 : 1e-5;
  for (const ForceCase& c : force_cases()) {
    const bool newton = c.field.pair == PairLaw::gravity && c.field.gravity.softening == 0;
    if (!newton && c.field.triple == TripleLaw::none) continue;
    SCOPED_TRACE(c.name);
    const ReferenceForces f = make(c.bodies, c.field)->forces();
    const double expected = (newton ? 1.0 : 9.0) * f.potential;
    EXPECT_NEAR(f.virial, expected, 4 * tolerance * std::fabs(expected));
    double of_forces = 0;
    for (std::size_t i = 0; i < c.bodies.size(); ++i) {
      of_forces += c.bodies.x[i] * f.fx[i] + c.bodies.y[i] * f.fy[i] + c.bodies.z[i] * f.fz[i];
    }
    // Far from the origin terms cancel in the sum: allow for the offset of the off-centre case.
    EXPECT_NEAR(of_forces, expected, 40 * tolerance * std::fabs(expected));
  }
}

TEST_P(ForceTest, DiagnosticsAgreeWithForces) {
  for (const ForceCase& c : force_cases()) {
    SCOPED_TRACE(c.name);
    const auto probe = make(c.bodies, c.field);
    const double tolerance = fp64() ? 1e-13 : 1e-6;
    const ReferenceForces f = probe->forces();
    const Diagnostics d = probe->diagnose();
    EXPECT_NEAR(d.potential, f.potential, tolerance * std::max(1e-6, std::fabs(f.potential)));
    EXPECT_NEAR(d.virial, f.virial, tolerance * std::max(1e-4, std::fabs(f.virial)));
    EXPECT_DOUBLE_EQ(d.triple_potential, c.field.triple == TripleLaw::none ? 0.0 : d.potential);
  }
}

TEST_P(ForceTest, KineticPartOfTheFigure8AndLagrange) {
  const double tolerance = fp64() ? 3e-15 : 1e-6;
  EXPECT_NEAR(make(figure8(), gravity_field())->diagnose().energy(), -1.28714199176633, 4 * tolerance);
  EXPECT_NEAR(make(lagrange(), gravity_field())->diagnose().energy(), -1.5, 4 * tolerance);
}

// Periodic walls: forces against explicit images, the lattice's symmetry, and motion through the walls.

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

// Spheres under a field: piles that come to rest, by springs and by impulses, and their supports.

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
