// What panes show, as data: surveys, sketches of laws, predicted paths, automata.
//
// Distributions of bodies: closed forms, every body in one bin, and the session's way to them.

#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "app/session/automata.hpp"
#include "app/session/sketches.hpp"
#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/scene/scene.hpp"
#include "sim/simulation.hpp"
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

// What the editor of laws shows: curves against closed forms, ranges, and the place of an error.

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

/// The force of -1/r^1.5 began somewhere within the plot, whose axis went on to -30.
TEST(LawSketch, BothCurvesAreDrawnUntilTheyLeaveTheirPlot) {
  for (const char* text : {"-1/r^1.5", "-1/r", "1/r^2", "4*(1/r^12 - 1/r^6)", "exp(-2*r)/r"}) {
    const LawSketch sketch = sketch_law(text, Over::pairs);
    ASSERT_TRUE(sketch.law) << sketch.error;
    const expression::LawCurves curves = sketch_curves(sketch.law, usual_range(sketch.law), 400);
    double lowest = 0, highest = 0;
    for (const auto* curve : {&curves.energy, &curves.force}) {
      for (const double v : *curve) {
        if (std::isfinite(v)) lowest = std::min(lowest, v), highest = std::max(highest, v);
      }
    }
    for (const auto* curve : {&curves.energy, &curves.force}) {
      const auto first = std::find_if(curve->begin(), curve->end(), [](double v) { return std::isfinite(v); });
      ASSERT_LT(first - curve->begin(), 200) << text;
      if (first == curve->begin()) continue;
      EXPECT_GT(*first < 0 ? *first / lowest : *first / highest, 0.8) << text << " begins at " << *first;
    }
  }
}

/// Of Yukawa's law the plot had the tail alone, where it is a hundredth of what it is at its length.
TEST(LawSketch, AFallingLawIsShownWhereItFalls) {
  struct Falling {
    const char* text;
    double at;  ///< where its shape is
  };
  for (const auto& [text, at] : {Falling{"A*exp(-k*r)/r; A = 1; k = 2", 0.5},
                                 {"exp(-20*r)/r", 0.05},
                                 {"exp(-r^2)", 1},
                                 {"1/r^12", 1},
                                 {"1/r^4", 1},
                                 {"1/r", 1}}) {
    const LawSketch sketch = sketch_law(text, Over::pairs);
    ASSERT_TRUE(sketch.law) << sketch.error;
    const LawRange range = usual_range(sketch.law);
    EXPECT_LT(range.from, at) << text;
    EXPECT_GT(range.to, at) << text;
    const expression::LawCurves curves = sketch_curves(sketch.law, range, 400);
    double highest = 0;
    for (const double e : curves.energy) highest = std::isfinite(e) ? std::max(highest, e) : highest;
    const double there = expression::point_at(sketch.law, at).energy;
    EXPECT_GE(highest, 0.99 * there) << text;
    EXPECT_LT(curves.energy.back(), 0.4 * there) << text;
  }
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

// The path that is drawn while a body is placed: closed forms of Kepler, the path that the simulation then takes, and
// bounds of its work.

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
    EXPECT_LT(clock_s() - begin, 1) << "bounded";
    if (field.moves) continue;  // a ring that falls together
    for (const Vec& p : path.places) EXPECT_NEAR(std::hypot(p[0], p[1]), r, 0.01 * r);
  }
}

TEST(PredictedPath, AThrownBodyIsNotItsOwnSource) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 1), b.add(1, 0, 0, 0, 1, 0, 1);
  EXPECT_EQ(path_field(b, gravity(), {1}).sources.size(), 1u);
  const PredictedPath path = predicted_path(path_field(b, gravity(), {1}), {{1, 0, 0}, {0, 0, 0}, 1}, {.time = 0.1});
  EXPECT_LT(path.places.back()[0], 1);
}

