// When an engine worked, on the clock of the host: a device's events too.

#include "sim/base/clock.hpp"
#include "tests/sim/backend/cases.hpp"

namespace tri::test {
namespace {

using EngineTimes = BackendTest;
TRI_ON_EVERY_BACKEND(EngineTimes);

TEST_P(EngineTimes, TellsOnTheClockOfTheHostWhenItWorked) {
  const auto engine =
      backend().make_engine(cloud_bodies(700), gravity_field(), config_of(Precision::fp32, Accumulate::fast));
  std::vector<Instance> instances(700);
  constexpr double kLate = 2e-4;  // seconds; a device's event and the host's look at it
  for (int round = 0; round < 3; ++round) {
    const double before = clock_s();
    engine->advance(Integrator::kdk, 1e-4, 3);
    InstanceSink sink{InstanceSink::Place::host, instances};
    engine->publish(sink);
    const double after = clock_s();
    const tri::Engine::Timing t = engine->timing();
    EXPECT_NEAR(1e3 * (t.force_when.end - t.force_when.begin), t.force, 1e-3);
    EXPECT_GT(t.force_when.begin, before - kLate);
    EXPECT_LT(t.force_when.end, after + kLate);
    if (!cuda()) {
      EXPECT_EQ(t.steps_when.end, 0) << "the caller's thread did them";
      continue;
    }
    EXPECT_GT(t.steps_when.begin, before - kLate);
    EXPECT_LE(t.steps_when.begin, t.force_when.begin + 1e-6);
    EXPECT_GE(t.steps_when.end, t.force_when.end - 1e-6);
    EXPECT_GE(t.publish_when.begin, t.steps_when.end - kLate);
    EXPECT_LT(t.publish_when.end, after + kLate);
  }
}

}  // namespace
}  // namespace tri::test
