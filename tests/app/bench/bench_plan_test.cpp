// Making a plan: presets, the options that override them, and the resulting groups.

#include "app/bench/bench_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/bench/presets.hpp"
#include "app/options/options.hpp"
#include "app/support/axes.hpp"
#include "sim/base/error.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app {
namespace {

BenchPlan plan_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"triangulum", "bench"});
  return bench_plan(parse_options(arguments));
}

TEST(BenchPlan, DefaultIsTheDefaultScene) {
  const BenchPlan plan = plan_of({});
  ASSERT_EQ(plan.parts.size(), 1u);
  EXPECT_EQ(plan.parts[0].kernel, BenchKernel::gravity);
  EXPECT_EQ(plan.parts[0].sizes, std::vector<u64>{4096});
  const auto& maps = plan.parts[0].maps;
  EXPECT_EQ(maps.size(), 14u);  // all 16 but the thread-space rb and utm
  EXPECT_EQ(std::count(maps.begin(), maps.end(), "rb") + std::count(maps.begin(), maps.end(), "utm"), 0);
  EXPECT_GE(plan.samples, 6u);  // enough for an interval
}

TEST(BenchPlan, TheUserHasPrecedenceOverThePreset) {
  const BenchPlan plan = plan_of({"--preset", "smoke", "--samples", "9", "--kernel", "edm", "--n", "77"});
  ASSERT_EQ(plan.parts.size(), 1u);
  EXPECT_EQ(plan.parts[0].sizes, std::vector<u64>{77});
  EXPECT_EQ(plan.parts[0].features, std::vector<u32>{4});
  EXPECT_EQ(plan.samples, 9u);
  EXPECT_EQ(plan_of({"--preset", "smoke"}).parts.size(), 7u);
}

TEST(BenchPlan, TheBaselineIsTimedToo) {
  const BenchPlan plan = plan_of({"--kernel", "gravity", "--map", "lambda"});
  EXPECT_EQ(plan.parts[0].maps, (std::vector<std::string>{"bb", "lambda"}));
  EXPECT_TRUE(plan.parts[0].baseline_added);
  const BenchPlan plain = plan_of({"--kernel", "gravity", "--map", "plain,lambda", "--baseline", "plain"});
  EXPECT_EQ(plain.parts[0].maps, (std::vector<std::string>{"plain", "lambda"}));
  EXPECT_FALSE(plain.parts[0].baseline_added);
}

TEST(BenchPlan, SeveralRanksShareMapsOfForcesOnly) {
  EXPECT_NO_THROW(check_shared(plan_of({})));
  EXPECT_NO_THROW(check_shared(plan_of({"--kernel", "triplet,gravity"})));
  const auto refusal = [](std::vector<std::string> arguments) {
    return test::message_of<ConfigError>([&] { check_shared(plan_of(std::move(arguments))); });
  };
  EXPECT_EQ(refusal({"--kernel", "all"}),
            "--kernel dummy,edm,collision,dummy3,gasket: several devices or ranks share gravity and triplet only. Name "
            "those, or use one device or process.");
  EXPECT_NE(refusal({"--kernel", "gravity", "--map", "plain,lambda"}).find("--map plain is no map"), std::string::npos);
  EXPECT_NE(refusal({"--kernel", "triplet", "--baseline", "plain"}).find("--map plain is no map"), std::string::npos);
  EXPECT_NE(refusal({"--energy"}).find("--energy reads the meters of one device"), std::string::npos);
}

TEST(BenchPlan, EveryAxisIsCrossedWithEveryOther) {
  const auto groups =
      planned_groups(plan_of({"--kernel", "edm,dummy", "--n", "100,200", "--block", "16,32", "--features", "1,2,3",
                              "--layout", "lower,square", "--form", "store,write"}));
  ASSERT_EQ(groups.size(), 2u * 2 * 3 * 2 + 2u * 2 * 2);
  std::set<std::vector<u64>> met;
  for (const PlannedGroup& g : groups) {
    const BenchSpec& s = g.common;
    EXPECT_TRUE(s.map.empty());
    met.insert(
        {static_cast<u64>(s.kernel), s.n, s.block, s.features, static_cast<u64>(s.layout), static_cast<u64>(s.form)});
    // An axis that the kernel does not read keeps its default.
    const bool edm = s.kernel == BenchKernel::edm;
    EXPECT_TRUE(!edm || s.form == BenchForm::hold);
    EXPECT_TRUE(edm || (s.features == 4 && s.layout == DistanceLayout::condensed));
  }
  EXPECT_EQ(met.size(), groups.size());
  EXPECT_EQ(groups[0].common.n, 100u);  // n varies fastest: one curve after another
  EXPECT_EQ(groups[1].common.n, 200u);
  EXPECT_EQ(groups[1].common.block, groups[0].common.block);
}

