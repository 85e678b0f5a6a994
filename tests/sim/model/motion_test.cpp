/// Impulses, integrators, diagnostics.
///
/// Walls and hard contacts: a single resolution, the order of many, mirrors, and the step that springs need.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/model/checks.hpp"
#include "sim/model/diagnostics.hpp"
#include "sim/model/integrator.hpp"
#include "sim/reference/reference.hpp"
#include "tests/sim/laws/law_probe.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/physics_cases.hpp"

namespace tri::test {
namespace {

TEST(Impulse, FollowsTheFormulaAlongTheNormal) {
  SplitMix64 random{17};
  for (int trial = 0; trial < 1000; ++trial) {
    const auto any = [&random] { return 2.0 * random.uniform() - 1.0; };
    const Vec3 d{any(), any(), any()}, vi{any(), any(), any()}, vj{any(), any(), any()};
    const double mi = 0.1 + random.uniform(), mj = 0.1 + 5 * random.uniform(), e = random.uniform();
    const auto c =
        laws::resolve_contact<double>(d[0], d[1], d[2], vj[0] - vi[0], vj[1] - vi[1], vj[2] - vi[2], mi, mj, e);
    const double length = std::hypot(d[0], d[1], d[2]);
    const Vec3 n{d[0] / length, d[1] / length, d[2] / length};
    const auto along = [&n](const Vec3& v) { return v[0] * n[0] + v[1] * n[1] + v[2] * n[2]; };
    const Vec3 wi{vi[0] + c.ax, vi[1] + c.ay, vi[2] + c.az}, wj{vj[0] + c.bx, vj[1] + c.by, vj[2] + c.bz};
    const bool approaching = along(vj) < along(vi);
    ASSERT_EQ(c.approaching, approaching);
    if (!approaching) {
      EXPECT_EQ(wi, vi);
      EXPECT_EQ(wj, vj);
      continue;
    }
    EXPECT_NEAR(along(wi), ((mi - e * mj) * along(vi) + (1 + e) * mj * along(vj)) / (mi + mj), 1e-14);
    EXPECT_NEAR(along(wj), ((mj - e * mi) * along(vj) + (1 + e) * mi * along(vi)) / (mi + mj), 1e-14);
    double energy = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_NEAR(wi[a] - along(wi) * n[a], vi[a] - along(vi) * n[a], 1e-14) << "tangential";
      EXPECT_NEAR(mi * wi[a] + mj * wj[a], mi * vi[a] + mj * vj[a], 1e-14) << "momentum";
      energy += 0.5 * mi * (wi[a] * wi[a] - vi[a] * vi[a]) + 0.5 * mj * (wj[a] * wj[a] - vj[a] * vj[a]);
    }
    const double closing = along(vj) - along(vi);
    EXPECT_NEAR(energy, -0.5 * (1 - e * e) * mi * mj / (mi + mj) * closing * closing, 1e-13);
    EXPECT_LE(energy, 1e-15);
  }
}

TEST(Impulse, LimitsOfMassAndPosition) {
  // Coincident centres: no normal, no change.
  EXPECT_FALSE(laws::resolve_contact<float>(0, 0, 0, -1, 0, 0, 1, 1, 1).approaching);
  // A massless body bounces; the other does not change.
  const auto light = laws::resolve_contact<double>(1, 0, 0, -1, 0, 0, 0.0, 2.0, 1.0);
  EXPECT_EQ(light.ax, -2.0);
  EXPECT_EQ(light.bx, 0.0);
  // Two massless bodies interact like equal masses.
  const auto none = laws::resolve_contact<double>(1, 0, 0, -1, 0, 0, 0.0, 0.0, 1.0);
  EXPECT_EQ(none.ax, -1.0);
  EXPECT_EQ(none.bx, 1.0);
}

TEST(Impulse, ElasticEqualMassesSwapTheirNormalVelocities) {
  const auto c = laws::resolve_contact<double>(0, 2, 0, 0.5, -3, 0.25, 1, 1, 1);
  EXPECT_EQ(c.ay, -3.0);
  EXPECT_EQ(c.by, 3.0);
  EXPECT_EQ(c.ax, 0.0);
  EXPECT_EQ(c.bz, 0.0);
}

TEST(Impulse, ManyAreResolvedInSortedOrder) {
  // Newton's cradle: five touching balls, of which the last moves. Sorted by (i, j) a sweep resolves (1,0) (2,1) (3,2)
  // (4,3): only the last pair approaches, so the shock moves by one ball per step.
  Bodies b;
  for (int i = 0; i < 5; ++i) b.add(i, 0, 0, i == 4 ? -1.0 : 0.0, 0, 0, 1.0, 0.5);
  LawProbe<double> probe(b, impulse_field(1.0));
  for (int step = 0; step < 4; ++step) {
    probe.advance(Integrator::kdk, 0.0, 1);
    const Bodies now = probe.read();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(now.vx[std::size_t(i)], i == 3 - step ? -1.0 : 0.0) << "step " << step;
  }
  // Hit from the other end, the order of the sweep carries the shock through in one step.
  b.vx = {1, 0, 0, 0, 0};
  LawProbe<double> other(b, impulse_field(1.0));
  other.advance(Integrator::kdk, 0.0, 1);
  EXPECT_EQ(other.read().vx, (std::vector<double>{0, 0, 0, 0, 1}));
}

TEST(Impulse, ADenseCloudAgreesWithTheOracleAndKeepsItsMomentum) {
  for (const double e : {0.0, 0.5, 1.0}) {
    SCOPED_TRACE(e);
    Bodies b = centred_cloud(120);
    SplitMix64 random{23};
    for (std::size_t i = 0; i < b.size(); ++i) {
      b.r[i] = 0.1 + 0.2 * random.uniform(), b.m[i] = 0.5 + random.uniform();
      b.vx[i] = random.uniform() - 0.5, b.vy[i] = random.uniform() - 0.5, b.vz[i] = random.uniform() - 0.5;
    }
    ForceField field = impulse_field(e);
    field.box = Box{{-0.875, -0.875, -0.875}, {0.875, 0.875, 0.875}, Boundary::open};
    ASSERT_GT(reference_collisions(b).size(), 200u);
    for (const Boundary boundary : {Boundary::open, Boundary::reflecting}) {
      field.box.boundary = boundary;
      Bodies oracle = b;
      reference_advance(oracle, field, Integrator::kdk, 0.05, 3);
      LawProbe<double> probe(b, field);
      probe.advance(Integrator::kdk, 0.05, 3);
      const Bodies laws = probe.read();
      const double tolerance = e < 1 ? 1e-11 : 1e-13;  // rounding grows over the sweeps
      for (std::size_t i = 0; i < b.size(); ++i) {
        EXPECT_NEAR(laws.vx[i], oracle.vx[i], 10 * tolerance);
        EXPECT_NEAR(laws.vy[i], oracle.vy[i], 10 * tolerance);
        EXPECT_NEAR(laws.vz[i], oracle.vz[i], 10 * tolerance);
        EXPECT_NEAR(laws.x[i], oracle.x[i], tolerance);
        EXPECT_NEAR(laws.y[i], oracle.y[i], tolerance);
        EXPECT_NEAR(laws.z[i], oracle.z[i], tolerance);
      }
      const Diagnostics before = one_body_diagnostics(b, field), after = one_body_diagnostics(laws, field);
      EXPECT_LE(after.kinetic, before.kinetic * (1 + 1e-14));
      if (boundary == Boundary::open) {
        for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(after.momentum[a], before.momentum[a], 1e-12);
      }
      const double lost = before.kinetic - after.kinetic;
      EXPECT_TRUE(e == 1.0 ? std::fabs(lost) < 1e-12 * before.kinetic : lost > 0.05 * before.kinetic) << lost;
    }
  }
}

TEST(Impulse, WallsTurnOutwardMotionOnly) {
  EXPECT_EQ(laws::resolve_wall(0.25, -2.0, 0.5, 0.0, 4.0, 0.5), 1.0);
  EXPECT_EQ(laws::resolve_wall(0.5, -2.0, 0.5, 0.0, 4.0, 0.5), 1.0) << "touching";
  EXPECT_EQ(laws::resolve_wall(0.25, 2.0, 0.5, 0.0, 4.0, 0.5), 2.0) << "already inward";
  EXPECT_EQ(laws::resolve_wall(3.75, 2.0, 0.5, 0.0, 4.0, 1.0), -2.0);
  EXPECT_EQ(laws::resolve_wall(3.75, -2.0, 0.5, 0.0, 4.0, 1.0), -2.0);
  EXPECT_EQ(laws::resolve_wall(2.0, 2.0, 0.5, 0.0, 4.0, 1.0), 2.0) << "inside";
}

/// Compared with reflecting repeatedly until inside.
template <class Real>
void expect_mirror_unfolds(double tolerance) {
  SplitMix64 random{29};
  for (int trial = 0; trial < 2000; ++trial) {
    const double low = -1.0 - random.uniform(), high = 0.5 + random.uniform();
    const double x = 20.0 * random.uniform() - 10.0;
    double expected = x, sign = 1;
    const double l = double(Real(low)), h = double(Real(high));
    while (expected < l || expected > h) expected = (expected < l ? 2 * l : 2 * h) - expected, sign = -sign;
    Real at = Real(x), v = Real(0.75);
    laws::mirror(at, v, Real(low), Real(high));
    // Within rounding of a wall, either side of it is acceptable.
    if (std::fabs(expected - l) < tolerance || std::fabs(expected - h) < tolerance) continue;
    EXPECT_NEAR(double(at), expected, tolerance) << "x = " << x << " in " << low << " .. " << high;
    EXPECT_EQ(double(v), 0.75 * sign) << "x = " << x << " in " << low << " .. " << high;
    EXPECT_TRUE(at >= Real(low) && at <= Real(high));
  }
}

TEST(Mirror, UnfoldsAnyNumberOfReflections) {
  expect_mirror_unfolds<double>(1e-13);
  expect_mirror_unfolds<float>(1e-5);
}

TEST(Mirror, KeepsInsidePositionsAndPropagatesNaN) {
  double x = 0.3, v = -2;
  laws::mirror(x, v, 0.3, 0.7);
  EXPECT_EQ(x, 0.3);
  EXPECT_EQ(v, -2.0);
  x = std::numeric_limits<double>::quiet_NaN();
  laws::mirror(x, v, 0.0, 1.0);
  EXPECT_TRUE(std::isnan(x));
  x = std::numeric_limits<double>::infinity();
  laws::mirror(x, v, 0.0, 1.0);
  EXPECT_FALSE(x >= 0.0 && x <= 1.0) << "an infinite position must stay visible to the NaN guard";
}

TEST(ContactStep, KnownTimesAndRestitutions) {
  EXPECT_NEAR(contact_time(1e4, 0.5), 0.0222144146907918, 1e-16);
  EXPECT_NEAR(contact_restitution(1e4, 0.5, 10), 0.80035364031800, 1e-14);
  EXPECT_EQ(contact_restitution(1e4, 0.5, 0), 1.0);
  EXPECT_GT(contact_time(1e4, 0.5, 10), contact_time(1e4, 0.5));
  EXPECT_EQ(contact_restitution(1, 1, 2), 0.0) << "critically damped";
  EXPECT_LT(contact_time(1, 1, 20), contact_time(1, 1, 2)) << "the overdamped scale falls with c";
}

TEST(ContactStep, TheTwoLightestBodiesSetTheScale) {
  Bodies b;
  for (const double m : {5.0, 0.0, 1.0, 3.0, 1.0, 2.0}) b.add(0, 0, 0, 0, 0, 0, m, 1.0);
  EXPECT_NEAR(shortest_contact(b, contact_field(1e4)), 0.0222144146907918, 1e-16);
  b.m = {5, 0, 1, 3, 4, 2};
  EXPECT_NEAR(shortest_contact(b, contact_field(1e4)), contact_time(1e4, 2.0 / 3.0), 1e-16);
  b.m = {5, 0, 4, 3, 2, 1};
  EXPECT_NEAR(shortest_contact(b, contact_field(1e4)), contact_time(1e4, 2.0 / 3.0), 1e-16) << "falling order";
  EXPECT_EQ(shortest_contact(b, gravity_field()), std::numeric_limits<double>::infinity());
  EXPECT_EQ(shortest_contact(b, impulse_field(1)), std::numeric_limits<double>::infinity());
  Bodies one = bodies_at({{0, 0, 0}}, 2.0, 1.0);
  EXPECT_EQ(shortest_contact(one, contact_field(1e4)), std::numeric_limits<double>::infinity());
  ForceField boxed = contact_field(1e4);
  boxed.box.boundary = Boundary::reflecting;
  EXPECT_NEAR(shortest_contact(one, boxed), contact_time(1e4, 2.0), 1e-16);
}

TEST(ContactStep, WarnsWhenTheStepIsTooLarge) {
  const Bodies b = bodies_at({{0, 0, 0}, {1, 0, 0}}, 1.0, 0.5);
  const double limit = 0.0222144146907918 / 50;
  EXPECT_EQ(contact_step_warning(b, contact_field(1e4), 0.999 * limit), "");
  EXPECT_EQ(contact_step_warning(b, gravity_field(), 1e9), "");
  const std::string warning = contact_step_warning(b, contact_field(1e4), -0.01);
  EXPECT_EQ(warning,
            "dt = 0.01 is more than a fiftieth of the shortest contact time, 0.02221, so contacts gain or lose energy; "
            "use --dt 0.000444 or less, or a softer spring.");
  // Following the advice silences the warning.
  EXPECT_EQ(contact_step_warning(b, contact_field(1e4), 0.000444), "");
}

TEST(ContactStep, DampingNearTheCriticalDoesNotHideTheShortScale) {
  // Masses 1 and 1: m_eff = 1/2; critical damping is c = 2 sqrt(k / 2). The contact itself then lasts forever.
  const Bodies b = bodies_at({{0, 0, 0}, {1, 0, 0}}, 1.0, 0.5);
  const double undamped = contact_time(1e4, 0.5), critical = 2 * std::sqrt(1e4 * 0.5);
  double before = undamped * (1 + 1e-12);
  for (const double part : {0.0, 0.5, 0.999999, 1.0, 1.5, 10.0}) {
    const double scale = shortest_contact(b, contact_field(1e4, part * critical));
    EXPECT_LE(scale, before) << part;
    before = scale * (1 + 1e-6);
  }
  EXPECT_NEAR(before, undamped / (10 + std::sqrt(99.0)), 1e-5 * undamped);
  EXPECT_GT(contact_time(1e4, 0.5, 0.999999 * critical), 100 * undamped);
}

TEST(ContactStep, PointsDoNotTouchPoints) {
  Bodies b = bodies_at({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 1.0, 0.0);
  b.m = {1, 2, 8};
  EXPECT_EQ(shortest_contact(b, contact_field(1e4)), std::numeric_limits<double>::infinity());
  b.r[2] = 1;
  EXPECT_NEAR(shortest_contact(b, contact_field(1e4)), contact_time(1e4, 8.0 / 9.0), 1e-16);
  ForceField boxed = contact_field(1e4);
  b.r[2] = 0;
  boxed.box.boundary = Boundary::reflecting;
  EXPECT_NEAR(shortest_contact(b, boxed), contact_time(1e4, 1.0), 1e-16) << "against the wall";
}

TEST(ContactStep, ImpulsesNeedAStepBeforeSpheresPassThrough) {
  Bodies b = bodies_at({{0, 0, 0}, {3, 0, 0}, {6, 0, 0}}, 1.0, 0.5);
  b.r = {0.5, 0.25, 2.0};
  b.vx = {3, -1, -2};
  const ForceField field = impulse_field(1);
  EXPECT_NEAR(longest_impulse_step(b, field), 0.75 / 5, 1e-15);
  EXPECT_EQ(contact_step_warning(b, field, 0.15), "");
  EXPECT_EQ(
      contact_step_warning(b, field, -0.2),
      "dt = 0.2 is more than the 0.15 in which the fastest spheres come from touching to centre on centre, so some "
      "may pass unseen; use --dt 0.15 or less.");
  EXPECT_EQ(longest_impulse_step(b, contact_field(1)), std::numeric_limits<double>::infinity());
  b.vx = {0, 0, 0};
  EXPECT_EQ(longest_impulse_step(b, field), std::numeric_limits<double>::infinity());
  ForceField falling = field;
  falling.field = {0, -2, 0};
  falling.box = Box{{0, 0, 0}, {9, 4, 9}, Boundary::reflecting};
  EXPECT_NEAR(longest_impulse_step(b, falling), 0.75 / (2 * 4), 1e-15) << "v = sqrt(2 g h) = 4, each";
  // The rule is tight: below it a colliding pair rebounds, at twice the step it may pass through.
  for (const double share : {0.99, 2.1}) {
    Bodies two = bodies_at({{-0.5001, 0, 0}, {0.5001, 0, 0}}, 1.0, 0.5);
    two.vx = {1, -1};
    const double dt = share * longest_impulse_step(two, field);
    reference_advance(two, field, Integrator::kdk, dt, 3);
    EXPECT_NEAR(two.vx[0], share < 1 ? -1.0 : 1.0, 1e-12) << share;
  }
}

TEST(Wrap, SubtractsWholeSidesAndKeepsPositionsInside) {
  SplitMix64 random{37};
  for (int trial = 0; trial < 2000; ++trial) {
    const double low = -1.0 - random.uniform(), high = 0.5 + random.uniform(), length = high - low;
    const double inside = low + length * random.uniform();
    double x = inside;
    laws::wrap(x, low, high);
    EXPECT_EQ(x, inside);
    const int sides = trial % 9 - 4;
    x = inside + sides * length;
    laws::wrap(x, low, high);
    EXPECT_TRUE(x >= low && x < high) << x;
    const double off = std::fabs(x - inside);
    EXPECT_LT(std::min(off, length - off), 1e-14 * length * 8);
  }
  float tiny = -1e-20f;  // adding a side would round to the wall itself
  laws::wrap(tiny, 0.0f, 1.0f);
  EXPECT_EQ(tiny, 0.0f);
  double wall = 1.0;
  laws::wrap(wall, 0.0, 1.0);
  EXPECT_EQ(wall, 0.0);
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                     -std::numeric_limits<double>::infinity()}) {
    laws::wrap(bad, 0.0, 1.0);
    EXPECT_FALSE(std::isfinite(bad)) << "a bad position must stay visible to the NaN guard";
  }
}

