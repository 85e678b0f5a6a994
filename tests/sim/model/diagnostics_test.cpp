/// One-body sums of a state.

#include "sim/model/diagnostics.hpp"

#include <gtest/gtest.h>

namespace tri {
namespace {

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
