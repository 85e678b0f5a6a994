/// Known orbits: after one period they return to their start.

#include <numbers>

#include "sim/model/diagnostics.hpp"
#include "sim/reference/reference_advance.hpp"
#include "sim/scene/scene.hpp"
#include "tests/support/scene_support.hpp"

namespace tri::test {
namespace {

using std::numbers::pi;

/// Largest change of a position or velocity after `time` in `steps` steps of Yoshida's scheme.
double miss_after(const Scene& scene, double time, u64 steps) {
  Bodies b = scene.bodies;
  reference_advance(b, scene.field, Integrator::yoshida4, time / static_cast<double>(steps), steps);
  double worst = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const Bodies& a = scene.bodies;
    worst = std::max(worst, std::hypot(b.x[i] - a.x[i], b.y[i] - a.y[i], b.z[i] - a.z[i]));
    worst = std::max(worst, std::hypot(b.vx[i] - a.vx[i], b.vy[i] - a.vy[i], b.vz[i] - a.vz[i]));
  }
  return worst;
}

void expect_centred(const Bodies& b) {
  for (const double moment : first_moments(b)) EXPECT_NEAR(moment, 0, 1e-15);
}

TEST(Kepler, IsPeriodicWithTwoPi) {
  for (const char* spec : {"kepler", "kepler:e=0", "kepler:e=0.7", "kepler:ratio=0.001", "kepler:e=0.2,ratio=3"}) {
    const Scene s = make_scene(spec);
    ASSERT_EQ(s.bodies.size(), 2u);
    expect_centred(s.bodies);
    EXPECT_NEAR(s.bodies.m[0] + s.bodies.m[1], 1.0, 1e-15);
    EXPECT_LT(miss_after(s, 2 * pi, 8192), 1e-6) << spec;
    EXPECT_GT(miss_after(s, 2 * pi * 1.001, 8192), 1e-3) << spec;
    EXPECT_EQ(s.dt, 2 * pi / 1024);
  }
  EXPECT_LT(miss_after(make_scene("kepler:G=9"), 2 * pi / 3, 8192), 1e-6);
}

TEST(Kepler, StartsAtApocentreWithTheRequestedEccentricity) {
  for (const double e : {0.0, 0.3, 0.5, 0.9}) {
    const Scene s = make_scene("kepler:ratio=0.25,e=" + std::to_string(e));
    const Bodies& b = s.bodies;
    EXPECT_NEAR(b.m[1] / b.m[0], 0.25, 1e-15);
    const double dx = b.x[1] - b.x[0], vy = b.vy[1] - b.vy[0];
    EXPECT_NEAR(dx, 1 + e, 1e-15);
    // Semi-major axis from the energy, eccentricity from the angular momentum.
    const double a = 1 / (2 / dx - vy * vy);
    EXPECT_NEAR(a, 1, 1e-13);
    EXPECT_NEAR(1 - dx * dx * vy * vy / a, e * e, 1e-13);
    EXPECT_EQ(b.vx[0], 0);
  }
}

// Largest relative energy error over an orbit from apocentre, e = 0.5, from independent programs.
TEST(Kepler, ShowsTheKnownErrorsOfTheIntegrators) {
  const Scene s = make_scene("kepler");
  const auto worst_error = [&](Integrator integrator, u64 steps) {
    Bodies b = s.bodies;
    const double e0 = kinetic_of(b) + potential_of(b);
    double worst = 0;
    for (u64 i = 0; i < steps; ++i) {
      reference_advance(b, s.field, integrator, 2 * pi / static_cast<double>(steps), 1);
      worst = std::max(worst, std::abs((kinetic_of(b) + potential_of(b) - e0) / e0));
    }
    return worst;
  };
  EXPECT_NEAR(worst_error(Integrator::kdk, 512), 4.0129e-4, 1e-8);
  EXPECT_NEAR(worst_error(Integrator::kdk, 1024), 1.0038e-4, 1e-8);
  EXPECT_NEAR(worst_error(Integrator::kdk, 2048), 2.5099e-5, 1e-9);
}

TEST(FigureEight, HasItsEnergyAndPeriod) {
  const Scene s = make_scene("figure-8");
  ASSERT_EQ(s.bodies.size(), 3u);
  expect_centred(s.bodies);
  EXPECT_NEAR(kinetic_of(s.bodies) + potential_of(s.bodies), -1.28714199176633, 1e-13);
  EXPECT_LT(miss_after(s, 6.32591398, 8192), 1e-5);
  EXPECT_EQ(s.dt, 6.32591398 / 1024);
  // After a third of a period each body is where the next one was.
  Bodies b = s.bodies;
  reference_advance(b, s.field, Integrator::yoshida4, 6.32591398 / 3 / 4096, 4096);
  double nearest = 1;
  for (std::size_t i = 0; i < 3; ++i) nearest = std::min(nearest, std::hypot(b.x[i], b.y[i]));
  EXPECT_LT(nearest, 1e-5);
}

TEST(Lagrange, HasItsEnergyAndPeriod) {
  const Scene s = make_scene("lagrange");
  ASSERT_EQ(s.bodies.size(), 3u);
  expect_centred(s.bodies);
  EXPECT_NEAR(kinetic_of(s.bodies) + potential_of(s.bodies), -1.5, 1e-14);
  const Bodies& b = s.bodies;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    EXPECT_NEAR(std::hypot(b.x[i] - b.x[j], b.y[i] - b.y[j]), 1.0, 1e-15);
    const double r2 = b.x[i] * b.x[i] + b.y[i] * b.y[i];
    EXPECT_NEAR((b.x[i] * b.vy[i] - b.y[i] * b.vx[i]) / r2, std::sqrt(3.0), 1e-14);
  }
  EXPECT_LT(miss_after(s, 3.62759872846844, 4096), 1e-7);
  EXPECT_EQ(s.dt, 2 * pi / std::sqrt(3.0) / 1024);
  EXPECT_LT(miss_after(make_scene("lagrange:G=4"), 3.62759872846844 / 2, 4096), 1e-7);
}

}  // namespace
}  // namespace tri::test