TEST(NearestImage, IsTheShortestAndTurnsWithTheDifference) {
  const Box box{{-1, 0, 2}, {1, 3, 2.5}, Boundary::periodic};
  const laws::NearestImage<double> image(box);
  SplitMix64 random{41};
  const auto math = laws::ScalarMath<double>{};
  for (int trial = 0; trial < 2000; ++trial) {
    const double d[3] = {4 * random.uniform() - 2, 6 * random.uniform() - 3, random.uniform() - 0.5};
    double a[3] = {d[0], d[1], d[2]}, b[3] = {-d[0], -d[1], -d[2]};
    image(math, a[0], a[1], a[2]);
    image(math, b[0], b[1], b[2]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double side = box.high[axis] - box.low[axis];
      EXPECT_EQ(a[axis], -b[axis]);
      EXPECT_LE(std::fabs(a[axis]), 0.5 * side);
      EXPECT_NEAR(std::remainder(a[axis] - d[axis], side), 0.0, 1e-15);
    }
  }
  double x = 1e18, y = -1e18, z = 1;
  laws::NearestImage<double>(Box{})(math, x, y, z);
  EXPECT_EQ(x, 1e18);
}

ForceField contact_springs(double stiffness) {
  ForceField field;
  field.pair = PairLaw::contact, field.contact.stiffness = stiffness;
  return field;
}

