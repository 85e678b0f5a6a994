// Making a plan: presets, the options that override them, and the resulting groups.

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/bench/bench_plan.hpp"
#include "app/bench/report.hpp"
#include "app/options/options.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/option_values.hpp"
#include "sim/backends.hpp"
#include "sim/base/error.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/fake_backends.hpp"

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
  EXPECT_EQ(planned_groups(plan).front().common.features, 4u);
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

TEST(BenchPlan, ArithmeticsAndPairsOfOneSizeStandTogether) {
  const auto groups = planned_groups(plan_of({"--kernel", "gravity,collision", "--n", "100,200", "--arithmetic",
                                              "float32,tensor", "--pairs", "all,tree", "--tolerance", "2e-6"}));
  ASSERT_EQ(groups.size(), 2u * 4 + 2u);
  for (u32 k = 0; k < 8; ++k) {
    EXPECT_EQ(groups[k].common.n, k < 4 ? 100u : 200u);
    EXPECT_EQ(groups[k].common.arithmetic, k / 2 % 2 == 0 ? BenchArithmetic::float32 : BenchArithmetic::tensor);
    EXPECT_EQ(groups[k].common.pairs, k % 2 == 0 ? BenchPairs::all : BenchPairs::tree);
    EXPECT_EQ(groups[k].common.tolerance, Tolerance::loose);
  }
  EXPECT_EQ(groups[8].common.arithmetic, BenchArithmetic::float32) << "collision has no other";
  EXPECT_EQ(groups[8].common.pairs, BenchPairs::all) << "collision has no other";
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
  EXPECT_EQ(plan_of({"--kernel", "dummy", "--form", "automaton", "--seed", "3"}).common.seed, 3u);
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
  refused({"--law", "1/r", "--pairs", "tree"}, "--law replaces it");
  refused({"--kernel", "edm", "--pairs", "tree"}, "--pairs is read by --kernel gravity only");
  refused({"--kernel", "gravity", "--tolerance", "1e-6"}, "here is neither");
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
  EXPECT_EQ(plan.common.timing, LaunchTiming::synchronised);
  EXPECT_EQ(plan.preset, "paper-ltm");
  const auto groups = planned_groups(plan);
  ASSERT_EQ(groups.size(), 30u * (1 + 4));
  std::set<u64> sizes;
  for (const PlannedGroup& g : groups) {
    sizes.insert(g.common.n);
    EXPECT_EQ(g.common.block, 16u);
    EXPECT_EQ(std::set<std::string>(g.maps.begin(), g.maps.end()).size(), g.common.n <= 4097 ? 14u : 13u) << "utm ends";
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

/// Every combination once, at its smallest size: what the cpu backend lacks would throw here.
TEST(Presets, ThoseOfPapersRunOnTheCpuWithoutASkippedRow) {
  const auto backend = make_backend("cpu");
  for (const char* name : {"paper-ltm", "paper-nonlinear", "paper-tetra", "paper-gasket"}) {
    std::set<std::string> made;
    for (const PlannedGroup& g : planned_groups(plan_of({"--preset", name}))) {
      for (const std::string& map : g.maps) {
        BenchSpec spec = spec_of(g.common, map);
        EXPECT_EQ(certain_refusal(spec), "") << name << ", " << map << ", n = " << spec.n;
        std::string axes = map + to_string(spec.kernel) + std::to_string(spec.block);
        describe_axes([&](const BenchAxisInfo&, auto field, auto) {
          if constexpr (requires { static_cast<u64>(spec.*field); })
            axes += std::to_string(static_cast<u64>(spec.*field));
        });
        if (made.insert(axes).second) {
          EXPECT_NO_THROW(backend->make_bench(spec)) << name << ", " << map;
        }
      }
    }
    EXPECT_GT(made.size(), 20u);
  }
}

TEST(Presets, PaperTetra) {
  const BenchPlan plan = plan_of({"--preset", "paper-tetra"});
  EXPECT_EQ(plan.common.timing, LaunchTiming::synchronised);
  const auto groups = planned_groups(plan);
  // dummy3 in two forms and triplet, seven sizes, two blocks.
  ASSERT_EQ(groups.size(), 7u * 2 * (2 + 1));
  u64 largest = 0;
  for (const PlannedGroup& g : groups) {
    EXPECT_EQ(info(g.common.kernel).domain, Domain::tetrahedron);
    EXPECT_EQ(g.maps.size(), kTetraMapCount - (g.common.n > 203 * g.common.block ? 1 : 0)) << "tetra-r ends";
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

// What a dry run finds without a backend.

BenchPlan dry_plan(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"triangulum", "bench"});
  return bench_plan(parse_options(arguments));
}

BenchSpec spec(BenchKernel kernel, const std::string& map, u64 n, u32 block) {
  BenchSpec s;
  s.kernel = kernel, s.map = map, s.n = n, s.block = block, s.form = info(kernel).default_form();
  return s;
}

/// Replaces line ends and indentation by one space.
std::string flat(const std::string& text) {
  std::istringstream words(text);
  std::string out;
  for (std::string word; words >> word;) out += word + " ";
  return out;
}

TEST(DryRun, ListsEveryCombination) {
  const std::string text = flat(dry_run_text(dry_plan({"--kernel", "dummy,edm", "--n", "1000,8192", "--features", "2",
                                                       "--map", "lambda,utm", "--samples", "7"}),
                                             100));
  test::expect_parts(text,
                     {"7 sample rounds", "dummy, n = 1,000, the backend's block bb, lambda, utm dummy, n = 8,192",
                      "dummy, n = 8,192, the backend's block bb, lambda skipped utm: --map utm is exact to n = 4097",
                      "edm, n = 1,000, 2 features, condensed, the backend's block, 2.006 MB a map"});
  // Pairs at 1000 and 8192: three maps at the small size and two at the large one, twice, in seven rounds.
  const double items = 7 * 2 * (3 * 499500.0 + 2 * 33550336.0);
  EXPECT_NEAR(items, 0.9604e9, 1e6);
  EXPECT_NE(text.find("4 groups of 12 combinations, 2 of them certain to be skipped; 960.4 M items"), std::string::npos)
      << text;
}

TEST(DryRun, APresetShowsItsHours) {
  // With a block a cell bb launches the whole square, and each sample of the paper is ten launches.
  EXPECT_NE(flat(dry_run_text(dry_plan({"--kernel", "gasket", "--n", "1024", "--block", "1", "--map", "bb,gasket",
                                        "--samples", "3"}),
                              80))
                .find(" 3.323 M items and idle blocks"),
            std::string::npos);
  EXPECT_NE(flat(dry_run_text(dry_plan({"--preset", "paper-gasket"}), 80)).find("that is 7.8 hours."),
            std::string::npos);
  const std::string text = dry_run_text(dry_plan({"--preset", "paper-ltm"}), 80);
  const std::string words = flat(text);
  EXPECT_NE(words.find("150 groups of 1,970 combinations"), std::string::npos) << words.substr(words.size() - 300);
  EXPECT_EQ(words.rfind("paper-ltm: dummy, and edm of 1 to 4 features", 0), 0u) << words.substr(0, 200);
  test::expect_parts(words, {"synchronised launches, compared with bb", "hours"});
  EXPECT_EQ(text.find("\n  skipped"), std::string::npos) << "utm ends at its limit";
  EXPECT_NE(dry_run_text(dry_plan({"--preset", "paper-ltm", "--map", "bb,utm"}), 80).find("\n  skipped utm: "),
            std::string::npos)
      << "it was asked for";
  EXPECT_NE(words.find("n = 30,720, 4 features, condensed, block 16, 1.888 GB a map"), std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(DryRun, RejectsOnlyWhatIsCertain) {
  using K = BenchKernel;
  EXPECT_NE(certain_refusal(spec(K::dummy, "utm", 5000, 0)), "");        // threads: no block matters
  EXPECT_EQ(certain_refusal(spec(K::dummy, "lambda-n", 40000, 0)), "");  // exact with a large block
  EXPECT_NE(certain_refusal(spec(K::dummy, "lambda-n", 40000, 16)), "");
  EXPECT_EQ(certain_refusal(spec(K::dummy, "lambda-n", 40000, 32)), "");
  EXPECT_NE(certain_refusal(spec(K::gasket, "bb", 1000, 0)), "");
  EXPECT_EQ(certain_refusal(spec(K::gasket, "bb", 1024, 0)), "");
  EXPECT_NE(certain_refusal(spec(K::gasket, "bb", 1024, 24)), "");
  EXPECT_EQ(certain_refusal(spec(K::edm, "fill", 1 << 20, 16)), "");
  EXPECT_NE(certain_refusal(spec(K::triplet, "tetra-r", 5000, 16)), "");
  BenchSpec carpet = spec(K::gasket, "bb", 9, 0);
  carpet.fractal = "carpet";
  EXPECT_EQ(certain_refusal(carpet), "");
  carpet.n = 64;
  EXPECT_NE(certain_refusal(carpet), "");
}

// The preset device-report: its plan, its floors, its report, and how it keeps its time.

using Json = nlohmann::ordered_json;

BenchPlan plan_for(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"triangulum", "bench", "--preset", "device-report"});
  return bench_plan(parse_options(arguments));
}

/// 1e9 lanes, 1e9 bytes, 1e6 launches a second.
Floors round_floors() { return {{1e9, "lanes"}, {1e9, "bytes"}, {1e6, "launches"}}; }

TEST(DeviceReport, EveryKernelOnEveryMapAtOneSizeForEachKindOfDevice) {
  for (const char* backend : {"cpu", "cuda"}) {
    BenchPlan plan = plan_for({});
    EXPECT_TRUE(plan.floors);
    choose_sizes(plan, backend);
    ASSERT_EQ(plan.parts.size(), bench_kernels().size());
    for (std::size_t i = 0; i < plan.parts.size(); ++i) {
      const BenchPart& part = plan.parts[i];
      EXPECT_EQ(part.kernel, bench_kernels()[i].id);
      EXPECT_EQ(part.sizes.size(), 1u);
      EXPECT_EQ(part.maps, maps_of_kernel(part.kernel, {"all"}));
      EXPECT_TRUE(part.gpu_sizes.empty());
    }
  }
  BenchPlan cpu = plan_for({}), gpu = plan_for({});
  choose_sizes(cpu, "cpu"), choose_sizes(gpu, "cuda");
  for (std::size_t i = 0; i < cpu.parts.size(); ++i) EXPECT_LT(cpu.parts[i].sizes, gpu.parts[i].sizes);
}

TEST(DeviceReport, SizesOfTheCommandLineHoldOnEveryDevice) {
  BenchPlan plan = plan_for({"--kernel", "gravity", "--n", "500"});
  choose_sizes(plan, "cuda");
  ASSERT_EQ(plan.parts.size(), 1u);
  EXPECT_EQ(plan.parts[0].sizes, std::vector<u64>{500});
}

TEST(DeviceReport, ADryRunSaysWhatWouldRun) {
  BenchPlan plan = plan_for({"--backend", "cuda"});
  CommonOptions common;
  common.backend = "cuda";
  choose_sizes(plan, chosen_backend(common));
  const std::string text = dry_run_text(plan, 200);
  for (const char* words : {"device-report: every kernel on every map", "gravity, n = 65,536", "gasket, n = 32,768",
                            "7 groups of 80 combinations"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }
  EXPECT_EQ(text.find("hours"), std::string::npos) << text;
}

struct FakeRun {
  test::FakeBackend backend;
  BenchPlan plan;
  BenchMeta meta;
  std::vector<BenchGroup> groups;
};

void make(FakeRun& r, u32 samples) {
  r.backend.rates = round_floors();
  r.backend.scripts["lambda"].ms = 2;
  r.backend.scripts["utm"].refusal = "too large.";
  r.plan.parts = {{{}, BenchKernel::gravity, {1001}, {"bb", "lambda", "utm"}}};
  r.plan.parts[0].gpu_sizes = {9999};
  r.plan.samples = samples, r.plan.warmup_ms = 0, r.plan.floors = true;
  r.meta = bench_meta(RunConfig{}, r.backend.info());
  settle_on(r.backend, r.plan, r.meta);
  r.groups = run_bench(r.backend, r.plan, {});
}

TEST(DeviceReport, TheReportHasFloorsAndShares) {
  FakeRun r;
  make(r, 7);
  const Json j = Json::parse(report_json(r.meta, r.plan, r.groups));
  EXPECT_EQ(j["meta"]["floors"]["arithmetic"], (Json{{"per_s", 1e9}, {"how", "lanes"}}));
  EXPECT_EQ(j["meta"]["floors"]["memory"]["per_s"], 1e9);
  EXPECT_EQ(j["meta"]["floors"]["launches"]["how"], "launches");
  // 1001 * 1000 / 2 pairs of 23 lanes at 1e9 a second.
  const Json& floor = j["results"][1]["floor"];
  EXPECT_EQ(floor["by"], "arithmetic");
  EXPECT_DOUBLE_EQ(floor["ms"], 500500 * 23.0 / 1e6);
  EXPECT_DOUBLE_EQ(floor["share"], 500500 * 23.0 / 1e6 / 2);
  EXPECT_TRUE(j["results"][2]["floor"].is_null()) << "skipped";
  test::expect_parts(group_table(r.groups[0], r.plan, 100, r.meta.floors), {"floors: bb", "of arithmetic"});
  EXPECT_NE(table_head(r.meta).find("1.000 GB/s"), std::string::npos) << table_head(r.meta);
  EXPECT_EQ(group_table(r.groups[0], r.plan, 100).find("floors"), std::string::npos);
}

TEST(DeviceReport, AReportIsReadAsItWasWritten) {
  FakeRun r;
  make(r, 7);
  const std::string text = report_json(r.meta, r.plan, r.groups);
  EXPECT_EQ(report_json(r.meta, r.plan, filled(resumed_slots("r.json", text, r.meta, r.plan))), text);
}

TEST(DeviceReport, ABackendWithoutFloorsIsRefused) {
  test::FakeBackend backend;
  BenchPlan plan;
  plan.floors = true;
  BenchMeta meta;
  plan.common.threads = 3;
  EXPECT_THROW(settle_on(backend, plan, meta), ConfigError);
  EXPECT_EQ(backend.floor_threads, 3u);
}

TEST(DeviceReport, ASlowDeviceTakesFewerRoundsAndTheyCount) {
  FakeRun r;
  r.plan.budget_s = 1e-9;
  make(r, 50);
  for (const BenchRow& row : r.groups[0].rows) {
    if (row.skipped) continue;
    EXPECT_EQ(row.samples_ms.size(), kMinRounds);
    EXPECT_TRUE(row.check.passed);
  }
  EXPECT_TRUE(r.groups[0].rows[1].improvement->decided());
  const std::string text = report_json(r.meta, r.plan, r.groups);
  EXPECT_EQ(filled(resumed_slots("r.json", text, r.meta, r.plan)).size(), 1u) << "complete, as there was no more time";
  r.plan.budget_s = 0;
  EXPECT_TRUE(filled(resumed_slots("r.json", text, r.meta, r.plan)).empty());
  r.plan.budget_s = 3600;
  EXPECT_EQ(run_bench(r.backend, r.plan, {})[0].rows[0].samples_ms.size(), 50u);
}

}  // namespace
}  // namespace tri::app
