/// Steps of automatic length: where they end, that they are symmetric in time, that a restart repeats them, and the
/// scenes whose close encounters they resolve by default.

#include "sim/model/integrator.hpp"
#include "tests/support/temp_folder.hpp"

#include <unistd.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "sim/simulation.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {
namespace {

/// A scheme whose criterion is a function of time alone; it remembers what it was asked for.
class ToyScheme final : public StepScheme {
 public:
  explicit ToyScheme(std::function<double(double)> wanted) : wanted_(std::move(wanted)) {}
  double first_length(double) override { return wanted_(time); }
  Attempt attempt(double h, double, bool) override {
    h_ = h, ++attempts;
    return {wanted_(time), wanted_(time + h)};
  }
  void accept() override { time += h_; }

  double time = 0;
  int attempts = 0;

 private:
  std::function<double(double)> wanted_;
  double h_ = 0;
};

TEST(AutoStep, IsTheMeanOfWhatBothEndsWant) {
  ToyScheme toy([](double t) { return 0.1 + 0.05 * t; });
  const StepTaken taken = advance_step(toy, {.eta = 1});
  EXPECT_NEAR(taken.length, 0.1 + 0.025 * taken.length, 1e-4);
  EXPECT_EQ(taken.next, 0.1 + 0.05 * taken.length);
  EXPECT_EQ(toy.attempts, 2);
}

TEST(AutoStep, GrowsByTwoAtMostAndShrinksAtOnce) {
  ToyScheme toy([](double t) { return t < 1 ? 1.0 : 1e-3; });
  EXPECT_EQ(advance_step(toy, {.eta = 1, .next = 0.01}).length, 0.02);
  toy.time = 0.9995;
  EXPECT_LE(advance_step(toy, {.eta = 1, .next = 0.5}).length, 4e-3)
      << "what lies ahead is seen before it is stepped over";
  ToyScheme never([](double) { return 0.0; });
  EXPECT_THROW(advance_step(never, {.eta = 1, .next = 1}), NumericalError);
}

TEST(AutoStep, IsBoundedWhereLessAndLessActs) {
  ToyScheme parting([](double t) { return 0.1 + t; });
  double next = 0, longest = 0;
  for (int k = 0; k < 100; ++k) {
    const StepTaken taken = advance_step(parting, {.eta = 1, .next = next, .longest = 7});
    next = taken.next, longest = std::max(longest, taken.length);
  }
  EXPECT_EQ(longest, 7);
  EXPECT_LE(next, 7);
  ToyScheme alone([](double) { return HUGE_VAL; });
  next = 0;
  for (int k = 0; k < 100; ++k) next = advance_step(alone, {.eta = 1, .next = next, .idle = 0.25}).next;
  EXPECT_EQ(alone.time, 25);
  EXPECT_EQ(advance_step(alone, {.eta = 1, .next = next, .most = 0.1, .idle = 0.25}).length, 0.1);
}

// Two bodies of mass 1/2 at distance 2 with G = 3: U = -3/8, so that the size is G M^2 / |U| = 8.
TEST(AutoStep, TheLongestIsOfTheSystem) {
  Diagnostics d;
  d.mass = 1, d.virial = -0.375;
  EXPECT_DOUBLE_EQ(longest_step(d, 3), 100 * std::sqrt(8 * 8 * 8 / 3.0)) << "at rest: a fall";
  d.kinetic = 2, d.potential = -1e9;  // of a uniform field, which is no scale
  EXPECT_DOUBLE_EQ(longest_step(d, 3), 100 * 8 / 2.0) << "a crossing at speed 2";
  d.kinetic += 50, d.momentum = {6, 0, 8};
  EXPECT_DOUBLE_EQ(longest_step(d, 3), 100 * 8 / 2.0) << "their common motion does not count";
  EXPECT_DOUBLE_EQ(longest_step(d, -3), longest_step(d, 3));
  d.virial = 0;
  EXPECT_EQ(longest_step(d, 3), HUGE_VAL);
  EXPECT_EQ(longest_step({}, 0), HUGE_VAL);
}

TEST(AutoStep, MeetsAGivenEndWithoutATinyStep) {
  ToyScheme toy([](double) { return 0.3; });
  std::vector<double> lengths;
  for (double left = 1; left > 0;) {
    lengths.push_back(advance_step(toy, {.eta = 1, .next = 0.3, .most = left}).length);
    left = lengths.back() == left ? 0 : left - lengths.back();
  }
  ASSERT_EQ(lengths.size(), 4u);
  for (const double length : lengths) EXPECT_GT(length, 0.15);
}

class AutoSteps : public OnBackend {
 protected:
  EngineConfig config(Accumulate accumulate = Accumulate::fast) const {
    EngineConfig c;
    c.precision = Precision::fp64, c.accumulate = accumulate;
    return c;
  }
  Simulation run(const std::string& scene, Accumulate accumulate = Accumulate::fast) const {
    return Simulation(make_scene(scene), backend(), config(accumulate));
  }
};
TRI_ON_EVERY_BACKEND(AutoSteps);

// Not on ranks: they exchange messages several times a step, which takes minutes here. The test after this one compares
// short runs on ranks with the cpu, bit for bit.
class LongAutoSteps : public AutoSteps {};
INSTANTIATE_TEST_SUITE_P(Backends, LongAutoSteps, testing::Values("cpu", "cuda"),
                         [](const auto& instance) { return instance.param; });

TEST(AutoStepsOfRanks, HaveTheBitsOfTheCpu) {
  EngineConfig config;
  config.precision = Precision::fp64, config.accumulate = Accumulate::ordered;
  const std::unique_ptr<Backend> cpu = make_named("cpu"), ranks = make_named("ranks");
  for (const char* scene :
       {"kepler:e=0.99", "pythagorean", "plummer:n=64,eps=0", "kepler:e=0.9,dt=auto,integrator=kdk"}) {
    Simulation one(make_scene(scene), *cpu, config), shared(make_scene(scene), *ranks, config);
    EXPECT_GT(one.parameters().eta, 0) << scene;
    const u64 before = one.state_hash();
    EXPECT_EQ(one.advance(500), 500u);
    shared.advance(500);
    EXPECT_EQ(shared.time(), one.time()) << scene;
    EXPECT_EQ(shared.state_hash(), one.state_hash()) << scene;
    EXPECT_NE(one.state_hash(), before) << scene;
  }
}

TEST_P(AutoSteps, EndExactlyWhereTheyAreTold) {
  for (const char* scheme : {"kdk", "hermite"}) {
    Simulation s = run(std::string("kepler:e=0.8,dt=auto,integrator=") + scheme);
    for (const double end : {0.1, 0.3, 1.0, 3.14159}) {
      EXPECT_GE(s.run_until(end), 1u);
      EXPECT_EQ(s.time(), end) << scheme;
    }
    const u64 steps = s.step_count();
    EXPECT_EQ(s.run_until(3.14159), 0u);
    EXPECT_EQ(s.step_count(), steps);
    EXPECT_GT(s.step_lengths().shortest, 0);
    EXPECT_GT(s.step_lengths().longest, 2 * s.step_lengths().shortest);
    EXPECT_THROW(s.run_until(1), ConfigError);
    EXPECT_THROW(s.run_until(NAN), ConfigError);
  }
}

// The forward and the backward run take the same steps, up to what two tries leave of the symmetry.
TEST_P(AutoSteps, RunBackToTheirStart) {
  for (const auto& [scheme, limit] : {std::pair{"kdk", 1e-5}, {"hermite", 1e-6}}) {
    Simulation s = run(std::string("kepler:e=0.7,dt=auto,eta=0.01,integrator=") + scheme);
    const Bodies first = s.bodies();
    s.advance(500);
    RunParameters back = s.parameters();
    back.backwards = true;
    s.change(back, s.engine().config());
    s.advance(1u << 20, 0);
    EXPECT_EQ(s.time(), 0);
    const Bodies last = s.bodies();
    EXPECT_NEAR(last.x[0], first.x[0], limit) << scheme;
    EXPECT_NEAR(last.y[0], first.y[0], limit) << scheme;
  }
}

// Without symmetry the error of the kdk scheme grows with every period.
TEST_P(LongAutoSteps, KdkHasNoDriftOfTheEnergy) {
  Simulation s = run("kepler:e=0.9,dt=auto,integrator=kdk,eta=0.01");
  const double period = 2 * std::numbers::pi;
  s.run_until(5 * period);
  const double after_5 = std::abs(s.diagnostics().energy_error);
  s.run_until(40 * period);
  const double after_40 = std::abs(s.diagnostics().energy_error);
  EXPECT_LT(after_5, 1e-5);
  EXPECT_LT(after_40, 1e-5);
}

TEST_P(AutoSteps, AccuracyFollowsEta) {
  double before = HUGE_VAL;
  for (const char* eta : {"0.04", "0.01", "0.0025"}) {
    Simulation s = run(std::string("kepler:e=0.6,dt=auto,integrator=hermite,eta=") + eta);
    s.run_until(6);
    const double error = std::abs(s.diagnostics().energy_error);
    EXPECT_LT(error, before / 6) << "a quarter of eta is half the step: a sixteenth of the error";
    before = error;
  }
}

TEST_P(AutoSteps, ARestartRepeatsThem) {
  const TempFolder folder;
  const std::string path = folder.at("a.hdf5");
  for (const char* scheme : {"kdk", "hermite"}) {
    for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
      if (!fast_repeats() && accumulate == Accumulate::fast) continue;
      Simulation whole = run(std::string("plummer:n=40,eps=0,seed=3,integrator=") + scheme, accumulate);
      whole.advance(60);
      whole.save(path);
      const double middle = whole.time();
      whole.advance(60, middle + 0.01);
      Snapshot snapshot = read_snapshot(path);
      EXPECT_GT(snapshot.next_step, 0);
      EXPECT_EQ(snapshot.time, middle);
      const EngineConfig as_before = snapshot.engine;
      Simulation again(std::move(snapshot), backend(), as_before);
      EXPECT_EQ(again.time(), middle);
      again.diagnostics();
      again.advance(60, middle + 0.01);
      EXPECT_EQ(again.state_hash(), whole.state_hash()) << scheme << ", " << to_string(accumulate);
      EXPECT_EQ(again.time(), whole.time());
      EXPECT_EQ(again.step_count(), whole.step_count());
    }
  }
}