/// As Ctrl-C.
struct Stops final : ProgressSink {
  void report(const ProgressReport&) override { throw InterruptedError("stopped"); }
};

TEST(Overlaps, AStopEndsALook) {
  const ForceField field = contact_springs(10);
  Bodies b;
  for (int i = 0; i < 3000; ++i) b.add(i % 50, i / 50, 0, 0, 1, 0, 1, 0.6);
  OverlapWatch watch;
  watch.look(b, field, 0);
  EXPECT_NEAR(watch.largest().of_radius, 0.2 / 0.6, 1e-12);
  EXPECT_EQ(watch.largest().looks, 1u);
  Stops sink;
  const ScopedProgressSink bound(sink);
  const ScopedTask work("a look");
  EXPECT_THROW(watch.look(b, field, 0), InterruptedError);
  EXPECT_EQ(watch.largest().looks, 1u);
  ForceField lennard_jones;
  lennard_jones.pair = PairLaw::lennard_jones;
  EXPECT_THROW(MotionWatch().look(1, b, lennard_jones, 1e-3, Precision::fp64), InterruptedError);
}

TEST(Overlaps, PairsInCellsAreThoseOfAll) {
  const ForceField field = contact_springs(10);
  for (const int n : {200, 300}) {  // all pairs; cells
    Bodies b;
    for (int i = 0; i < n; ++i)
      b.add(std::sin(i * 1.7) * 9, std::sin(i * 2.9) * 9, std::sin(i * 4.1) * 9, 0, 0, 0, 1, 0.1);
    double deepest = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        deepest = std::max(deepest, 2 - std::hypot(b.x[i] - b.x[j], b.y[i] - b.y[j], b.z[i] - b.z[j]) / 0.1);
      }
    }
    OverlapWatch watch;
    watch.look(b, field, 0);
    EXPECT_NEAR(watch.largest().of_radius, std::max(0.0, deepest), 1e-9) << n;
  }
}

