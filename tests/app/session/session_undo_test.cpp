// Undo: changes one by one, and the state before a reset.

#include <gtest/gtest.h>

#include <vector>

#include "app/session/session.hpp"
#include "app/session/session_text.hpp"
#include "tests/app/session/session_support.hpp"

namespace tri::app {
namespace {

TEST(Session, UndoRevertsChangesOneByOne) {
  Session s(cpu(), {"plummer:n=64"}, {});
  std::vector<std::string> texts{session_text(s.model())};
  ForceField field = s.model().scene.field;
  field.gravity.softening = 0.5;
  for (const Request& r : Requests{ask::TimeStep{0.25}, ask::Field{field}, ask::Scheme{Integrator::yoshida4},
                                   ask::PairMap{TriangleMapId::fold}, ask::Blocks{32, 0},
                                   ask::Sums{Accumulate::ordered}, ask::Accuracy{Arithmetic::float32, Tolerance::loose},
                                   ask::Contacts{BroadPhase::all_pairs}, ask::Reverse{}}) {
    s.apply(r);
    texts.push_back(session_text(s.model()));
    EXPECT_NE(texts.back(), texts[texts.size() - 2]);
  }
  EXPECT_NE(texts.back().find("arithmetic = float32\ntolerance = 2e-6\n"), std::string::npos) << texts.back();
  Session other(cpu(), {"merger"}, {});
  other.apply(session_requests(texts.back()));
  EXPECT_EQ(session_text(other.model()), texts.back());
  while (s.model().undoable > 0) {
    texts.pop_back();
    s.apply(ask::Undo{});
    EXPECT_EQ(session_text(s.model()), texts.back());
  }
  EXPECT_EQ(texts.size(), 1u);
}

TEST(Session, UndoBringsBackTheStateBeforeAReset) {
  for (const bool changed : {false, true}) {
    Session s(cpu(), {"plummer:n=64"}, {});
    s.apply(ask::Take{20});
    s.advance(1e9);
    if (changed) s.apply(ask::TimeStep{0.001});  // half-way, so that the clock is not steps * dt
    s.apply(ask::Take{20});
    s.advance(1e9);
    s.diagnose(1e9);
    const u64 hash = hash_of(s);
    const double time = s.model().time;
    const std::size_t undoable = s.model().undoable, rows = s.model().diagnostics.size();
    s.apply(ask::Reset{});
    EXPECT_EQ(s.model().steps, 0u);
    s.apply(ask::Reset{});  // changes nothing, and is no step of undo
    s.apply(ask::PairMap{TriangleMapId::fold});
    s.apply(ask::Undo{});
    EXPECT_EQ(s.model().steps, 0u);
    s.apply(ask::Undo{});
    EXPECT_EQ(s.model().steps, 40u);
    EXPECT_EQ(s.model().time, time);
    EXPECT_EQ(hash_of(s), hash);
    EXPECT_EQ(s.model().diagnostics.size(), rows);
    EXPECT_EQ(s.model().undoable, undoable);
    s.apply(ask::Take{10});
    s.advance(1e9);
    Session other(cpu(), {"plummer:n=64"}, {});
    other.apply(ask::Take{20});
    other.advance(1e9);
    if (changed) other.apply(ask::TimeStep{0.001});
    other.apply(ask::Take{30});
    other.advance(1e9);
    EXPECT_EQ(hash_of(s), hash_of(other)) << "the run goes on as if it had not been reset";
    EXPECT_EQ(s.model().time, other.model().time);
  }
}

}  // namespace
}  // namespace tri::app