/// A star and planets in a plane through (0, 0, 1), turned about x by an angle with the cosine 0.8.
Bodies planets() {
  Bodies b;
  b.add(0, 0, 1, 0.1, 0, 0, 1);
  for (const auto& [r, angle] : {std::pair{1.0, 0.3}, {2.0, 2.1}, {5.0, 4.0}}) {
    const double x = r * std::cos(angle), y = r * std::sin(angle), v = 1 / std::sqrt(r);
    const double vx = -v * std::sin(angle), vy = v * std::cos(angle);
    b.add(x, 0.8 * y, 1 + 0.6 * y, 0.1 + vx, 0.8 * vy, 0.6 * vy, 1e-6);
  }
  return b;
}

TEST(OrbitPlane, IsThatOfThePlanetsAndNoneFillsSpace) {
  const auto plane = orbit_plane(planets());
  ASSERT_TRUE(plane);
  EXPECT_LT(distance(plane->normal, {0, -0.6, 0.8}), 1e-9);
  EXPECT_LT(distance(plane->centre, {0, 0, 1}), 1e-4);
  EXPECT_FALSE(orbit_plane(make_scene("plummer:n=200").bodies));
  EXPECT_TRUE(orbit_plane(make_scene("solar-system").bodies));
  Bodies rest;
  rest.add(0, 0, 0, 0, 0, 0, 1), rest.add(1, 0, 0, 0, 0, 0, 1);
  EXPECT_FALSE(orbit_plane(rest)) << "nothing turns";
}

TEST(CircularOrbit, KeepsItsDistanceInThePlaneOfTheOthers) {
  const Bodies b = planets();
  const Vec place{0, 0.8 * 3, 1 + 0.6 * 3}, v = circular_velocity(b, gravity(), place, 1e-6, std::nullopt);
  EXPECT_LT(distance(v, {0.1 - 1 / std::sqrt(3.0), 0, 0}), 1e-5) << "the way of the others, with their star";
  const PredictedPath path = predicted_path(path_field(b, gravity()), {place, v, 1e-6}, {.time = 30, .seconds = 10});
  for (std::size_t k = 0; k < path.places.size(); ++k) {
    EXPECT_NEAR(distance(path.places[k], {0.1 * path.times[k], 0, 1}), 3, 0.02);
  }
  // Nobody holds half of the mass: about the centre of mass, by the pull of all.
  Bodies four;
  for (const double s : {-1.0, 1.0}) four.add(s, 0, 0, 0, s, 0, 1), four.add(0, s, 0, -s, 0, 0, 1);
  const Vec u = circular_velocity(four, gravity(), {10, 0, 0}, 1e-9, std::nullopt);
  EXPECT_NEAR(u[1], std::sqrt(10 * (1 / 81.0 + 1 / 121.0 + 20 / std::pow(101, 1.5))), 1e-9);
  EXPECT_EQ(circular_velocity(b, gravity(), {1, 2, 3}, 1, 2),
            circular_velocity(only(b, {0, 1, 3}), gravity(), {1, 2, 3}, 1, {}));
  EXPECT_THROW(circular_velocity(b, gravity(), {0, 0, 1}, 1, std::nullopt), ConfigError) << "in the star";
  ForceField contact;
  contact.pair = PairLaw::contact;
  EXPECT_THROW(circular_velocity(b, contact, place, 1, std::nullopt), ConfigError);
}

// Pictures of automata against plain means over the square, and the automaton behind the view.

/// The mean over the cells of a texel, cell by cell.
float plain_mean(const AutomatonSpec& spec, const std::vector<u8>& cells, u32 col, u32 row, u32 step) {
  const FractalShape& shape = spec.fractal.shape;
  const u32 n = static_cast<u32>(power_of(shape.scale(), spec.levels));
  const u64 width = packed_width(shape.replicas(), spec.levels);
  u64 on = 0, count = 0;
  for (u32 z = 0; z < (shape.dimensions() == 3 ? n : 1); ++z) {
    for (u32 y = row; y < std::min(row + step, n); ++y) {
      for (u32 x = col; x < std::min(col + step, n); ++x) {
        if (!shape.holds({x, y, z}, spec.levels)) continue;
        const PackedCell at = shape.pack({x, y, z}, spec.levels);
        on += cells[at.x + at.y * width];
        ++count;
      }
    }
  }
  return count == 0 ? NAN : static_cast<float>(static_cast<double>(on) / static_cast<double>(count));
}