TEST(BenchPlan, ArithmeticsOfOneSizeStandTogether) {
  const auto groups = planned_groups(plan_of(
      {"--kernel", "gravity,collision", "--n", "100,200", "--arithmetic", "float32,tensor", "--tolerance", "2e-6"}));
  ASSERT_EQ(groups.size(), 2u * 2 + 2u);
  for (u32 k = 0; k < 4; ++k) {
    EXPECT_EQ(groups[k].common.n, k < 2 ? 100u : 200u);
    EXPECT_EQ(groups[k].common.arithmetic, k % 2 == 0 ? BenchArithmetic::float32 : BenchArithmetic::tensor);
    EXPECT_EQ(groups[k].common.tolerance, Tolerance::loose);
  }
  EXPECT_EQ(groups[4].common.arithmetic, BenchArithmetic::float32) << "collision has no other";
}

TEST(BenchPlan, WhatHoldsForAllGroups) {
  const auto groups =
      planned_groups(plan_of({"--kernel", "collision", "--dimensions", "1", "--rec", "graph", "--timing",
                              "synchronised", "--precision", "fp64", "--seed", "7", "--map", "rec"}));
  ASSERT_EQ(groups.size(), 1u);
  const BenchSpec& s = groups[0].common;
  EXPECT_EQ(s.dimensions, 1u);
  EXPECT_EQ(s.rec, RecForm::graph);
  EXPECT_EQ(s.timing, LaunchTiming::synchronised);
  EXPECT_EQ(s.precision, Precision::fp64);
  EXPECT_EQ(s.seed, 7u);
  EXPECT_EQ(groups[0].maps, (std::vector<std::string>{"bb", "rec"}));
  EXPECT_TRUE(groups[0].baseline_added);
  EXPECT_EQ(spec_of(s, "rec").map, "rec");
}

TEST(BenchPlan, TheAutomatonUsesTheSeed) {
  EXPECT_EQ(plan_of({"--kernel", "dummy", "--form", "automaton", "--seed", "3"}).seed, 3u);
}

TEST(BenchPlan, TypedLawsChooseTheirKernels) {
  const BenchPlan pairs = plan_of({"--law", "k/r^3; k = 2", "--n", "500"});
  ASSERT_EQ(pairs.parts.size(), 1u);
  EXPECT_EQ(pairs.parts[0].kernel, BenchKernel::gravity);
  const auto groups = planned_groups(pairs);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_NE(groups[0].common.law.find("k/r^3"), std::string::npos) << groups[0].common.law;

  const BenchPlan both = plan_of({"--law", "1/r", "--triple-law", "1/(a*b*c)"});
  ASSERT_EQ(both.parts.size(), 2u);
  EXPECT_EQ(both.parts[0].law, "1/r");
  EXPECT_EQ(both.parts[1].kernel, BenchKernel::triplet);
  EXPECT_EQ(both.parts[1].law, "1/(a*b*c)");
  EXPECT_EQ(plan_of({"--kernel", "gravity"}).parts[0].law, "");

  const auto refused = [](std::vector<std::string> arguments, const char* part) {
    test::expect_parts(test::message_of<ConfigError>([&] { plan_of(arguments); }), {part});
  };
  refused({"--kernel", "dummy", "--law", "1/r"}, "--law is read by --kernel gravity only");
  refused({"--kernel", "gravity", "--triple-law", "1/(a*b*c)"}, "--triple-law is read by --kernel triplet only");
  refused({"--law", "1/r", "--arithmetic", "tensor"}, "use float32");
}

TEST(BenchPlan, AxesOfTheGasket) {
  const auto groups =
      planned_groups(plan_of({"--kernel", "gasket,dummy", "--form", "hold,compact,automaton", "--placement",
                              "lut,unroll", "--fractal", "carpet", "--n", "81", "--seed", "3"}));
  std::set<std::tuple<u64, u64, u64>> met;
  for (const PlannedGroup& g : groups) {
    const BenchSpec& s = g.common;
    met.insert({static_cast<u64>(s.kernel), static_cast<u64>(s.form), static_cast<u64>(s.placement)});
    EXPECT_EQ(s.fractal, "carpet");
  }
  EXPECT_EQ(groups.size(), 2u * 2 + 2) << "compact and automaton in two placements; hold and automaton of dummy";
  EXPECT_EQ(met.size(), groups.size());
  EXPECT_THROW(plan_of({"--kernel", "gasket", "--form", "hold"}), ConfigError);
  EXPECT_THROW(plan_of({"--kernel", "gasket,dummy", "--form", "hold"}), ConfigError) << "nothing for gasket";
  EXPECT_EQ(planned_groups(plan_of({"--kernel", "gasket,dummy", "--form", "write"})).size(), 2u) << "a form of both";
  EXPECT_THROW(plan_of({"--kernel", "gasket,dummy", "--form", "compact"}), ConfigError) << "nothing for dummy";
  EXPECT_THROW(plan_of({"--kernel", "gasket", "--seed", "3"}), ConfigError) << "a constant write is not random";
  EXPECT_THROW(plan_of({"--kernel", "gasket", "--fractal", "carpt"}), ConfigError);
  EXPECT_THROW(plan_of({"--kernel", "edm", "--fractal", "carpet"}), ConfigError);
}

