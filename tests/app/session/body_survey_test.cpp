// Distributions of bodies: closed forms, every body in one bin, and the session's way to them.

#include "app/session/body_survey.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "app/session/session.hpp"
#include "sim/base/clock.hpp"
#include "sim/scene/scene.hpp"
#include "tests/app/session/session_support.hpp"

namespace tri::app {
namespace {

Bodies line_of(const std::vector<double>& places) {
  Bodies b;
  for (const double x : places) b.add(x, 0, 0, 0, 2 * x, 0, 1 + x, 0.1 * x);
  return b;
}

u64 total(const Survey& s) { return std::accumulate(s.bodies.begin(), s.bodies.end(), u64{0}); }

TEST(BodySurvey, EveryBodyIsInOneBinWhateverTheNumbers) {
  for (const std::size_t n : {1u, 2u, 3u, 7u, 100u, 1013u}) {
    std::vector<double> places(n);
    for (std::size_t k = 0; k < n; ++k) places[k] = std::pow(static_cast<double>((k * 7919) % n), 1.5);
    for (u32 of = 0; of < kSurveyCount; ++of) {
      for (const u32 bins : {2u, 3u, 40u}) {
        const Survey s = survey_of(line_of(places), static_cast<SurveyOf>(of), bins);
        ASSERT_EQ(s.edges.size(), bins + 1) << n;
        EXPECT_EQ(total(s), n) << to_string(s.of) << ", " << bins;
        for (u32 k = 0; k < bins; ++k) EXPECT_LT(s.edges[k], s.edges[k + 1]);
      }
    }
  }
  EXPECT_TRUE(survey_of(Bodies{}, SurveyOf::mass).edges.empty());
}

TEST(BodySurvey, CountsValuesOnTheirEdgesAndLeavesOutWhatIsNotFinite) {
  const Survey s = survey_of(line_of({0, 1, 2, 3, 4}), SurveyOf::mass, 4);  // masses 1 to 5
  EXPECT_EQ(s.edges, (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(s.bodies, (std::vector<u64>{1, 1, 1, 2}));
  EXPECT_EQ(s.value, (std::vector<double>{1, 1, 1, 2}));
  EXPECT_EQ(survey_of(line_of({0, 1, 2, 3, 4}), SurveyOf::speed, 2).edges, (std::vector<double>{0, 4, 8}));
  Bodies b = line_of({0, 1, 2});
  b.vy[1] = std::numeric_limits<double>::quiet_NaN(), b.x[2] = std::numeric_limits<double>::infinity();
  const Survey speed = survey_of(b, SurveyOf::speed), density = survey_of(b, SurveyOf::density);
  EXPECT_EQ(speed.left_out, 1u);
  EXPECT_EQ(total(speed), 2u);
  EXPECT_EQ(density.left_out, 1u);
}

TEST(BodySurvey, DensityIsThatOfTheShellsAboutTheCentreOfMass) {
  Bodies b;  // 6 bodies at distance 1 and 6 at distance 2 from (5, -3, 8)
  for (const double r : {1.0, 2.0}) {
    for (const double s : {-r, r}) {
      b.add(5 + s, -3, 8, 0, 0, 0, 2), b.add(5, -3 + s, 8, 0, 0, 0, 2), b.add(5, -3, 8 + s, 0, 0, 0, 2);
    }
  }
  const Survey s = survey_of(b, SurveyOf::density, 8);
  double mass = 0;
  for (std::size_t k = 0; k < s.value.size(); ++k) {
    mass += s.value[k] * 4 * M_PI / 3 * (std::pow(s.edges[k + 1], 3) - std::pow(s.edges[k], 3));
  }
  EXPECT_NEAR(mass, 24, 1e-9) << "density times volume is the mass";
  EXPECT_NEAR(s.edges.back(), 2, 1e-12);
}

/// Plummer's sphere of mass 1: M(r) = r^3 / (r^2 + a^2)^(3/2), cut where the scene cuts it. Each shell's number is
/// Poisson's, so that chi squared over the bins is about their number.
TEST(BodySurvey, PlummersProfileIsWithinPoissonsErrors) {
  for (const u32 seed : {1u, 2u, 3u}) {
    const Scene scene = make_scene(fmt::format("plummer:n=40000,seed={}", seed));
    const Survey s = survey_of(scene.bodies, SurveyOf::density);
    const double n = 40000;
    // The half-mass radius says the scale: r_half = a / sqrt(2^(2/3) - 1).
    std::vector<double> r(scene.bodies.size());
    for (std::size_t i = 0; i < r.size(); ++i) {
      r[i] = std::hypot(scene.bodies.x[i], scene.bodies.y[i], scene.bodies.z[i]);
    }
    std::nth_element(r.begin(), r.begin() + 20000, r.end());
    const double a = r[20000] * std::sqrt(std::cbrt(4.0) - 1);
    EXPECT_NEAR(a, 3 * M_PI / 16, 0.01) << "in virial units";
    const auto inside = [&](double x) { return std::pow(x * x / (x * x + a * a), 1.5); };
    double chi = 0, bins = 0;
    for (std::size_t k = 0; k < s.bodies.size(); ++k) {
      const double expected = n * (inside(s.edges[k + 1]) - inside(s.edges[k]));
      if (expected < 20) continue;
      const double got = static_cast<double>(s.bodies[k]);
      EXPECT_LT(std::abs(got - expected), 5 * std::sqrt(expected) + 2) << "shell from " << s.edges[k];
      chi += (got - expected) * (got - expected) / expected, ++bins;
      const double volume = 4 * M_PI / 3 * (std::pow(s.edges[k + 1], 3) - std::pow(s.edges[k], 3));
      EXPECT_NEAR(s.value[k] * volume, got / n, 1e-9 * got) << "every body has the mass 1 / n";
    }
    EXPECT_GT(bins, 25);
    EXPECT_LT(chi, bins + 5 * std::sqrt(2 * bins)) << "seed " << seed;
  }
}

TEST(SessionSurvey, ComesFromTheStepThreadAndFollowsTheRun) {
  Session s(cpu(), {"plummer:n=300"}, {});
  EXPECT_FALSE(s.survey(std::nullopt, clock_s()));
  ASSERT_TRUE(s.survey(SurveyOf::speed, clock_s()));
  EXPECT_TRUE(s.busy());
  EXPECT_FALSE(s.busy_since()) << "no step is under way";
  EXPECT_FALSE(s.model().survey) << "not before it is collected";
  while (!s.finish_steps(1)) continue;
  ASSERT_TRUE(s.model().survey);
  EXPECT_EQ(total(*s.model().survey), 300u);
  EXPECT_EQ(s.model().survey->of, SurveyOf::speed);
  EXPECT_FALSE(s.survey(SurveyOf::speed, clock_s() + 100)) << "nothing has changed";
  steps(s, 2);
  EXPECT_FALSE(s.survey(SurveyOf::speed, clock_s() - 1)) << "too soon after the last";
  ASSERT_TRUE(s.survey(SurveyOf::speed, clock_s() + 100));
  while (!s.finish_steps(1)) continue;
  EXPECT_EQ(s.model().survey->step, 2u);
  EXPECT_EQ(s.model().steps, 2u);
  s.survey(std::nullopt, clock_s());
  EXPECT_FALSE(s.model().survey);
}

}  // namespace
}  // namespace tri::app