TEST(Overlaps, AreSeenAcrossPeriodicWalls) {
  ForceField field = contact_springs(10);
  field.box = {{-3, 0, 5}, {7, 10, 15}, Boundary::periodic};
  const double r = 0.2;
  for (u32 walls = 1; walls < 8; ++walls) {  // of x, y, z, those between the two
    for (const bool first_above : {false, true}) {
      Bodies b;
      for (int i = 0; i < 298; ++i) b.add(-2 + i % 7, 1 + i / 7 % 7, 6 + i / 49, 0, 0, 0, 1, r);
      const auto at = [&](u32 a, bool above) {  // 0.1 from the wall; or at one place
        const bool crosses = (walls >> a & 1) != 0;
        return (crosses && above ? field.box.high[a] - 0.1 : field.box.low[a] + (crosses ? 0.05 : 0.3));
      };
      for (const bool above : {first_above, !first_above})
        b.add(at(0, above), at(1, above), at(2, above), 0, 0, 0, 1, r);
      OverlapWatch watch;
      watch.look(b, field, 0);
      const double distance = 0.15 * std::sqrt(std::popcount(walls));
      EXPECT_NEAR(watch.largest().of_radius, (2 * r - distance) / r, 1e-9) << walls;
    }
  }
}

TEST(Images, AreRefusedWhereThePrecisionDoesNotKnowThem) {
  Bodies b;
  b.add(0.5, 0.5, 0.5, 0, 0, 0, 1, 0.1), b.add(1e16, 0.5, 0.5, 0, 0, 0, 1, 0.1);
  const Box box{{0, 0, 0}, {1, 1, 1}, Boundary::periodic};
  const auto refusal = [&](Precision precision, bool spheres) {
    return message_of<ConfigError>([&] { check_images(b, box, spheres, precision); });
  };
  expect_parts(refusal(Precision::fp64, true), {"body 1 is at 1e+16", "float64 are 2 apart", "its radius is 0.1"});
  expect_parts(refusal(Precision::fp64, false), {"a side is 1"});
  b.x[1] = 1e5;
  EXPECT_EQ(refusal(Precision::fp64, true), "");
  expect_parts(refusal(Precision::fp32, true), {"float32", "its radius is 0.1"});
  b.x[1] = 1;
  EXPECT_EQ(refusal(Precision::fp32, true), "");
}

}  // namespace
}  // namespace tri::test

