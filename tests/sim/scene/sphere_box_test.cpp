/// The gas of spheres: no overlap at the start, everything inside, and a step that resolves its contacts.

#include <algorithm>
#include <numbers>

#include "sim/model/contact_step.hpp"
#include "sim/model/diagnostics.hpp"
#include "sim/reference/reference.hpp"
#include "sim/reference/reference_advance.hpp"
#include "sim/scene/scene.hpp"
#include "tests/support/scene_support.hpp"

namespace tri::test {
namespace {

class SphereBox : public testing::TestWithParam<const char*> {};

TEST_P(SphereBox, StartsInsideWithoutOverlap) {
  const Scene s = make_scene(GetParam());
  check(s.bodies);
  check(s.field);
  EXPECT_TRUE(reference_collisions(s.bodies).empty());
  const Bodies& b = s.bodies;
  for (std::size_t i = 0; i < b.size(); ++i) {
    EXPECT_GT(b.r[i], 0);
    for (const double c : {b.x[i], b.y[i], b.z[i]}) {
      EXPECT_GE(c - b.r[i], 0);
      EXPECT_LE(c + b.r[i], 1);
    }
  }
  const ReferenceForces forces = reference_forces(b, s.field);
  EXPECT_EQ(forces.potential, 0);
  EXPECT_EQ(contact_step_warning(b, s.field, s.dt), "");
  EXPECT_EQ(s.field.pair, PairLaw::contact);
  EXPECT_FALSE(s.field.contact.impulse);
  EXPECT_EQ(s.field.box.boundary, Boundary::reflecting);
}

INSTANTIATE_TEST_SUITE_P(Scenes, SphereBox,
                         testing::Values("sphere-box", "sphere-box:n=1", "sphere-box:n=2", "sphere-box:n=3,seed=9",
                                         "sphere-box:n=10", "sphere-box:n=1000,fill=0.3", "sphere-box:n=2000,seed=3",
                                         "sphere-box:n=500,fill=1e-6"));

TEST(SphereBoxScene, NAndSeedAreExact) {
  const Scene a = make_scene("sphere-box:n=301");
  EXPECT_EQ(a.bodies.size(), 301u);
  EXPECT_TRUE(same_bits(a.bodies, make_scene("sphere-box:n=301,seed=42").bodies));
  EXPECT_FALSE(same_bits(a.bodies, make_scene("sphere-box:n=301,seed=43").bodies));
}

TEST(SphereBoxScene, RadiiDifferAndMassesScaleWithTheVolume) {
  const Bodies b = make_scene("sphere-box:n=4000,fill=0.25").bodies;
  const auto [low, high] = std::minmax_element(b.r.begin(), b.r.end());
  EXPECT_NEAR(*high / *low, 2.0, 0.01);
  double mass = 0, volume = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    mass += b.m[i];
    volume += 4.0 / 3.0 * std::numbers::pi * std::pow(b.r[i], 3);
    EXPECT_NEAR(b.m[i] / b.m[0], std::pow(b.r[i] / b.r[0], 3), 1e-12);
  }
  EXPECT_NEAR(mass, 4000, 1e-8);
  EXPECT_NEAR(volume, 0.25, 0.25 * 0.03);
}

TEST(SphereBoxScene, IsAGasOfTheRequestedSpeed) {
  for (const double speed : {0.0, 1.0, 3.0}) {
    const Bodies b = make_scene("sphere-box:n=1000,speed=" + std::to_string(speed)).bodies;
    EXPECT_NEAR(kinetic_of(b), 500 * speed * speed, 1e-9);
    const auto moments = first_moments(b);
    for (int c = 3; c < 6; ++c) EXPECT_NEAR(moments[c], 0, 1e-11);
  }
  // Light spheres are as hot as heavy ones.
  const Bodies b = make_scene("sphere-box:n=8000").bodies;
  double light = 0, heavy = 0;
  int light_count = 0, heavy_count = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    (b.m[i] < 1 ? light : heavy) += 0.5 * b.m[i] * std::pow(speed_of(b, i), 2);
    ++(b.m[i] < 1 ? light_count : heavy_count);
  }
  EXPECT_NEAR((light / light_count) / (heavy / heavy_count), 1.0, 0.06);
}

TEST(SphereBoxScene, TheDefaultStepIsAFiftiethOfTheShortestContactAndKeysOverrideIt) {
  const Scene s = make_scene("sphere-box:n=100");
  EXPECT_EQ(s.dt, shortest_contact(s.bodies, s.field) / 50);
  const Scene stiffer = make_scene("sphere-box:n=100,k=1e9,c=3");
  EXPECT_EQ(stiffer.field.contact.stiffness, 1e9);
  EXPECT_EQ(stiffer.field.contact.damping, 3);
  EXPECT_LT(stiffer.dt, s.dt);
  const Scene asked = make_scene("sphere-box:n=100,dt=0.5");
  EXPECT_EQ(asked.dt, 0.5);
  EXPECT_NE(contact_step_warning(asked.bodies, asked.field, asked.dt), "");
}

// The spring of two spheres that overlap by a tenth of the smallest possible radius holds ten times m <v^2> / 3.
TEST(SphereBoxScene, TheDefaultStiffnessIsThatOfTenTimesTheThermalEnergy) {
  for (const double speed : {0.5, 1.0, 4.0}) {
    const Scene s = make_scene("sphere-box:n=4000,speed=" + std::to_string(speed));
    const double press = 0.1 * *std::min_element(s.bodies.r.begin(), s.bodies.r.end());
    EXPECT_NEAR(0.5 * s.field.contact.stiffness * press * press / (10 * speed * speed / 3), 1, 0.01);
  }
}

