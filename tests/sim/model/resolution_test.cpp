/// What a floating-point type cannot resolve is said with the body, its place and how far apart numbers are there.

#include "sim/model/resolution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sim/laws/typed_text.hpp"
#include "sim/model/contact_step.hpp"
#include "sim/model/massless.hpp"
#include "tests/support/error_messages.hpp"

namespace tri {
namespace {

using test::expect_parts;

constexpr double kAnyStep = std::numeric_limits<double>::infinity();

ForceField field_of(PairLaw pair) {
  ForceField field;
  field.pair = pair;
  return field;
}

std::string loss32(const Bodies& b, const ForceField& field, double dt) {
  EXPECT_EQ(resolution_loss(b, field, dt, Precision::fp64), "");
  return resolution_loss(b, field, dt, Precision::fp32);
}

/// On a circle of this radius with masses of 1/2, about (x, 0, 0).
Bodies binary(double radius, double x) {
  const double v = 0.5 / std::sqrt(2 * radius);
  Bodies b;
  b.add(x - radius / 2, 0, 0, 0, -v, 0, 0.5), b.add(x + radius / 2, 0, 0, 0, v, 0, 0.5);
  return b;
}

TEST(Resolution, AShortWayAtAFarPlace) {
  Bodies b;
  b.add(1e6, 0, 0, 1, 0, 0, 1);
  expect_parts(loss32(b, field_of(PairLaw::none), 0.01), {"at 1e+06", "numbers of float32 are 0.062 apart", "0.01"});
  EXPECT_EQ(loss32(b, field_of(PairLaw::none), 10), "");
  // One of many: the others keep their way.
  for (int i = 0; i < 100; ++i) b.add(i, 0, 0, 0, 1, 0, 1);
  expect_parts(loss32(b, field_of(PairLaw::none), 0.01), {"body 0 is at 1e+06"});
  b.vx[0] = 0.01;  // as slow as if it was at rest
  EXPECT_EQ(loss32(b, field_of(PairLaw::none), 0.01), "");
  b.x[0] = 1e15, b.vx[0] = 1;
  expect_parts(resolution_loss(b, field_of(PairLaw::none), 0.01, Precision::fp64), {"body 0", "numbers of float64"});
}

TEST(Resolution, ATinyStep) {
  expect_parts(loss32(binary(1, 0), field_of(PairLaw::gravity), 1e-8), {"move by", "in a time step"});
  EXPECT_EQ(loss32(binary(1, 0), field_of(PairLaw::gravity), 1e-3), "");
  Bodies cold = binary(1, 0);  // what it will move by
  cold.vy = {0, 0};
  expect_parts(loss32(cold, field_of(PairLaw::gravity), 1e-8), {"move by"});
  EXPECT_EQ(loss32(cold, field_of(PairLaw::gravity), 1e-3), "");
  expect_parts(loss32(binary(1e-30, 0), field_of(PairLaw::none), 1e-50), {"time step is 1e-50", "float32"});
}

TEST(Resolution, AChangeOfAFastVelocity) {
  Bodies b;
  b.add(0, 0, 0, 1e4, 0, 0, 1), b.add(1, 0, 0, 1e4, 0, 0, 1);
  ForceField field = field_of(PairLaw::none);
  field.field = {0, 0, -9.81};
  expect_parts(loss32(b, field, 1e-5), {"the speeds are at 10000", "0.00098 apart", "change by 9.8e-05"});
  EXPECT_EQ(loss32(b, field, 1e-2), "");
}

TEST(Resolution, NeighboursAndRadiiAtAFarPlace) {
  expect_parts(loss32(binary(0.01, 8122), field_of(PairLaw::gravity), 1e-3),
               {"bodies 0 and 1", "at 8121.99", "0.00049"});
  ForceField soft = field_of(PairLaw::gravity);
  soft.gravity.softening = 1;
  EXPECT_EQ(loss32(binary(0.01, 8122), soft, 1), "");
  // A lattice of beads whose corner is at (2000, 3000, 100) m.
  Bodies beads;
  for (int i = 0; i < 125; ++i) {
    beads.add(2000.1 + 0.02 * (i % 5), 3000.1 + 0.02 * (i / 5 % 5), 100.1 + 0.02 * (i / 25), 0.5, 0, 0, 0.01, 0.005);
  }
  expect_parts(loss32(beads, field_of(PairLaw::contact), 1e-1), {"body 0 is at 3000.1", "its radius is 0.005"});
  for (PairLaw law : {PairLaw::gravity, PairLaw::lennard_jones}) {
    expect_parts(loss32(beads, field_of(law), kAnyStep), {"bodies ", "0.02 from each other"});
  }
  for (double& x : beads.x) x -= 2000;
  for (double& y : beads.y) y -= 3000;
  for (double& z : beads.z) z -= 100;
  EXPECT_EQ(loss32(beads, field_of(PairLaw::contact), 1e-4), "");
  EXPECT_EQ(loss32(beads, field_of(PairLaw::gravity), kAnyStep), "");
}

TEST(Resolution, WhatARunInFloat32WouldRefuse) {
  Bodies b = binary(1, 0);
  b.m[1] = 1e-300;
  expect_parts(loss32(b, field_of(PairLaw::gravity), 1e-3), {"body 1 has the mass 1e-300"});
}

TEST(Resolution, AWatchSaysWhatFliesAwayAndNotWhatRests) {
  Bodies b;
  for (int i = 0; i < 10; ++i) b.add(i, 0, 0, 0, 1, 0, 1);
  MotionWatch watch;
  const ForceField none = field_of(PairLaw::none);
  EXPECT_EQ(watch.look(1, b, none, 0.01, Precision::fp32), "");
  for (double& v : b.vy) v = 1e-9;  // a pile that has come to rest
  EXPECT_EQ(watch.look(2, b, none, 0.01, Precision::fp32), "");
  b.x[3] = 1e7, b.vy[3] = 0.5;
  expect_parts(watch.look(3, b, none, 0.01, Precision::fp32), {"step 3: body 3 is at 1e+07", "--precision fp64"});
  EXPECT_EQ(watch.look(3, b, none, 0.01, Precision::fp64), "");
}

// Two of many come so near to each other that the text's numbers leave float32, or so far apart.
TEST(Resolution, AWatchSaysThatATypedLawIsLost) {
  ForceField law;
  set_pair_law(law, "r^-3*exp(-1e-15/r^4)");
  Bodies b;
  for (int i = 0; i < 60; ++i) b.add(i, (i * 7) % 11, (i * 5) % 13, 1, 0, 0, 1);
  EXPECT_EQ(MotionWatch().look(1, b, law, 1, Precision::fp32), "");
  b.x[40] = b.x[17] + 1e-3, b.y[40] = b.y[17], b.z[40] = b.z[17];  // exp(-1000) is 0 in float32, and no force at all
  set_pair_law(law, "-mi*mj/r");
  Bodies two;
  two.add(0, 0, 0, 1, 0, 0, 1), two.add(1e12, 0, 0, 1, 0, 0, 1);
  EXPECT_EQ(MotionWatch().look(1, two, law, 1e12, Precision::fp32), "");
  two.x[1] = 1e15;
  expect_parts(
      MotionWatch().look(7, two, law, 1e12, Precision::fp32),
      {"step 7: the typed law of pairs would be lost in float32", "acceleration on body 0", "--precision fp64"});
  EXPECT_EQ(MotionWatch().look(7, two, law, 1e12, Precision::fp64), "");
}

TEST(Overlaps, AWatchKeepsTheDeepestAndSaysTheFirstDeepOne) {
  ForceField field = field_of(PairLaw::contact);
  field.contact.stiffness = 10;
  EXPECT_TRUE(OverlapWatch::wants(field));
  EXPECT_FALSE(OverlapWatch::wants(field_of(PairLaw::gravity)));
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 1, 0.5), b.add(0.9, 0, 0, 0, 0, 0, 1, 0.5);
  OverlapWatch watch;
  EXPECT_EQ(watch.look(b, field, 0.1), "");
  EXPECT_NEAR(watch.largest().of_radius, 0.2, 1e-12);
  b.x[1] = 0.5;
  expect_parts(watch.look(b, field, 0.2), {"bodies 0 and 1 overlap by 0.5, 100 %", "at t = 0.2", "stiffness than 10"});
  b.x[1] = 0.4;
  EXPECT_EQ(watch.look(b, field, 0.3), "") << "once";
  b.x[1] = 0.8;
  EXPECT_EQ(watch.look(b, field, 0.4), "");
  EXPECT_NEAR(watch.largest().of_radius, 1.2, 1e-12);
  EXPECT_EQ(watch.largest().time, 0.3);
  // Eight radii outside a wall.
  field.box = Box{{-1, -1, -1}, {1, 1, 1}, Boundary::reflecting};
  b.x = {0, 4.5};
  EXPECT_EQ(watch.look(b, field, 0.5), "");
  EXPECT_NEAR(watch.largest().of_radius, 8, 1e-12);
}

TEST(Massless, ApartWhereOnlySuchBodiesCoincide) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 1), b.add(1, 1, 0, 0, 0, 0, 0), b.add(1, 1, 0, 0, 0, 0, 0);
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    const auto softening = [&] {
      const auto field = apart(b, field_of(PairLaw::gravity), precision);
      return field ? field->gravity.softening : 0;
    };
    EXPECT_GT(softening(), 0);
    EXPECT_LT(softening(), 1e-11);
    for (const char* text :
         {"-mi*mj/r", "-G*mi*mj/sqrt(r^2 + softening2); G = 1e-11; softening2 = 0", "-mi*mj/r; softening = 0"}) {
      ForceField law;
      set_pair_law(law, text);
      const auto field = apart(b, law, precision);
      ASSERT_TRUE(field) << text;
      EXPECT_NE(pair_law_text(*field).find("softening = "), std::string::npos) << pair_law_text(*field);
      EXPECT_EQ(pair_law_text(law).find("softening = 1"), std::string::npos) << "the other one is as it was";
    }
    ForceField forces;
    set_pair_law(forces, "1/r");
    EXPECT_FALSE(apart(b, forces, precision)) << "no masses";
    b.x[2] = 0, b.y[2] = 0;
    EXPECT_EQ(softening(), 0) << "at the place of one that pulls";
    b.x[2] = 1, b.y[2] = 1;
  }
  b.x[2] = 1.5;
  EXPECT_FALSE(apart(b, field_of(PairLaw::gravity), Precision::fp64)) << "none coincide";
}

}  // namespace
}  // namespace tri
