// --dt, --eta and --integrator.

#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "tests/app/options/options_support.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app {
namespace {

TEST(StepOptions, StepsAreGivenOrAutomatic) {
  EXPECT_EQ(parsed("run plummer --steps 3 --dt 0.25").run.dt, 0.25);
  EXPECT_FALSE(parsed("run plummer --steps 3 --dt 0.25").run.dt_auto);
  const RunOptions run = parsed("run plummer --steps 3 --dt auto --eta 0.001 --integrator hermite").run;
  EXPECT_TRUE(run.dt_auto);
  EXPECT_EQ(run.dt, std::nullopt);
  EXPECT_EQ(run.eta, 0.001);
  EXPECT_EQ(run.integrator, Integrator::hermite);
  EXPECT_TRUE(parsed("render kepler --frames 1 -o a.png --dt auto").run.dt_auto);
}

TEST(StepOptions, BadOnesAreNamed) {
  const auto error = [](const std::string& more) {
    return test::message_of<ConfigError>([&] { parsed("run plummer --steps 3 " + more); });
  };
  test::expect_parts(error("--dt automatic"), {"--dt takes a number greater than 0, or auto; got 'automatic'"});
  test::expect_parts(error("--dt -1"), {"--dt takes a number greater than 0"});
  test::expect_parts(error("--eta 0"), {"--eta takes a number greater than 0"});
  test::expect_parts(error("--dt 0.1 --eta 0.1"), {"leave one of them out"});
  test::expect_parts(error("--integrator rk4"), {"hermite"});
}

}  // namespace
}  // namespace tri::app