TEST(FractalPicture, EveryTexelIsTheMeanOfItsCells) {
  for (const auto& [name, levels] : {std::pair{"gasket", 7u}, std::pair{"gasket", 6u}, std::pair{"carpet", 3u},
                                     std::pair{"vicsek", 4u}, std::pair{"gasket-3d", 4u}, std::pair{"gasket", 0u}}) {
    AutomatonSpec spec;
    spec.fractal = open_fractal(name);
    spec.levels = levels;
    const std::vector<u8> cells = initial_cells(spec);
    FractalPicture picture(spec.fractal.shape, levels);
    picture.update(cells);
    EXPECT_EQ(picture.on(), static_cast<u64>(std::count(cells.begin(), cells.end(), 1)));
    SplitMix64 random{5};
    for (u32 trial = 0; trial < 40; ++trial) {
      const u32 step = 1u << static_cast<u32>(random.uniform() * 5), n = picture.side();
      const u32 col = static_cast<u32>(random.uniform() * n) / step * step;
      const u32 row = static_cast<u32>(random.uniform() * n) / step * step;
      const u32 cols = 1 + static_cast<u32>(random.uniform() * 9), rows = 1 + static_cast<u32>(random.uniform() * 9);
      std::vector<float> out(cols * rows);
      picture.read(col, row, cols, rows, step, out);
      for (u32 j = 0; j < rows; ++j) {
        for (u32 i = 0; i < cols; ++i) {
          const float wanted = plain_mean(spec, cells, col + i * step, row + j * step, step);
          const float got = out[j * cols + i];
          ASSERT_TRUE((std::isnan(wanted) && std::isnan(got)) || wanted == got)
              << name << " step " << step << ": " << got << " for " << wanted;
        }
      }
    }
  }
}

FractalWorld::MakeBackend cpu_maker() {
  return [] { return make_backend("cpu"); };
}

TEST(FractalWorld, RunsAndAppliesRequests) {
  FractalWorld world(cpu_maker());
  FractalChoice choice;
  choice.scene = "gasket:r=6,rule=B2/S12,seed=3";
  choice.running = false;
  world.apply(choice);
  ASSERT_NE(world.automaton(), nullptr);
  EXPECT_EQ(choice.error, "");
  choice.pending_steps = 5;
  world.advance(choice, 1, 0);
  EXPECT_EQ(choice.steps, 5u);
  const auto alone = make_backend("cpu")->make_automaton(automaton_from(choice.scene));
  alone->step(5);
  EXPECT_EQ(world.hash(), cells_hash(alone->read()));
  const std::vector<u8> state = alone->read();
  EXPECT_EQ(world.picture().on(), static_cast<u64>(std::count(state.begin(), state.end(), 1)));

  choice.work = {GasketMapId::bb, GasketPlacement::unroll, 8, 0};
  world.apply(choice);
  EXPECT_EQ(world.automaton()->spec().work.map, GasketMapId::bb) << "switched in flight";
  EXPECT_EQ(world.hash(), cells_hash(state)) << "the state is kept";
  choice.pending_steps = 1;
  world.advance(choice, 0, 0);
  alone->step(1);
  EXPECT_EQ(world.hash(), cells_hash(alone->read()));

  choice.work.block = 3;
  world.apply(choice);
  EXPECT_NE(choice.error.find("power of 2"), std::string::npos) << choice.error;
  EXPECT_EQ(world.automaton()->spec().work.block, 8u);
  choice.scene = "gaskt:r=6";
  world.apply(choice);
  EXPECT_NE(choice.error, "");
  EXPECT_EQ(world.hash(), cells_hash(alone->read())) << "a rejected request changes nothing";
  choice.scene = "carpet:r=3";
  choice.work.block = 0;
  world.apply(choice);
  EXPECT_EQ(choice.error, "");
  EXPECT_EQ(world.automaton()->spec().fractal.name, "carpet");
  EXPECT_EQ(choice.steps, 0u);
}

