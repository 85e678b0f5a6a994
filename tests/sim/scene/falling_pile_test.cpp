/// The falling pile: no overlap at the start, a stable step, and it falls and comes to rest.

#include <algorithm>

#include "sim/backend/backend.hpp"
#include "sim/model/contact_step.hpp"
#include "sim/reference/reference.hpp"
#include "sim/scene/scene.hpp"
#include "sim/simulation.hpp"
#include "tests/support/long_trajectory.hpp"
#include "tests/support/scene_support.hpp"

namespace tri::test {
namespace {

class FallingPile : public testing::TestWithParam<const char*> {};

TEST_P(FallingPile, StartsInsideItsBoxWithAStableStep) {
  const Scene s = make_scene(GetParam());
  check(s.bodies);
  check(s.field);
  const Bodies& b = s.bodies;
  EXPECT_TRUE(reference_collisions(b).empty());
  EXPECT_EQ(reference_forces(b, s.field).potential, 0);
  EXPECT_EQ(kinetic_of(b), 0);
  EXPECT_EQ(contact_step_warning(b, s.field, s.dt), "");
  if (b.size() > 1) {
    EXPECT_NE(contact_step_warning(b, s.field, 100 * s.dt), "");
  }
  EXPECT_LT(s.field.field[1], 0);
  // The top of the last layer; stiffness and step are chosen for a fall from there.
  const double g = -s.field.field[1], top = 1.05 * std::ceil(*std::max_element(b.y.begin(), b.y.end()) / 1.05);
  EXPECT_GE(s.field.box.high[1], 2 * top);
  if (s.field.contact.impulse) {
    EXPECT_NEAR(s.dt * std::sqrt(2 * g * top), 0.1 * 0.25, 1e-12);
  } else {
    EXPECT_NEAR(0.5 * s.field.contact.stiffness * 0.025 * 0.025 / (0.5 * 0.5 * 2 * g * top), 1, 1e-12);
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    EXPECT_TRUE(b.r[i] >= 0.25 && b.r[i] <= 0.5);
    EXPECT_NEAR(b.m[i], 8 * b.r[i] * b.r[i] * b.r[i], 1e-15);
    const double places[] = {b.x[i], b.y[i], b.z[i]};
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_GE(places[a] - b.r[i], s.field.box.low[a]);
      EXPECT_LE(places[a] + b.r[i], s.field.box.high[a]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, FallingPile,
                         testing::Values("falling-pile", "falling-pile:n=1", "falling-pile:n=2",
                                         "falling-pile:n=77,g=9.81", "falling-pile:n=200,response=impulses",
                                         "falling-pile:n=1,response=impulses", "falling-pile:n=300,e=1",
                                         "falling-pile:n=300,e=0.01"));

TEST(FallingPileScene, TheDashpotGivesTheRequestedRestitution) {
  for (const double e : {0.2, 0.5, 1.0}) {
    const Scene s = make_scene("falling-pile:n=50,e=" + std::to_string(e));
    const ContactParams& c = s.field.contact;
    EXPECT_NEAR(e < 1 ? contact_restitution(c.stiffness, 0.5, c.damping) : 1.0, e, 1e-12);
    EXPECT_FALSE(c.impulse);
  }
  EXPECT_TRUE(same_bits(make_scene("falling-pile:n=50").bodies, make_scene("falling-pile:n=50,seed=42").bodies));
  EXPECT_FALSE(same_bits(make_scene("falling-pile:n=50").bodies, make_scene("falling-pile:n=50,seed=1").bodies));
}

TEST(FallingPileScene, FallsAndComesToRest) {
  TRI_LONG_TRAJECTORY();
  const auto backend = make_backend("cpu");
  for (const char* spec : {"falling-pile:n=100", "falling-pile:n=100,response=impulses"}) {
    SCOPED_TRACE(spec);
    Simulation pile(make_scene(spec), *backend, EngineConfig{});
    const double fallen_from = pile.initial().values.centre[1];
    pile.run_until(20);
    const DiagnosticsRow row = pile.diagnostics();
    const double released = row.values.mass * (fallen_from - row.values.centre[1]);
    EXPECT_GT(fallen_from - row.values.centre[1], 0.5);
    // Without friction a few spheres keep rolling: by seed, 1e-4 to 1.3e-3.
    EXPECT_LT(row.values.kinetic, 2e-3 * released);
    const Bodies b = pile.bodies();
    double pressed = 0;
    for (const auto& [i, j] : reference_collisions(b)) {
      pressed = std::max(pressed, b.r[i] + b.r[j] - std::hypot(b.x[i] - b.x[j], b.y[i] - b.y[j], b.z[i] - b.z[j]));
    }
    EXPECT_GT(pressed, 0) << "spheres do not rest on each other";
    EXPECT_LT(pressed, 0.05);
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_GT(b.y[i], b.r[i] - 0.05);
  }
}

}  // namespace
}  // namespace tri::test