TEST(SphereBoxScene, CollidesAndKeepsItsEnergy) {
  const Scene s = make_scene("sphere-box:n=64,fill=0.25");
  Bodies b = s.bodies;
  const double before = kinetic_of(b);
  double pressed = 0, worst = 0;
  for (int i = 0; i < 400; ++i) {
    reference_advance(b, s.field, s.integrator, s.dt, 25);
    const double potential = reference_forces(b, s.field).potential;
    pressed = std::max(pressed, potential);
    worst = std::max(worst, std::abs(kinetic_of(b) + potential - before) / before);
  }
  EXPECT_GT(pressed, 0);
  EXPECT_LT(worst, 2e-3);
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (const double c : {b.x[i], b.y[i], b.z[i]}) EXPECT_TRUE(c > 0.5 * b.r[i] && c < 1 - 0.5 * b.r[i]);
  }
}

class SpheresInABox : public testing::TestWithParam<const char*> {};

/// With periodic walls spheres do not overlap images either, and may extend through a wall.
TEST_P(SpheresInABox, DoNotOverlapImages) {
  const Scene s = make_scene(GetParam());
  check(s.bodies);
  check(s.field, largest_radius(s.bodies));
  EXPECT_EQ(s.field.box.boundary, Boundary::periodic);
  EXPECT_TRUE(reference_collisions(s.bodies, s.field.box).empty());
  EXPECT_EQ(contact_step_warning(s.bodies, s.field, s.dt), "");
  u32 through = 0;
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    for (const double c : {s.bodies.x[i], s.bodies.y[i], s.bodies.z[i]}) {
      EXPECT_TRUE(c >= 0 && c < 1);
      through += c < s.bodies.r[i] || c + s.bodies.r[i] > 1;
    }
  }
  if (s.bodies.size() > 300) {
    EXPECT_GT(through, 10u);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, SpheresInABox,
                         testing::Values("sphere-box:walls=periodic", "sphere-box:n=20,walls=periodic",
                                         "sphere-box:n=2000,fill=0.3,walls=periodic", "gas", "gas:n=2",
                                         "gas:n=9,seed=4", "gas:n=5000,fill=0.3"));

TEST(SphereBoxScene, WithOpenWallsTheGasExpands) {
  const Scene s = make_scene("sphere-box:n=30,walls=open");
  EXPECT_EQ(s.field.box.boundary, Boundary::open);
  EXPECT_TRUE(same_bits(s.bodies, make_scene("sphere-box:n=30").bodies));
  EXPECT_GT(make_scene("sphere-box:n=1,walls=open").dt, 0);
}

TEST(GasScene, IsEqualHardSpheresOfTheRequestedSpeedAndFill) {
  const Scene s = make_scene("gas:n=1000,fill=0.1,speed=2,e=0.9,walls=reflecting");
  EXPECT_EQ(s.field.box.boundary, Boundary::reflecting);
  EXPECT_TRUE(s.field.contact.impulse);
  EXPECT_EQ(s.field.contact.restitution, 0.9);
  EXPECT_NEAR(kinetic_of(s.bodies), 500 * 4, 1e-9);
  double volume = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(s.bodies.m[i], 1);
    EXPECT_EQ(s.bodies.r[i], s.bodies.r[0]);
    volume += 4.0 / 3.0 * std::numbers::pi * std::pow(s.bodies.r[i], 3);
  }
  EXPECT_NEAR(volume, 0.1, 1e-12);
  EXPECT_TRUE(reference_collisions(s.bodies).empty());
  double fastest = 0;
  for (std::size_t i = 0; i < 1000; ++i) fastest = std::max(fastest, speed_of(s.bodies, i));
  EXPECT_NEAR(fastest * s.dt, 0.1 * s.bodies.r[0], 1e-15);
}

TEST(GasScene, KeepsItsEnergyToRoundingAndItsMomentum) {
  const Scene s = make_scene("gas:n=150,fill=0.25");
  Bodies b = s.bodies;
  const Diagnostics before = one_body_diagnostics(b, s.field);
  reference_advance(b, s.field, s.integrator, s.dt, 600);
  const Diagnostics after = one_body_diagnostics(b, s.field);
  EXPECT_NEAR(after.kinetic, before.kinetic, 1e-13 * before.kinetic * 150);
  for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(after.momentum[a], 0, 1e-11);
  u32 turned = 0;
  for (std::size_t i = 0; i < b.size(); ++i) turned += b.vx[i] != s.bodies.vx[i];
  EXPECT_GT(turned, 100u) << "few collisions";
}

// Two spheres that fill 0.3 of the box fit in few states only: most seeds must be rejected, the others must be right.
TEST(SphereBoxScene, ReportsThatSpheresDoNotFit) {
  int refused = 0;
  for (int seed = 0; seed < 10; ++seed) {
    try {
      EXPECT_TRUE(
          reference_collisions(make_scene("sphere-box:n=2,fill=0.3,seed=" + std::to_string(seed)).bodies).empty());
    } catch (const ConfigError& error) {
      expect_parts(error.what(), {"scene sphere-box: ", " of 2 spheres fit", "lower fill"});
      ++refused;
    }
  }
  EXPECT_GE(refused, 5);
}

}  // namespace
}  // namespace tri::test