// The tables of stages.

namespace tri {
namespace {

constexpr Integrator kAll[] = {Integrator::kdk, Integrator::symplectic_euler, Integrator::yoshida4};

TEST(Stages, KicksAndDriftsEachCoverTheStep) {
  for (const Integrator integrator : kAll) {
    SCOPED_TRACE(to_string(integrator));
    double kicks = 0, drifts = 0;
    for (const Stage& s : stages(integrator)) (s.kind == Stage::Kind::kick ? kicks : drifts) += s.fraction;
    EXPECT_NEAR(kicks, 1.0, 4e-16);
    EXPECT_NEAR(drifts, 1.0, 4e-16);
  }
}

TEST(Stages, NeighboursDifferSoKicksAreMerged) {
  for (const Integrator integrator : kAll) {
    const auto table = stages(integrator);
    for (std::size_t i = 1; i < table.size(); ++i) EXPECT_NE(table[i].kind, table[i - 1].kind) << to_string(integrator);
  }
  EXPECT_EQ(stages(Integrator::symplectic_euler).size(), 2u);
  EXPECT_EQ(stages(Integrator::kdk).size(), 3u);
  EXPECT_EQ(stages(Integrator::yoshida4).size(), 7u);
}

TEST(Stages, EveryStepBeginsWithAKick) {
  for (const Integrator integrator : kAll) {
    EXPECT_EQ(stages(integrator).front().kind, Stage::Kind::kick) << to_string(integrator);
  }
}

TEST(Stages, ReversibleSchemesReadTheSameBackwards) {
  for (const Integrator integrator : {Integrator::kdk, Integrator::yoshida4}) {
    const auto table = stages(integrator);
    for (std::size_t i = 0; i < table.size(); ++i) {
      EXPECT_EQ(table[i].kind, table[table.size() - 1 - i].kind);
      EXPECT_EQ(table[i].fraction, table[table.size() - 1 - i].fraction);
    }
  }
}

TEST(Stages, YoshidasDriftsCancelTheThirdOrder) {
  double cubes = 0;
  for (const Stage& s : stages(Integrator::yoshida4)) {
    if (s.kind == Stage::Kind::drift) cubes += s.fraction * s.fraction * s.fraction;
  }
  EXPECT_NEAR(cubes, 0.0, 2e-15);
  EXPECT_NEAR(stages(Integrator::yoshida4)[1].fraction, 1.35120719195965763405, 3e-16);  // 1 / (2 - cbrt(2))
}

TEST(IntegratorNames, RoundTripAndHelp) {
  for (const Integrator integrator : kAll) EXPECT_EQ(integrator_from(to_string(integrator)), integrator);
  EXPECT_EQ(test::message_of<ConfigError>([] { integrator_from("yoshida"); }),
            "unknown integrator 'yoshida'. Did you mean 'yoshida4'? Known: kdk, symplectic-euler, yoshida4, hermite.");
}

// One-body sums of a state.

TEST(Diagnostics, SumsOfTwoBodies) {
  Bodies b;
  b.add(1, 2, 3, 0.5, -1, 2, 2.0);
  b.add(-1, 0, 4, 3, 1, 0, 6.0);
  ForceField f;
  f.field = {1, 0, -2};
  const Diagnostics d = one_body_diagnostics(b, f);
  EXPECT_DOUBLE_EQ(d.mass, 8);
  EXPECT_DOUBLE_EQ(d.kinetic, 0.5 * 2 * 5.25 + 0.5 * 6 * 10);
  EXPECT_DOUBLE_EQ(d.potential, -2.0 * (1 - 6) - 6.0 * (-1 - 8));
  EXPECT_EQ(d.momentum, (std::array<double, 3>{19, 4, 4}));
  EXPECT_EQ(d.centre, (std::array<double, 3>{-0.5, 0.5, 3.75}));
  // r x v: (2*2 - 3*(-1), 3*0.5 - 1*2, 1*(-1) - 2*0.5) = (7, -0.5, -2); (0*0 - 4*1, 4*3 + 1*0, -1*1 - 0*3) = (-4, 12,
  // -1)
  EXPECT_EQ(d.angular_momentum, (std::array<double, 3>{14 - 24, -1 + 72, -4 - 6}));
  EXPECT_EQ(d.virial, 0.0);
  EXPECT_EQ(d.triple_potential, 0.0);
}

TEST(Diagnostics, MasslessBodiesHaveNoCentreAndNoNaN) {
  Bodies b;
  b.add(1, 2, 3, 4, 5, 6, 0.0);
  const Diagnostics d = one_body_diagnostics(b, ForceField{});
  EXPECT_EQ(d.centre, (std::array<double, 3>{0, 0, 0}));
  EXPECT_EQ(d.kinetic, 0.0);
}

TEST(Diagnostics, SumsKeepWhatCancels) {
  // Large momenta that cancel leave the small one exact.
  Bodies b;
  b.add(0, 0, 0, 1e17, 0, 0, 1.0);
  b.add(0, 0, 0, 1.0, 0, 0, 1.0);
  b.add(0, 0, 0, -1e17, 0, 0, 1.0);
  EXPECT_EQ(one_body_diagnostics(b, ForceField{}).momentum[0], 1.0);
}

TEST(Diagnostics, VirialRatioAndEnergy) {
  Diagnostics d;
  d.kinetic = 0.25, d.potential = -0.5, d.virial = -0.5;
  EXPECT_DOUBLE_EQ(d.energy(), -0.25);
  EXPECT_DOUBLE_EQ(d.virial_ratio(), 1.0);
  d.virial = 0.25;
  EXPECT_DOUBLE_EQ(d.virial_ratio(), -2.0) << "forces that push apart";
  d.kinetic = 0;
  EXPECT_FALSE(std::signbit(d.virial_ratio()));
  d.kinetic = 0.25;
  d.virial = 0;
  EXPECT_EQ(d.virial_ratio(), 0.0);
}

}  // namespace
}  // namespace tri
