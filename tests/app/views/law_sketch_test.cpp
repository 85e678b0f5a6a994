// What the editor of laws shows: curves against closed forms, ranges, and the place of an error.

#include "app/views/law_sketch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tri::app {
namespace {

using expression::Over;

TEST(LawSketch, TheCurvesAreTheEnergyAndItsDerivative) {
  const LawSketch sketch = sketch_law("energy = 4*eps*((s/r)^12 - (s/r)^6); eps = 1.5; s = 1.1", Over::pairs);
  ASSERT_TRUE(sketch.law) << sketch.error;
  const LawRange range = usual_range(sketch.law);
  const double lowest_at = 1.1 * std::pow(2.0, 1.0 / 6);
  EXPECT_LT(range.from, lowest_at);
  EXPECT_GT(range.to, 2 * lowest_at);
  const expression::LawCurves curves = sketch_curves(sketch.law, range, 500);
  ASSERT_EQ(curves.r.size(), 500u);
  u32 drawn = 0;
  for (std::size_t k = 0; k < curves.r.size(); ++k) {
    const double r = curves.r[k], s6 = std::pow(1.1 / r, 6);
    if (std::isfinite(curves.energy[k])) {
      EXPECT_NEAR(curves.energy[k], 6 * (s6 * s6 - s6), 1e-12 * (1 + 6 * s6 * s6)) << r;
      ++drawn;
    }
    if (std::isfinite(curves.force[k])) {
      EXPECT_NEAR(curves.force[k], 6 * (12 * s6 * s6 - 6 * s6) / r, 1e-11 * (1 + 72 * s6 * s6)) << r;
    }
  }
  EXPECT_GT(drawn, 400u);
  const double lowest = *std::min_element(curves.energy.begin(), curves.energy.end(), [](double a, double b) {
    return std::isnan(b) || a < b;  // what is not drawn is above everything
  });
  EXPECT_NEAR(lowest, -1.5, 1e-3) << "the well is in the picture";
}

TEST(LawSketch, ACoreDoesNotFlattenTheRest) {
  const LawSketch sketch = sketch_law("1/r^12", Over::pairs);
  ASSERT_TRUE(sketch.law) << sketch.error;
  const expression::LawCurves curves = sketch_curves(sketch.law, {0.1, 4}, 100);
  EXPECT_TRUE(std::isnan(curves.energy.front())) << "1e12 is left out";
  EXPECT_NEAR(curves.energy.back(), std::pow(4.0, -12), 1e-20);
}

TEST(LawSketch, ALawWithACutoffIsShownUpToIt) {
  const LawSketch sketch = sketch_law("energy = k/2*(d - r)^2; d = 1.5; k = 3; cutoff = 1.5", Over::pairs);
  ASSERT_TRUE(sketch.law) << sketch.error;
  const LawRange range = usual_range(sketch.law);
  EXPECT_GT(range.to, 1.5);
  EXPECT_LT(range.to, 2);
  const expression::LawCurves curves = sketch_curves(sketch.law, range);
  EXPECT_EQ(curves.energy.back(), 0);
  EXPECT_EQ(curves.force.back(), 0);
}

TEST(LawSketch, AnEquilateralTriangleOfTriples) {
  const LawSketch sketch = sketch_law("energy = A*exp(-(a^2 + b^2 + c^2)/w^2); A = 2; w = 1.5", Over::triples);
  ASSERT_TRUE(sketch.law) << sketch.error;
  const expression::LawCurves curves = sketch_curves(sketch.law, {0.1, 3}, 50);
  for (std::size_t k = 0; k < curves.r.size(); ++k) {
    const double r = curves.r[k], e = 2 * std::exp(-3 * r * r / 2.25);
    if (std::isfinite(curves.energy[k])) {
      EXPECT_NEAR(curves.energy[k], e, 1e-13);
    }
    if (std::isfinite(curves.force[k])) {
      EXPECT_NEAR(curves.force[k], e * 6 * r / 2.25, 1e-12);
    }
  }
}

TEST(LawSketch, WhatIsWrongHasItsPlace) {
  const LawSketch sketch = sketch_law("energy = 4*eps/r\neps = 1 + * 2", Over::pairs);
  EXPECT_FALSE(sketch.law);
  EXPECT_FALSE(sketch.error.empty());
  EXPECT_EQ(sketch.error.find('\n'), std::string::npos);
  EXPECT_EQ(sketch.line, "eps = 1 + * 2");
  ASSERT_LT(sketch.column, sketch.line.size());
  EXPECT_EQ(sketch.line[sketch.column], '*');
}

}  // namespace
}  // namespace tri::app
