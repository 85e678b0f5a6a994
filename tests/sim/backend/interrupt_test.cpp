// Steps and energies that a progress sink ends, as Ctrl-C does: whole or not at all.

#include <algorithm>

#include "sim/base/progress.hpp"
#include "tests/sim/backend/cases.hpp"

namespace tri::test {
namespace {

/// Ends the work at its report number `last`.
class EndingSink final : public ProgressSink {
 public:
  explicit EndingSink(u32 last) : last_(last) {}
  void report(const ProgressReport&) override {
    if (++reports == last_) throw InterruptedError("enough");
  }
  u32 reports = 0;

 private:
  u32 last_;
};

struct InterruptedCase {
  std::string name;
  Bodies bodies;
  ForceField field;
  Precision precision = Precision::fp64;
  BroadPhase broad_phase = BroadPhase::automatic;
};

class Interrupted : public BackendTest {
 protected:
  std::unique_ptr<tri::Engine> engine(const InterruptedCase& c) const {
    EngineConfig config;
    config.precision = c.precision, config.accumulate = Accumulate::ordered, config.threads = 2;
    config.broad_phase = c.broad_phase;
    config.pair_block = cuda() || c.field.pair == PairLaw::contact ? 128 : 8;
    constexpr std::size_t kMany = 4096;  // on a device ordered sums of so many take wide tiles
    if (cuda() && c.bodies.size() > kMany) config.pair_block = 0;
    config.triple_block = cuda() ? 32 : 4;
    config.slice_ms = 1e-6;  // on a device: many launches, as in long steps
    return backend().make_engine(c.bodies, c.field, config);
  }
};
TRI_ON_EVERY_BACKEND(Interrupted);

std::vector<InterruptedCase> interrupted_cases() {
  Bodies rested = cloud_bodies(1000);
  rested.rest.assign(3000, 1e-20);
  return {{"gravity", rested, gravity_field()},
          {"gravity in fp32", cloud_bodies(1000), gravity_field(), Precision::fp32},
          {"triples", lattice_bodies(200), triple_field()},
          {"contacts of all pairs", cloud_bodies(1000), contact_field(), Precision::fp32, BroadPhase::all_pairs}};
}

/// Takes steps, ended at report 1, 2, 5, ... until one comes through. Returns how many were ended.
template <class Take>
u32 ended_steps(const std::string& what, tri::Engine& engine, const Take& take) {
  const u64 before = engine.state_hash();
  const std::vector<double> rest = engine.read().rest;
  u32 ended = 0;
  for (u32 last = 1;; last += last / 2 + 1) {
    EndingSink sink(last);
    const ScopedProgressSink watching(sink);
    const ScopedTask named("a step");
    try {
      take();
      EXPECT_LT(sink.reports, last) << what;
      return ended;
    } catch (const InterruptedError&) {
    }
    ++ended;
    EXPECT_EQ(engine.state_hash(), before) << what << ", report " << last;
    EXPECT_EQ(engine.read().rest, rest) << what << ", report " << last;
  }
}

// Wherever in a step it is ended, the state is that before, and the step that is taken then is the same.
TEST_P(Interrupted, StepsAreWholeOrNotTaken) {
  for (const InterruptedCase& c : interrupted_cases()) {
    for (const Integrator integrator : {Integrator::kdk, Integrator::yoshida4, Integrator::hermite}) {
      if (!scheme_refusal(c.field, integrator, 0, c.precision).empty()) continue;
      const std::string what = c.name + " by " + to_string(integrator);
      const auto cut = engine(c), whole = engine(c);
      whole->advance(integrator, 1e-3, 2);
      whole->advance(integrator, 1e-3, 1);
      const u32 ended = ended_steps(what, *cut, [&] { cut->advance(integrator, 1e-3, 2); });
      EXPECT_GE(ended, 4u) << what;
      ended_steps(what, *cut, [&] { cut->advance(integrator, 1e-3, 1); });
      EXPECT_EQ(cut->state_hash(), whole->state_hash()) << what;
      EXPECT_EQ(cut->read().rest, whole->read().rest) << what;
    }
  }
}

TEST_P(Interrupted, AutomaticStepsAreWholeOrNotTaken) {
  const InterruptedCase c = interrupted_cases().front();
  for (const Integrator integrator : {Integrator::kdk, Integrator::hermite}) {
    const auto cut = engine(c), whole = engine(c);
    const AutoStep step{0.01};
    const StepTaken want = whole->advance_auto(integrator, step);
    StepTaken got;
    EXPECT_GE(ended_steps(to_string(integrator), *cut, [&] { got = cut->advance_auto(integrator, step); }), 4u);
    EXPECT_EQ(got.length, want.length);
    EXPECT_EQ(got.next, want.next);
    EXPECT_EQ(cut->state_hash(), whole->state_hash()) << to_string(integrator);
  }
}

// Contacts through the grid, on the host: a device needs some milliseconds for ten million spheres.
TEST(InterruptedOnCpu, TheSearchThroughTheGridEnds) {
  InterruptedCase c = interrupted_cases().back();
  c.bodies = cloud_bodies(6000);
  for (double& r : c.bodies.r) r *= 0.2;
  EngineConfig config;
  config.broad_phase = BroadPhase::grid, config.accumulate = Accumulate::ordered;
  config.threads = 1;  // which reports; of several the first one may find all work done
  for (const bool impulse : {false, true}) {
    c.field.contact.impulse = impulse;
    const auto backend = make_backend("cpu");
    const auto cut = backend->make_engine(c.bodies, c.field, config);
    const auto whole = backend->make_engine(c.bodies, c.field, config);
    whole->advance(Integrator::kdk, 1e-3, 1);
    EXPECT_GE(ended_steps("grid", *cut, [&] { cut->advance(Integrator::kdk, 1e-3, 1); }), 2u);
    EXPECT_EQ(cut->state_hash(), whole->state_hash());
  }
}

TEST_P(Interrupted, EnergiesEndToo) {
  for (InterruptedCase c : interrupted_cases()) {
    if (c.field.pair == PairLaw::contact) continue;  // few contacts are added up at once
    // A device takes a hundred million at a time.
    if (cuda()) c.bodies = c.field.pair == PairLaw::none ? lattice_bodies(2000) : cloud_bodies(60000);
    const auto held = engine(c);
    const Diagnostics want = held->diagnose();
    {
      EndingSink sink(2);
      const ScopedProgressSink watching(sink);
      const ScopedTask named("energies");
      EXPECT_THROW(held->diagnose(), InterruptedError) << c.name;
    }
    EXPECT_EQ(held->diagnose().potential, want.potential) << c.name;
  }
}

}  // namespace
}  // namespace tri::test
