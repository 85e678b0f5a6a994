/// Keys mass, length, speed and g of the scenes of spheres: a scaled scene takes the same path in scaled units.

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "sim/base/error.hpp"
#include "sim/model/contact_step.hpp"
#include "sim/reference/reference_advance.hpp"
#include "sim/scene/scene.hpp"
#include "tests/support/scene_support.hpp"

namespace tri::test {
namespace {

/// A scene, the same scaled, and the factors between their units.
struct Scaled {
  const char *one, *scaled;
  double mass, length, time;

  double velocity() const { return length / time; }
  double stiffness() const { return mass / (time * time); }  ///< force / length
  double damping() const { return mass / time; }             ///< force / velocity
};

void PrintTo(const Scaled& s, std::ostream* out) { *out << s.scaled; }

class SphereScales : public testing::TestWithParam<Scaled> {};

void expect_multiple(const std::vector<double>& a, double factor, const std::vector<double>& b, double off) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(a[i] / factor, b[i], off) << "body " << i;
  }
}

void expect_scaled(const Bodies& scaled, const Bodies& one, const Scaled& by, double off) {
  expect_multiple(scaled.m, by.mass, one.m, off);
  expect_multiple(scaled.r, by.length, one.r, off);
  expect_multiple(scaled.x, by.length, one.x, off);
  expect_multiple(scaled.y, by.length, one.y, off);
  expect_multiple(scaled.z, by.length, one.z, off);
  expect_multiple(scaled.vx, by.velocity(), one.vx, off);
  expect_multiple(scaled.vy, by.velocity(), one.vy, off);
  expect_multiple(scaled.vz, by.velocity(), one.vz, off);
}

TEST_P(SphereScales, TakeTheSamePath) {
  const Scaled& by = GetParam();
  const Scene one = make_scene(by.one), scaled = make_scene(by.scaled);
  constexpr double kRounding = 1e-13;
  expect_scaled(scaled.bodies, one.bodies, by, kRounding);
  EXPECT_NEAR(scaled.dt / by.time / one.dt, 1, kRounding);
  const ContactParams &k = one.field.contact, &scaled_k = scaled.field.contact;
  EXPECT_NEAR(scaled_k.damping, by.damping() * k.damping, kRounding * scaled_k.damping);
  EXPECT_EQ(scaled_k.restitution, k.restitution);
  if (!k.impulse) {
    EXPECT_NEAR(scaled_k.stiffness / by.stiffness() / k.stiffness, 1, kRounding);
  }
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_NEAR(scaled.field.box.high[a] / by.length, one.field.box.high[a], kRounding);
    EXPECT_NEAR(scaled.field.field[a] / by.length * by.time * by.time, one.field.field[a], kRounding);
  }
  EXPECT_EQ(contact_step_warning(scaled.bodies, scaled.field, scaled.dt), "");

  Bodies a = one.bodies, b = scaled.bodies;
  const auto steps = static_cast<u32>(std::lround((one.field.field[1] < 0 ? 1.5 : 0.08) / one.dt));
  reference_advance(a, one.field, one.integrator, one.dt, steps);
  reference_advance(b, scaled.field, scaled.integrator, scaled.dt, steps);
  // A collision multiplies rounding errors by the free path over the radius; factors of two make none.
  const bool exact = std::exp2(std::round(std::log2(by.length))) == by.length;
  expect_scaled(b, a, by, exact ? 0 : 1e-8);
  u32 turned = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    turned += a.vx[i] != one.bodies.vx[i];
  }
  EXPECT_GT(turned, a.size() / 4) << "few collisions";
}

// With these factors masses, lengths and times are powers of four or two, so that roots and products are exact.
INSTANTIATE_TEST_SUITE_P(
    Scenes, SphereScales,
    testing::Values(
        Scaled{"sphere-box:n=60,fill=0.25", "sphere-box:n=60,fill=0.25,mass=16,length=8,speed=2", 16, 8, 4},
        Scaled{"sphere-box:n=61,fill=0.2,c=0.5,walls=periodic",
               "sphere-box:n=61,fill=0.2,c=2,walls=periodic,mass=16,length=8,speed=2", 16, 8, 4},
        Scaled{"sphere-box:n=60,fill=0.25", "sphere-box:n=60,fill=0.25,mass=3e-3,length=0.7,speed=5", 3e-3, 0.7, 0.14},
        Scaled{"gas:n=77,fill=0.25", "gas:n=77,fill=0.25,mass=64,length=0.25,speed=4", 64, 0.25, 0.0625},
        Scaled{"gas:n=77,fill=0.25,e=0.9,walls=reflecting",
               "gas:n=77,fill=0.25,e=0.9,walls=reflecting,mass=1e3,length=1e-3,speed=300", 1e3, 1e-3, 1e-3 / 300},
        Scaled{"falling-pile:n=40", "falling-pile:n=40,mass=16,length=8,g=2", 16, 8, 2},
        Scaled{"falling-pile:n=40,e=0.3", "falling-pile:n=40,e=0.3,mass=5,length=0.02,g=9.81", 5, 0.02,
               std::sqrt(0.02 / 9.81)},
        Scaled{"falling-pile:n=41,response=impulses", "falling-pile:n=41,response=impulses,mass=64,length=2,g=8", 64, 2,
               0.5}));

TEST(SphereScalesOf, OneAreTheSceneWithoutThem) {
  for (const std::string name : {"sphere-box:n=30", "gas:n=30", "falling-pile:n=30"}) {
    EXPECT_TRUE(same_bits(make_scene(name + ",mass=1,length=1").bodies, make_scene(name).bodies)) << name;
    expect_parts(message_of<ConfigError>([&] { make_scene(name + ",length=0"); }), {"length = '0'"});
    expect_parts(message_of<ConfigError>([&] { make_scene(name + ",mass=-1"); }), {"mass = '-1'"});
  }
}

TEST(SphereScalesOf, SpheresAtRestLeaveTheSpringsOfSpeedOne) {
  const Scene rest = make_scene("sphere-box:n=20,mass=4,length=2,speed=0"),
              moving = make_scene("sphere-box:n=20,mass=4,length=2");
  EXPECT_EQ(rest.field.contact.stiffness, moving.field.contact.stiffness);
  EXPECT_EQ(rest.dt, moving.dt);
  EXPECT_EQ(kinetic_of(rest.bodies), 0);
}

TEST(SphereScalesOf, StandInTheUnits) {
  EXPECT_EQ(make_scene("gas:n=8,length=2,mass=0.5,speed=3").units,
            "side of the box 2, mass of a sphere 0.5, rms speed 3");
  EXPECT_EQ(make_scene("sphere-box:n=8").units, "side of the box 1, mean mass 1, rms speed of that mass 1");
  EXPECT_EQ(make_scene("falling-pile:n=8,length=0.02,g=9.81").units,
            "largest diameter 0.02, mass of such a sphere 1, field 9.81");
}

}  // namespace
}  // namespace tri::test