TEST(Presets, PaperGasket) {
  const BenchPlan plan = plan_of({"--preset", "paper-gasket"});
  EXPECT_EQ(plan.samples, 100u);
  std::set<u64> sizes, blocks, placements, timings;
  for (const PlannedGroup& g : planned_groups(plan)) {
    sizes.insert(g.common.n), blocks.insert(g.common.block);
    placements.insert(static_cast<u64>(g.common.placement)), timings.insert(static_cast<u64>(g.common.timing));
    EXPECT_EQ(g.maps.size(), kGasketMapCount);
    EXPECT_EQ(g.common.form, BenchForm::write);
  }
  EXPECT_EQ(sizes.size(), 17u);
  EXPECT_EQ(*sizes.rbegin(), 65536u);
  EXPECT_EQ(blocks, (std::set<u64>{1, 2, 4, 8, 16, 32}));
  EXPECT_EQ(placements.size(), 3u);
  EXPECT_EQ(timings.size(), 2u) << "the paper's protocol and ours";
  for (const PlannedGroup& g : planned_groups(plan_of({"--preset", "paper-gasket", "--timing", "work"}))) {
    EXPECT_EQ(g.common.timing, LaunchTiming::work);
  }
}

TEST(Presets, PaperLtm) {
  const BenchPlan plan = plan_of({"--preset", "paper-ltm"});
  EXPECT_EQ(plan.timing, LaunchTiming::synchronised);
  EXPECT_EQ(plan.preset, "paper-ltm");
  const auto groups = planned_groups(plan);
  ASSERT_EQ(groups.size(), 30u * (1 + 4));
  std::set<u64> sizes;
  for (const PlannedGroup& g : groups) {
    sizes.insert(g.common.n);
    EXPECT_EQ(g.common.block, 16u);
    EXPECT_EQ(std::set<std::string>(g.maps.begin(), g.maps.end()).size(), 14u);
    EXPECT_FALSE(g.baseline_added);
  }
  EXPECT_EQ(sizes.size(), 30u);
  EXPECT_EQ(*sizes.begin(), 1024u);
  EXPECT_EQ(*sizes.rbegin(), 30720u);
}

TEST(Presets, PaperNonlinear) {
  const auto groups = planned_groups(plan_of({"--preset", "paper-nonlinear"}));
  ASSERT_EQ(groups.size(), 30u * (1 + 1 + 2));
  std::size_t flat = 0;
  for (const PlannedGroup& g : groups) {
    for (const char* root : {"lambda-x", "lambda-n", "lambda-r", "lambda", "bb"}) {
      EXPECT_EQ(std::count(g.maps.begin(), g.maps.end(), root), 1) << root;
    }
    flat += g.common.kernel == BenchKernel::collision && g.common.dimensions == 1;
    EXPECT_EQ(g.common.features, 4u);
  }
  EXPECT_EQ(flat, 30u);
}

TEST(Presets, PaperTetra) {
  const BenchPlan plan = plan_of({"--preset", "paper-tetra"});
  EXPECT_EQ(plan.timing, LaunchTiming::synchronised);
  const auto groups = planned_groups(plan);
  // dummy3 in two forms and triplet, seven sizes, two blocks.
  ASSERT_EQ(groups.size(), 7u * 2 * (2 + 1));
  u64 largest = 0;
  for (const PlannedGroup& g : groups) {
    EXPECT_EQ(info(g.common.kernel).domain, Domain::tetrahedron);
    EXPECT_EQ(g.maps.size(), kTetraMapCount);
    EXPECT_TRUE(g.common.block == 4 || g.common.block == 8);
    largest = std::max(largest, g.common.n);
  }
  EXPECT_EQ(largest, 2048u);
  EXPECT_EQ(planned_groups(plan_of({"--kernel", "dummy3", "--form", "write"})).front().common.form, BenchForm::write);
  EXPECT_THROW(plan_of({"--kernel", "dummy3", "--seed", "1"}), ConfigError);
}

TEST(Presets, APartOfAPaper) {
  const BenchPlan plan = plan_of({"--preset", "paper-ltm", "--kernel", "edm", "--features", "2", "--n", "512", "--map",
                                  "lambda,utm", "--timing", "work", "--warmup", "0.5"});
  const auto groups = planned_groups(plan);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].common.features, 2u);
  EXPECT_EQ(groups[0].common.block, 16u);
  EXPECT_EQ(groups[0].common.timing, LaunchTiming::work);
  EXPECT_EQ(groups[0].maps, (std::vector<std::string>{"bb", "lambda", "utm"}));
  EXPECT_DOUBLE_EQ(plan.warmup_ms, 0.5);
}

TEST(Presets, EachCanBePlanned) {
  ASSERT_FALSE(list_presets().empty());
  for (const PresetInfo& preset : list_presets()) {
    const auto groups = planned_groups(plan_of({"--preset", preset.name}));
    EXPECT_FALSE(groups.empty()) << preset.name;
    for (const PlannedGroup& g : groups) {
      EXPECT_FALSE(g.maps.empty()) << preset.name;
      EXPECT_EQ(maps_of_kernel(g.common.kernel, g.maps), g.maps) << preset.name;
    }
  }
}

}  // namespace
}  // namespace tri::app