TEST(FractalWorld, StepsAtTheRequestedRateWithinTheFrameBudget) {
  FractalWorld world(cpu_maker());
  FractalChoice choice;
  choice.scene = "gasket:r=5";
  choice.speed = 50;
  world.apply(choice);
  for (u32 frame = 0; frame < 20; ++frame) world.advance(choice, 0.05, 10);
  EXPECT_NEAR(static_cast<double>(choice.steps), 50, 1);
  choice.speed = 1e9;
  const u64 before = choice.steps;
  world.advance(choice, 0.05, 0);
  EXPECT_EQ(choice.steps, before + 1) << "one at least; the rest does not fit";
}

TEST(AutomatonText, KeysAndErrors) {
  const AutomatonSpec spec =
      automaton_from("vicsek:r=4,rule=B1/S,density=0.5,seed=9,storage=embedded,placement=unroll");
  EXPECT_EQ(spec.fractal.name, "vicsek");
  EXPECT_EQ(spec.levels, 4u);
  EXPECT_EQ(spec.rule.birth, 2u);
  EXPECT_EQ(spec.density, 0.5);
  EXPECT_EQ(spec.seed, 9u);
  EXPECT_EQ(spec.storage, CellStorage::embedded);
  EXPECT_EQ(spec.work.placement, GasketPlacement::unroll);
  EXPECT_EQ(automaton_from("gasket").levels, 10u);
  EXPECT_TRUE(names_automaton("gasket-3d:r=2"));
  EXPECT_TRUE(names_automaton("fractal:file=a.toml"));
  EXPECT_FALSE(names_automaton("plummer:n=3"));
  for (const char* bad : {"gasket:r", "gasket:=3", "gasket:r=3,r=4", "gasket:levels=3", "gasket:r=x", "gasket:r=-1",
                          "gasket:density=x", "gasket:rule=3", "gasket:storage=full", "gasket:file=a.toml", "fractal",
                          "fractal:r=3", "fractal:file=gasket", "gasket:seed=1.5", "gasket:r=3,"}) {
    EXPECT_THROW(automaton_from(bad), ConfigError) << bad;
  }
}

// The automaton on the triangle against a plain one, on every map; and the errors that a wrong map leaves visible.

using Plain = std::map<std::pair<int, int>, bool>;

Plain plain_of(const TriangleAutomaton& a) {
  Plain p;
  const int n = static_cast<int>(a.side());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const u8 v = a.cells()[static_cast<std::size_t>(i * n + j)];
      EXPECT_EQ(v == TriangleAutomaton::kOutside, j > i);
      if (j <= i) p[{i, j}] = v == TriangleAutomaton::kAlive;
    }
  }
  return p;
}

Plain plain_step(const Plain& before, const LifeRule& rule) {
  Plain after;
  for (const auto& [cell, alive] : before) {
    u32 living = 0;
    for (int di = -1; di <= 1; ++di) {
      for (int dj = -1; dj <= 1; ++dj) {
        const auto at = before.find({cell.first + di, cell.second + dj});
        if ((di != 0 || dj != 0) && at != before.end() && at->second) ++living;
      }
    }
    after[cell] = ((alive ? rule.survive : rule.birth) >> living & 1u) != 0;
  }
  return after;
}