TEST_P(AutoSteps, OfALoneBodyAreThoseOfTheScene) {
  for (const char* scheme : {"kdk", "hermite"}) {
    Simulation s = run(std::string("plummer:n=1,dt=auto,integrator=") + scheme);
    s.advance(2048);
    EXPECT_EQ(s.time(), 2048 / 256.0) << scheme;
    s.run_until(8.1);
    EXPECT_EQ(s.time(), 8.1);
  }
}

TEST_P(AutoSteps, OfBodiesThatPartForEverStopGrowing) {
  for (const char* scheme : {"kdk", "hermite"}) {
    Scene scene = make_scene(std::string("kepler:dt=auto,integrator=") + scheme);
    for (double& v : scene.bodies.vy) v *= 10;
    Simulation s(std::move(scene), backend(), config());
    // 1.5 apart at the speed of 10 / sqrt(3); size = G M^2 / |U| = 6, and sqrt(2 K / M) is half of the speed.
    const double longest = 100 * 6 / (5 / std::sqrt(3.0));
    s.advance(600);
    EXPECT_NEAR(s.step_lengths().longest, longest, 1e-9 * longest) << scheme;
    EXPECT_LT(s.time(), 600 * longest);
    const Bodies b = s.bodies();
    EXPECT_NEAR(std::hypot(b.x[1] - b.x[0], b.y[1] - b.y[0]) / s.time(), 5.66, 0.01) << scheme;
  }
}

