/// Steps of automatic length in a session.

#include <gtest/gtest.h>

#include "app/session/session_text.hpp"
#include "sim/laws/typed_text.hpp"
#include "tests/app/session/session_support.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app {
namespace {

TEST(SessionSteps, AutomaticStepsAreChosenShownAndUndone) {
  Session s(cpu(), {"plummer:n=20"}, {});
  s.apply(ask::AutoStep{0.05});
  EXPECT_EQ(s.model().scene.eta, 0) << "float32 has none";
  test::expect_parts(s.model().notices.back().text, {"--precision fp64"});
  Session t(cpu(), {"plummer:n=20,eps=0"}, {});
  EXPECT_EQ(t.model().engine.precision, Precision::fp64) << "the scene's own";
  EXPECT_EQ(t.model().scene.integrator, Integrator::hermite);
  EXPECT_GT(t.model().scene.eta, 0);
  steps(t, 5);
  EXPECT_GT(t.model().last_step, 0);
  const double reached = t.model().time;
  EXPECT_GT(reached, t.model().last_step);
  t.apply(ask::TimeStep{0.001});
  EXPECT_EQ(t.model().scene.eta, 0);
  steps(t, 1);
  EXPECT_EQ(t.model().time, reached + 0.001);
  t.apply(ask::Undo{});
  EXPECT_GT(t.model().scene.eta, 0);
}

TEST(SessionSteps, SessionTextKeepsTheKindOfSteps) {
  Session s(cpu(), {"plummer:n=20,eps=0"}, {});
  const auto restored = [&] {
    Session other(cpu(), {"gas:n=20"}, {});
    other.apply(session_requests(session_text(s.model())));
    return session_text(other.model());
  };
  s.apply(ask::AutoStep{0.003});
  EXPECT_EQ(restored(), session_text(s.model()));
  s.apply(Requests{ask::TimeStep{0.001}, ask::Scheme{Integrator::yoshida4}});
  ForceField springs = s.model().scene.field;
  springs.pair = PairLaw::contact;
  s.apply(ask::Field{springs});
  EXPECT_EQ(s.model().scene.field.pair, PairLaw::contact);
  EXPECT_EQ(restored(), session_text(s.model()));
  ForceField typed = springs;
  set_pair_law(typed, "energy = -G*mi*mj/\n r\nG = 1; softening = 0.1");
  typed.typed_pair.values[0] = 1 / 3.0;
  s.apply(ask::Field{typed});
  EXPECT_EQ(s.model().scene.field.pair, PairLaw::typed);
  EXPECT_EQ(restored(), session_text(s.model()));
  EXPECT_NE(restored().find("0.3333333333333333; softening = 0.1"), std::string::npos) << restored();
}

TEST(SessionSteps, MotionThatFloat32LosesIsTold) {
  Session s(cpu(), {"kepler:e=0,dt=1e-8"}, {});
  EXPECT_EQ(s.model().engine.precision, Precision::fp64);
  test::expect_parts(s.model().notices.back().text, {"in a time step", "so the run is in float64"});
  EngineOverrides asked;
  asked.precision = Precision::fp32;
  Session t(cpu(), {"kepler:e=0,dt=1e-8"}, asked);
  EXPECT_EQ(t.model().engine.precision, Precision::fp32);
  test::expect_parts(t.model().notices.back().text, {"this motion is lost. Use --precision fp64."});
  // On the way: a step that becomes too short.
  Session u(cpu(), {"kepler:e=0"}, asked);
  steps(u, 2);
  u.diagnose(1);
  EXPECT_TRUE(u.model().notices.empty());
  u.apply(ask::TimeStep{1e-9});
  test::expect_parts(u.model().notices.back().text, {"in a time step", "this motion is lost"});
  const std::size_t said = u.model().notices.size();
  steps(u, 2);
  u.diagnose(100);
  EXPECT_EQ(u.model().notices.size(), said) << "once";
  // By hand: a body that comes to where its motion is lost.
  u.apply(ask::TimeStep{1e-3});
  u.apply(ask::ChangeBody{0, {.place = {{1e7, 0, 0}}}});
  test::expect_parts(u.model().notices.back().text, {"1e+07", "this motion is lost. Use --precision fp64."});
}

TEST(SessionSteps, OneUndoTakesADragBack) {
  Session s(cpu(), {"plummer:n=20,eps=0"}, {});
  ForceField field = s.model().scene.field;
  const double first = field.gravity.G;
  for (const double G : {1.5, 2.0, 2.5}) {
    field.gravity.G = G;
    s.apply(ask::Field{field, G > 1.5});
    EXPECT_EQ(s.model().scene.field.gravity.G, G);
  }
  field.gravity.G = 7;
  s.apply(ask::Field{field});
  EXPECT_EQ(s.model().undoable, 2u);
  s.apply(ask::Undo{});
  EXPECT_EQ(s.model().scene.field.gravity.G, 2.5);
  s.apply(ask::Undo{});
  EXPECT_EQ(s.model().scene.field.gravity.G, first);
}

}  // namespace
}  // namespace tri::app