TEST(TriangleAutomaton, EveryMapGivesTheCellsOfThePlainOne) {
  for (const char* name : {"B3/S23", "B1357/S1357", "B2/S"}) {
    const LifeRule rule = triangle_rule_from(name);
    for (const auto& [side, tiles] : {std::pair{8u, 8u}, {37u, 12u}, {50u, 1u}, {64u, 64u}}) {
      const TriangleAutomaton start(side, rule, 5);
      Plain plain = plain_of(start);
      for (int k = 0; k < 5; ++k) plain = plain_step(plain, rule);
      for (u32 id = 0; id < kTriangleMapCount; ++id) {
        TriangleAutomaton a = start;
        const MapTrace picture = trace_map(static_cast<TriangleMapId>(id), tiles);
        for (int k = 0; k < 5; ++k) a.step(picture);
        ASSERT_EQ(plain_of(a), plain) << info(static_cast<TriangleMapId>(id)).name << " " << side << " " << tiles;
        ASSERT_EQ(a.wrong(), 0u);
        ASSERT_EQ(a.generation(), 5u);
        ASSERT_EQ(static_cast<long>(a.alive()),
                  std::count_if(plain.begin(), plain.end(), [](auto& c) { return c.second; }));
      }
    }
  }
}

TEST(TriangleAutomaton, AMissingOrRepeatedTileShows) {
  const TriangleAutomaton start(40, {}, 9);
  const MapTrace right = trace_map(TriangleMapId::lambda, 5);
  for (const bool twice : {false, true}) {
    MapTrace wrong = right;
    const TraceTile odd = wrong.tiles[4];  // one off the diagonal has 64 cells, one on it 36
    twice ? wrong.tiles.push_back(odd) : void(wrong.tiles.erase(wrong.tiles.begin() + 4));
    TriangleAutomaton a = start;
    a.step(wrong);
    EXPECT_EQ(a.wrong(), odd.diagonal ? 36u : 64u);
    EXPECT_EQ(a.cells()[odd.y * 8 * 40 + odd.x * 8], TriangleAutomaton::kWrong);
    a.step(right);
    EXPECT_EQ(a.wrong(), 0u) << "still the previous generation";
  }
}

TEST(TriangleAutomaton, AGliderMovesDownTheTriangle) {
  TriangleAutomaton a(48, {}, 1);
  for (u32 i = 0; i < 48; ++i) {
    for (u32 j = 0; j <= i; ++j) a.set(i, j, false);
  }
  // .#. / ..# / ### moves one cell right and down in four generations.
  for (const auto& [i, j] : {std::pair{20u, 6u}, {21u, 7u}, {22u, 5u}, {22u, 6u}, {22u, 7u}}) a.set(i, j, true);
  const MapTrace tiles = trace_map(TriangleMapId::h, 6);
  for (int k = 0; k < 40; ++k) a.step(tiles);
  EXPECT_EQ(a.alive(), 5u);
  for (const auto& [i, j] : {std::pair{30u, 16u}, {31u, 17u}, {32u, 15u}, {32u, 16u}, {32u, 17u}}) {
    EXPECT_EQ(a.cells()[i * 48 + j], TriangleAutomaton::kAlive) << i << " " << j;
  }
}

TEST(TriangleAutomaton, ASeedGivesTheSameCellsEverywhere) {
  const TriangleAutomaton a(200, {}, 1), b(200, {}, 1), c(200, {}, 2);
  EXPECT_TRUE(std::ranges::equal(a.cells(), b.cells()));
  EXPECT_FALSE(std::ranges::equal(a.cells(), c.cells()));
  EXPECT_NEAR(static_cast<double>(a.alive()) / (200 * 201 / 2), 0.3, 0.02);
}

TEST(TriangleAutomaton, RulesRoundTrip) {
  EXPECT_EQ(triangle_rule_from("B3/S23"), LifeRule{});
  for (const char* text : {"B3/S23", "B/S", "B0/S8", "B012345678/S012345678", "B2/S"}) {
    EXPECT_EQ(to_string(triangle_rule_from(text)), text);
  }
  for (const char* text :
       {"", "B3", "3/23", "B3S23", "B9/S23", "B3/S2.10", "B3/S2x", "S23/B3", "b3/s23", "B3/", "/S3"}) {
    EXPECT_THROW(triangle_rule_from(text), ConfigError) << text;
  }
}

}  // namespace
}  // namespace tri::app