TEST_P(AutoSteps, AreRefusedWithAReason) {
  const auto refusal = [&](const std::string& scene, Precision precision = Precision::fp64) {
    EngineConfig c = config();
    c.precision = precision;
    return message_of<ConfigError>([&] { Simulation(make_scene(scene), backend(), c); });
  };
  expect_parts(refusal("gas:n=20,dt=auto"), {"--dt auto", "contact", "--dt a number"});
  expect_parts(refusal("argon-droplet:n=20,dt=auto"), {"lennard-jones"});
  expect_parts(refusal("kepler:dt=auto,integrator=yoshida4"), {"kdk or hermite", "yoshida4"});
  expect_parts(refusal("kepler:dt=auto", Precision::fp32), {"--precision fp64"});
  expect_parts(refusal("kepler:integrator=hermite", Precision::fp32), {"--integrator hermite", "--precision fp64"});
  // A change that is refused leaves all as it was.
  Simulation s = run("kepler:dt=auto");
  RunParameters to = s.parameters();
  to.integrator = Integrator::yoshida4;
  EXPECT_THROW(s.change(to, s.engine().config()), ConfigError);
  EXPECT_EQ(s.advance(3), 3u);
}

// Burrau's problem: the lightest body leaves, the two others stay a pair (Szebehely and Peters 1967).
TEST_P(LongAutoSteps, PythagoreanEndsInItsEjection) {
  Simulation s = run("pythagorean");
  s.run_until(70);
  EXPECT_LE(std::abs(s.diagnostics().energy_error), 1e-8);
  const Bodies b = s.bodies();
  const double pair = std::hypot(b.x[1] - b.x[2], b.y[1] - b.y[2]);
  const double away = std::hypot(b.x[0] - b.x[1], b.y[0] - b.y[1]);
  EXPECT_LT(pair, 2);
  EXPECT_GT(away, 20);
  // Steps of a tenth of this eta end here too.
  EXPECT_NEAR(b.x[0], 6.93, 0.1);
  EXPECT_NEAR(b.y[0], 20.26, 0.2);
}

TEST_P(LongAutoSteps, AVeryLongEllipseKeepsItsEnergy) {
  Simulation s = run("kepler:e=0.99");
  s.run_until(100 * 2 * std::numbers::pi);
  EXPECT_LE(std::abs(s.diagnostics().energy_error), 1e-8);
  const Bodies b = s.bodies();
  EXPECT_NEAR(b.x[0], -0.995, 1e-4);
  EXPECT_NEAR(b.y[0], 0, 1e-4);
}

TEST_P(LongAutoSteps, AClusterWithoutSofteningKeepsItsEnergy) {
  TRI_LONG_TRAJECTORY();
  Simulation s = run("plummer:n=256,eps=0");
  s.run_until(10);
  EXPECT_LE(std::abs(s.diagnostics().energy_error), 1e-5);
}

}  // namespace
}  // namespace tri::test
