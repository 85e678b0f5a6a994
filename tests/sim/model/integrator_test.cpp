/// The tables of stages.

#include "sim/model/integrator.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/base/error.hpp"
#include "tests/support/error_messages.hpp"

namespace tri {
namespace {

constexpr Integrator kAll[] = {Integrator::kdk, Integrator::symplectic_euler, Integrator::yoshida4};

TEST(Stages, KicksAndDriftsEachCoverTheStep) {
  for (const Integrator integrator : kAll) {
    SCOPED_TRACE(to_string(integrator));
    double kicks = 0, drifts = 0;
    for (const Stage& s : stages(integrator)) (s.kind == Stage::Kind::kick ? kicks : drifts) += s.fraction;
    EXPECT_NEAR(kicks, 1.0, 4e-16);
    EXPECT_NEAR(drifts, 1.0, 4e-16);
  }
}

TEST(Stages, NeighboursDifferSoKicksAreMerged) {
  for (const Integrator integrator : kAll) {
    const auto table = stages(integrator);
    for (std::size_t i = 1; i < table.size(); ++i) EXPECT_NE(table[i].kind, table[i - 1].kind) << to_string(integrator);
  }
  EXPECT_EQ(stages(Integrator::symplectic_euler).size(), 2u);
  EXPECT_EQ(stages(Integrator::kdk).size(), 3u);
  EXPECT_EQ(stages(Integrator::yoshida4).size(), 7u);
}

TEST(Stages, EveryStepBeginsWithAKick) {
  for (const Integrator integrator : kAll) {
    EXPECT_EQ(stages(integrator).front().kind, Stage::Kind::kick) << to_string(integrator);
  }
}

TEST(Stages, ReversibleSchemesReadTheSameBackwards) {
  for (const Integrator integrator : {Integrator::kdk, Integrator::yoshida4}) {
    const auto table = stages(integrator);
    for (std::size_t i = 0; i < table.size(); ++i) {
      EXPECT_EQ(table[i].kind, table[table.size() - 1 - i].kind);
      EXPECT_EQ(table[i].fraction, table[table.size() - 1 - i].fraction);
    }
  }
}

TEST(Stages, YoshidasDriftsCancelTheThirdOrder) {
  double cubes = 0;
  for (const Stage& s : stages(Integrator::yoshida4)) {
    if (s.kind == Stage::Kind::drift) cubes += s.fraction * s.fraction * s.fraction;
  }
  EXPECT_NEAR(cubes, 0.0, 2e-15);
  const double w1 = 1.0 / (2.0 - std::cbrt(2.0));
  EXPECT_NEAR(stages(Integrator::yoshida4)[1].fraction, w1, 3e-16);
}

TEST(IntegratorNames, RoundTripAndHelp) {
  for (const Integrator integrator : kAll) EXPECT_EQ(integrator_from(to_string(integrator)), integrator);
  EXPECT_EQ(test::message_of<ConfigError>([] { integrator_from("yoshida"); }),
            "unknown integrator 'yoshida'. Did you mean 'yoshida4'? Known: kdk, symplectic-euler, yoshida4, hermite.");
}

}  // namespace
}  // namespace tri
