/// What a floating-point type cannot resolve is said with the body, its place and how far apart numbers are there.

#include "sim/model/resolution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

}  // namespace
}  // namespace tri
