// The path that is drawn while a body is placed: closed forms of Kepler, the path that the simulation then takes, and
// bounds of its work.

#include "app/views/predicted_path.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sim/base/clock.hpp"
#include "sim/simulation.hpp"

namespace tri::app {
namespace {

using Vec = std::array<double, 3>;

ForceField gravity(double G = 1, double softening = 0) {
  ForceField field;
  field.pair = PairLaw::gravity;
  field.gravity.G = G, field.gravity.softening = softening;
  return field;
}

double distance(const Vec& a, const Vec& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

/// Place on an ellipse about the origin at this time since the pericentre.
Vec kepler_place(double a, double e, double mu, double time) {
  const double mean = std::sqrt(mu / (a * a * a)) * time;
  double E = mean;
  for (int k = 0; k < 50; ++k) E -= (E - e * std::sin(E) - mean) / (1 - e * std::cos(E));
  return {a * (std::cos(E) - e), a * std::sqrt(1 - e * e) * std::sin(E), 0};
}

TEST(PredictedPath, IsKeplersEllipse) {
  for (const double e : {0.0, 0.3, 0.7}) {
    const double G = 0.7, M = 3, a = 2, m = 1e-12, mu = G * (M + m);
    Bodies sun;
    sun.add(0, 0, 0, 0, 0, 0, M);
    const double period = 2 * std::numbers::pi * std::sqrt(a * a * a / mu);
    const PathStart start{{a * (1 - e), 0, 0}, {0, std::sqrt(mu / a * (1 + e) / (1 - e)), 0}, m};
    const PredictedPath path = predicted_path(path_field(sun, gravity(G)), start, {.time = period, .seconds = 10});
    ASSERT_GT(path.places.size(), 100u);
    EXPECT_NEAR(path.times.back(), period, 1e-9 * period);
    for (std::size_t k = 0; k < path.places.size(); ++k) {
      EXPECT_LT(distance(path.places[k], kepler_place(a, e, mu, path.times[k])), 4e-3 * a)
          << "e = " << e << " at " << k;
    }
  }
}

TEST(PredictedPath, IsTheWayThatTheSimulationTakes) {
  Bodies bodies;
  bodies.add(1, 0, 0, 0, 0.5, 0.1, 1), bodies.add(-1, 0.3, 0, 0, -0.5, 0, 1.5), bodies.add(0, 2, -1, 0.3, 0, 0, 0.5);
  const PathStart start{{3, 1, 0.5}, {-0.2, 0.4, 0}, 0.8};
  const PathField field = path_field(bodies, gravity(1, 0.05));
  EXPECT_TRUE(field.moves);
  const PredictedPath path = predicted_path(field, start, {.time = 4, .seconds = 10});
  Scene scene;
  scene.bodies = bodies;
  scene.bodies.add(3, 1, 0.5, -0.2, 0.4, 0, 0.8);
  scene.field = gravity(1, 0.05), scene.dt = 0.0005;
  EngineConfig config;
  config.precision = Precision::fp64;
  const auto backend = make_backend("cpu");
  Simulation run(scene, *backend, config);
  std::size_t k = 0;
  for (u64 step = 1; step <= 8000; ++step) {
    run.advance(1);
    while (k + 1 < path.times.size() && path.times[k + 1] <= run.time()) ++k;
    if (step % 400 != 0 || k + 1 >= path.times.size()) continue;
    const Bodies now = run.bodies();
    const double share = (run.time() - path.times[k]) / (path.times[k + 1] - path.times[k]);
    Vec at;
    for (std::size_t a = 0; a < 3; ++a) at[a] = (1 - share) * path.places[k][a] + share * path.places[k + 1][a];
    EXPECT_LT(distance(at, {now.x[3], now.y[3], now.z[3]}), 0.01) << "at t = " << run.time();
  }
}

TEST(PredictedPath, FallsInAUniformFieldAndEndsAtWalls) {
  ForceField field;
  field.pair = PairLaw::contact;
  field.field = {0, 0, -2};
  field.box = {{-1, -1, -1}, {1, 1, 1}, Boundary::reflecting};
  Bodies one;
  one.add(0, 0, 0, 0, 0, 0, 1, 0.1);
  const PredictedPath path = predicted_path(path_field(one, field), {{0.5, 0, 0.5}, {0.1, 0, 0}, 1}, {.time = 10});
  for (std::size_t k = 0; k < path.places.size(); ++k) {
    const double t = path.times[k];
    EXPECT_LT(distance(path.places[k], {0.5 + 0.1 * t, 0, 0.5 - t * t}), 1e-9);
  }
  EXPECT_LT(path.times.back(), std::sqrt(1.5));
  EXPECT_NE(path_field(one, field).text().find("without the other bodies"), std::string::npos);
}

TEST(PredictedPath, ManyBodiesAreHeldStillAndSampled) {
  for (const std::size_t n : {64u, 65u, 1024u, 1025u, 100001u}) {
    Bodies b;
    for (std::size_t i = 0; i < n; ++i) {
      const double t = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
      b.add(std::cos(t), std::sin(t), 0, 0, 0, 0, 1.0 / static_cast<double>(n));
    }
    const PathField field = path_field(b, gravity());
    EXPECT_EQ(field.moves, n <= PathField::kMoving);
    EXPECT_LE(field.sources.size(), PathField::kStill);
    double mass = 0;
    for (const auto& s : field.sources) mass += s.mass;
    EXPECT_NEAR(mass, 1, 1e-9);
    EXPECT_EQ(field.text().find("held still") != std::string::npos, n > PathField::kMoving) << field.text();
    const double r = 50;  // a ring is a point from there
    const PathStart start{{r, 0, 0}, {0, std::sqrt(1 / r), 0}, 1e-9};
    const double begin = clock_s();
    const PredictedPath path = predicted_path(field, start, {.time = 600, .seconds = 0.003});
    EXPECT_LT(clock_s() - begin, 0.05) << "bounded";
    if (field.moves) continue;  // a ring that falls together
    for (const Vec& p : path.places) EXPECT_NEAR(std::hypot(p[0], p[1]), r, 0.01 * r);
  }
}

TEST(PredictedPath, AThrownBodyIsNotItsOwnSource) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 1), b.add(1, 0, 0, 0, 1, 0, 1);
  EXPECT_EQ(path_field(b, gravity(), 1).sources.size(), 1u);
  const PredictedPath path = predicted_path(path_field(b, gravity(), 1), {{1, 0, 0}, {0, 0, 0}, 1}, {.time = 0.1});
  EXPECT_LT(path.places.back()[0], 1);
}

}  // namespace
}  // namespace tri::app
