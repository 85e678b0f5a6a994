// What commands share: axes, engines, specs of scenes, tables, progress.
//
// Axes of a bench: ranges, lists, maps of kernels, bounds.

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "app/bench/bench_runner.hpp"
#include "app/support/console.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/option_values.hpp"
#include "app/support/run_config.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/support/expect.hpp"

namespace tri::app {
namespace {

using Sizes = std::vector<u64>;

TEST(Axes, Sizes) {
  EXPECT_EQ(parse_sizes("--n", "1000"), Sizes{1000});
  EXPECT_EQ(parse_sizes("--n", "2^10"), Sizes{1024});
  EXPECT_EQ(parse_sizes("--n", "1024:4096:1024"), (Sizes{1024, 2048, 3072, 4096}));
  EXPECT_EQ(parse_sizes("--n", "10:30:8"), (Sizes{10, 18, 26}));
  EXPECT_EQ(parse_sizes("--n", "7:7:1"), Sizes{7});
  EXPECT_EQ(parse_sizes("--n", "2^10:2^15"), (Sizes{1024, 2048, 4096, 8192, 16384, 32768}));
  EXPECT_EQ(parse_sizes("--n", "5,2^3:2^4,100:102:2"), (Sizes{5, 8, 16, 100, 102}));
  EXPECT_EQ(parse_sizes("--n", "2^10:2^11:512"), (Sizes{1024, 1536, 2048}));
}

TEST(Axes, BadSizes) {
  for (const char* text : {"", "0", "-1", "a", "1:2", "4:2:1", "1:2:0", "2^40", "1,1", "1,,2", "2^2:9", "1:100000:1",
                           "1:2:3:4", ":", "1e-3", "1.5e0", " 1"}) {
    EXPECT_THROW(parse_sizes("--n", text), ConfigError) << text;
  }
  EXPECT_THROW(parse_small_sizes("--features", "17", 1, 16), ConfigError);
  EXPECT_EQ(parse_small_sizes("--features", "1:16:5", 1, 16), (std::vector<u32>{1, 6, 11, 16}));
}

TEST(Axes, SidesOfAProof) {
  EXPECT_EQ(side_list("--n", "3..6,10,2^4"), (std::vector<u64>{3, 4, 5, 6, 10, 16}));
  EXPECT_EQ(side_list("--n", "7..7"), (std::vector<u64>{7}));
  EXPECT_EQ(side_list("--n", "1..2^16").size(), 65536u);
  for (const char* text : {"", "6..3", "1..", "..4", "1...4", "0..3", "1..65537", "1..65536,70000", "a..b"}) {
    EXPECT_THROW(side_list("--n", text), ConfigError) << text;
  }
}

TEST(Axes, TooManySizesAreRejectedAtOnce) {
  EXPECT_EQ(parse_sizes("--n", "1:4096:1").size(), 4096u);
  EXPECT_THROW(parse_sizes("--n", "1:4096:1,5000"), ConfigError);
  std::string text = "1:4096:1";  // 20 million values from a command line of 100 KB
  for (u64 k = 1; k < 5000; ++k)
    text += "," + std::to_string(4096 * k + 1) + ":" + std::to_string(4096 * k + 4096) + ":1";
  EXPECT_THROW(parse_sizes("--n", text), ConfigError);
}

TEST(Axes, Kernels) {
  EXPECT_EQ(parse_kernels("all").size(), 7u);
  EXPECT_EQ(parse_kernels("gasket,edm"), (std::vector<BenchKernel>{BenchKernel::gasket, BenchKernel::edm}));
  EXPECT_THROW(parse_kernels("edm,edm"), ConfigError);
  EXPECT_THROW(parse_kernels("eddm"), ConfigError);
}

TEST(Axes, MapsOfKernels) {
  EXPECT_EQ(maps_of_kernel(BenchKernel::edm, {"all"}).size(), kTriangleMapCount);
  EXPECT_EQ(maps_of_kernel(BenchKernel::triplet, {"all"}).size(), kTetraMapCount);
  EXPECT_EQ(maps_of_kernel(BenchKernel::dummy3, {"all"}).size(), kTetraMapCount);
  EXPECT_EQ(maps_of_kernel(BenchKernel::gasket, {"all"}).size(), kGasketMapCount);
  const std::vector<std::string> wanted{"lambda", "tetra", "bb", "plain"};
  EXPECT_EQ(maps_of_kernel(BenchKernel::gravity, wanted), (std::vector<std::string>{"lambda", "bb", "plain"}));
  EXPECT_EQ(maps_of_kernel(BenchKernel::triplet, wanted), (std::vector<std::string>{"tetra", "bb", "plain"}));
  EXPECT_EQ(maps_of_kernel(BenchKernel::edm, wanted), (std::vector<std::string>{"lambda", "bb"}));
  EXPECT_NO_THROW(check_maps({BenchKernel::gravity, BenchKernel::triplet}, wanted));
  EXPECT_THROW(check_maps({BenchKernel::gravity}, {"tetra"}), ConfigError);
  EXPECT_THROW(check_maps({BenchKernel::edm}, {"plain"}), ConfigError);
}

TEST(Axes, RepeatedSizesAndAllBesideOthersAreRejected) {
  EXPECT_NE(test::message_of<ConfigError>([] { parse_sizes("--n", "4,2^2"); }).find("holds 4 twice"),
            std::string::npos);
  EXPECT_NE(test::message_of<ConfigError>([] {
              check_maps({BenchKernel::gravity}, {"all", "bb"});
            }).find("stands alone"),
            std::string::npos);
  EXPECT_NO_THROW(check_maps({BenchKernel::gravity}, {"all"}));
}

TEST(Axes, BaselinesMustBeNamedAndAllExcludesThem) {
  const std::vector<std::string> wanted{"fill", "lambda", "lambda-alone", "bb"};
  EXPECT_EQ(maps_of_kernel(BenchKernel::edm, wanted), wanted);
  EXPECT_EQ(maps_of_kernel(BenchKernel::collision, wanted), (std::vector<std::string>{"lambda", "lambda-alone", "bb"}));
  EXPECT_EQ(maps_of_kernel(BenchKernel::dummy, wanted), (std::vector<std::string>{"lambda", "bb"}));
  EXPECT_NO_THROW(check_maps({BenchKernel::dummy, BenchKernel::edm}, wanted));
  EXPECT_THROW(check_maps({BenchKernel::collision}, {"fill"}), ConfigError);
  EXPECT_THROW(check_maps({BenchKernel::gravity}, {"lambda-alone"}), ConfigError);
  for (const BenchKernelInfo& kernel : bench_kernels()) {
    for (const std::string& name : maps_of_kernel(kernel.id, {"all"})) EXPECT_FALSE(find_baseline(name)) << name;
  }
}

/// The values of the axis with this key, from text.
template <class T>
std::vector<T> axis_values(std::string_view key, const std::string& text) {
  std::vector<T> values;
  describe_axes([&]<class Of>(const BenchAxisInfo& axis, Of BenchSpec::*, auto) {
    if constexpr (std::is_same_v<Of, T>) {
      if (key == axis.key) values = parse_axis<T>(axis, text);
    }
  });
  return values;
}
std::vector<BenchForm> parse_forms(const std::string& text) { return axis_values<BenchForm>("form", text); }
std::vector<u32> parse_dimensions(const std::string& text) { return axis_values<u32>("dimensions", text); }

/// Each name parses to its own enumerator.
TEST(Axes, NamesOfForms) {
  EXPECT_EQ(parse_forms("automaton,hold"), (std::vector{BenchForm::automaton, BenchForm::hold}));
  EXPECT_EQ(forms_of_kernel(BenchKernel::gasket, parse_forms("compact,hold,automaton")),
            (std::vector{BenchForm::compact, BenchForm::automaton}));
  EXPECT_EQ(forms_of_kernel(BenchKernel::dummy3, parse_forms("compact,store,hold")),
            (std::vector{BenchForm::store, BenchForm::hold}));
  EXPECT_TRUE(forms_of_kernel(BenchKernel::edm, parse_forms("hold")).empty());
  EXPECT_EQ(axis_values<DistanceLayout>("layout", "condensed,lower,square"),
            (std::vector<DistanceLayout>{DistanceLayout::condensed, DistanceLayout::lower, DistanceLayout::square}));
  EXPECT_EQ(parse_dimensions("3,1"), (std::vector<u32>{3, 1}));
  const auto expect_names = []<class E>(E, std::initializer_list<const char*> names) {
    for (const char* name : names) EXPECT_EQ(to_string(from_name<E>(name)), name);
  };
  expect_names(BenchForm{}, {"hold", "store", "write", "automaton", "reduce", "compact"});
  expect_names(DistanceLayout{}, {"condensed", "square", "lower"});
  expect_names(RecForm{}, {"launches", "graph", "device"});
  expect_names(LaunchTiming{}, {"work", "synchronised", "averaged"});
  expect_names(GasketPlacement{}, {"subbox", "lut", "unroll", "sectors"});
  EXPECT_EQ(from_name<RecForm>("device"), RecForm::device);
  EXPECT_EQ(axis_values<LaunchTiming>("timing", "synchronised"), std::vector{LaunchTiming::synchronised});
  EXPECT_THROW(axis_values<LaunchTiming>("timing", "work,averaged"), ConfigError);
  EXPECT_EQ(axis_values<GasketPlacement>("placement", "unroll,subbox"),
            (std::vector<GasketPlacement>{GasketPlacement::unroll, GasketPlacement::subbox}));
  EXPECT_THROW(parse_forms("hold,hold"), ConfigError);
  EXPECT_THROW(parse_forms("redcue"), ConfigError);
  EXPECT_THROW(parse_dimensions("2"), ConfigError);
}

// Which map and block apply to pairs and which to triples.

constexpr Domains kPairs{true, false}, kTriples{false, true}, kBoth{true, true};

EngineConfig chosen(std::vector<std::string> maps, std::vector<u32> blocks, Domains domains) {
  CommonOptions common;
  common.maps = std::move(maps), common.blocks = std::move(blocks);
  return engine_config(common, domains, Precision::fp32);
}

TEST(EngineChoice, AMapAppliesToTheDomainsThatHaveIt) {
  EXPECT_EQ(chosen({"fold"}, {}, kPairs).pair_map, TriangleMapId::fold);
  EXPECT_EQ(chosen({"tetra-lut"}, {}, kTriples).triple_map, TetraMapId::tetra_lut);
  const EngineConfig both = chosen({"bb"}, {}, kBoth);
  EXPECT_EQ(both.pair_map, TriangleMapId::bb);
  EXPECT_EQ(both.triple_map, TetraMapId::bb);
}

TEST(EngineChoice, TwoNamesInAnyOrder) {
  for (const auto& names : {std::vector<std::string>{"fold", "bb"}, std::vector<std::string>{"bb", "fold"}}) {
    const EngineConfig c = chosen(names, {}, kBoth);
    EXPECT_EQ(c.pair_map, TriangleMapId::fold);
    EXPECT_EQ(c.triple_map, TetraMapId::bb);
  }
  const EngineConfig c = chosen({"tetra-stream", "h"}, {}, kBoth);
  EXPECT_EQ(c.pair_map, TriangleMapId::h);
  EXPECT_EQ(c.triple_map, TetraMapId::tetra_stream);
}

TEST(EngineChoice, TheRequestedBroadPhase) {
  CommonOptions common;
  EXPECT_EQ(engine_config(common, kPairs, Precision::fp32).broad_phase, BroadPhase::automatic);
  common.broad_phase = BroadPhase::grid;
  EXPECT_EQ(engine_config(common, kPairs, Precision::fp32).broad_phase, BroadPhase::grid);
}

TEST(EngineChoice, NothingIsIgnored) {
  EXPECT_THROW(chosen({"tetra"}, {}, kPairs), ConfigError);
  EXPECT_THROW(chosen({"lambda"}, {}, kTriples), ConfigError);
  EXPECT_THROW(chosen({"lambda", "fold"}, {}, kPairs), ConfigError);
  EXPECT_THROW(chosen({"lambda", "fold"}, {}, kBoth), ConfigError);
  EXPECT_THROW(chosen({"gasket"}, {}, kPairs), ConfigError);
  EXPECT_THROW(chosen({"lamda"}, {}, kPairs), ConfigError);
  EXPECT_THROW(chosen({}, {32, 8}, kPairs), ConfigError);
  EXPECT_THROW(chosen({"bb"}, {}, {false, false}), ConfigError);
}

TEST(EngineChoice, Blocks) {
  EXPECT_EQ(chosen({}, {48}, kPairs).pair_block, 48u);
  EXPECT_EQ(chosen({}, {48}, kPairs).triple_block, 0u);
  EXPECT_EQ(chosen({}, {16}, kBoth).pair_block, 16u);
  EXPECT_EQ(chosen({}, {16}, kBoth).triple_block, 16u);
  EXPECT_EQ(chosen({}, {64, 4}, kBoth).pair_block, 64u);
  EXPECT_EQ(chosen({}, {64, 4}, kBoth).triple_block, 4u);
}

TEST(EngineChoice, PrecisionOfTheCommandUnlessGiven) {
  CommonOptions common;
  EXPECT_EQ(engine_config(common, kPairs, Precision::fp64).precision, Precision::fp64);
  common.precision = Precision::fp32;
  EXPECT_EQ(engine_config(common, kPairs, Precision::fp64).precision, Precision::fp32);
}

TEST(EngineChoice, ChoicesThatDoNothingAreRefusedOrTold) {
  ForceField gravity, spheres, none;
  spheres.pair = PairLaw::contact, none.pair = PairLaw::none;
  CommonOptions common;
  EngineConfig used;
  common.broad_phase = BroadPhase::all_pairs;
  EXPECT_THROW(check_choices(common, gravity), ConfigError);
  EXPECT_NO_THROW(check_choices(common, spheres));
  common = {};
  common.accumulate = Accumulate::ordered;
  EXPECT_THROW(check_choices(common, none), ConfigError);
  EXPECT_NO_THROW(check_choices(common, gravity));
  EXPECT_EQ(check_effect(common, spheres, used, "cpu"), "");
  spheres.contact.impulse = true;
  EXPECT_NE(check_effect(common, spheres, used, "cpu"), "");
  common = {};
  common.blocks = {64};
  used.broad_phase = BroadPhase::grid;
  EXPECT_THROW(check_effect(common, spheres, used, "cuda"), ConfigError);
  EXPECT_EQ(check_effect(common, spheres, used, "cpu"), "") << "whose cells have tiles";
  used.broad_phase = BroadPhase::all_pairs;
  EXPECT_EQ(check_effect(common, spheres, used, "cuda"), "");
  common = {};
  common.tolerance = Tolerance::close;
  used.arithmetic = Arithmetic::float32;
  for (const char* backend : {"cpu", "cuda"}) {
    EXPECT_EQ(check_effect(common, gravity, used, backend), "") << "all pairs keep it";
  }
  EXPECT_THROW(check_effect(common, spheres, used, "cpu"), ConfigError);
  common.pairs = PairSearch::all;
  EXPECT_THROW(check_effect(common, gravity, used, "cpu"), ConfigError);
  used.arithmetic = Arithmetic::tensor;
  EXPECT_EQ(check_effect(common, gravity, used, "cuda"), "");
  common = {};
  common.backend = "auto", common.slice_ms = 20;
  if (chosen_backend(common) == "cpu") {
    EXPECT_THROW(open_backend(common), ConfigError);
  }
  common = {};
  EXPECT_EQ(engine_config(common, {false, true}, Precision::fp64).arithmetic, Arithmetic::automatic);
  common.maps = {"tetra"};  // and not products over pairs
  EXPECT_EQ(engine_config(common, {false, true}, Precision::fp64).arithmetic, Arithmetic::float32);
}

TEST(EngineChoice, WorkThatDevicesDoNotShareIsDoneByTheFirst) {
  CommonOptions common;
  EXPECT_EQ(first_device(common), 0);
  EXPECT_EQ(on_one_device(common).device, common.device) << "nothing was chosen";
  common.devices = {3, 1};
  EXPECT_EQ(first_device(common), 3);
  EXPECT_EQ(on_one_device(common).device, 3);
  EXPECT_TRUE(on_one_device(common).devices.empty());
  common.devices = {kAllDevices};
  EXPECT_EQ(first_device(common), 0);
  EXPECT_EQ(on_one_device(common).device, 0);
  common = {};
  common.device = 2;
  EXPECT_EQ(first_device(common), 2);
  EXPECT_EQ(on_one_device(common).device, 2);
}

TEST(EngineChoice, UnknownBackend) {
  CommonOptions common;
  common.backend = "cpu";
  EXPECT_EQ(open_backend(common)->info().name, "cpu");
}

// Texts of scenes: the counts that they give, and keys that replace earlier ones.

TEST(SceneSpec, CountsAreThoseOfTheTextElseTheDefaults) {
  EXPECT_EQ(scene_count("plummer", "n"), 4096u);
  EXPECT_EQ(scene_count("plummer:eps=0.1,n=300,seed=7", "n"), 300u);
  EXPECT_EQ(scene_count("plummer:n=300,n=20", "n"), 20u);
  EXPECT_EQ(scene_count("plummer:n=300", "seed"), 42u);
  EXPECT_EQ(scene_count("merger:n=512", "n"), 512u) << "of each galaxy: the scene has twice as many";
  EXPECT_EQ(scene_count("merger:first.n=512", "n"), 8192u) << "another key";
  EXPECT_EQ(scene_count("plummer:n=1e3", "n"), std::nullopt) << "no integer in digits";
  EXPECT_EQ(scene_count("figure-8", "n"), std::nullopt);
  EXPECT_EQ(scene_count("bodies.csv", "n"), std::nullopt);
  for (const SceneInfo& scene : list_scenes()) {
    if (!scene_takes(scene.name, "n")) continue;
    const auto n = scene_count(scene.name, "n");
    ASSERT_TRUE(n) << scene.name;
    EXPECT_EQ(make_scene(scene.name).bodies.size() % *n, 0u) << scene.name;
  }
}

TEST(SceneSpec, AKeyReplacesTheEarlierOne) {
  EXPECT_EQ(with_key("plummer", "n", "5"), "plummer:n=5");
  EXPECT_EQ(with_key("plummer:n=300,eps=0.1", "n", "5"), "plummer:eps=0.1,n=5");
  EXPECT_EQ(scene_count(with_key("merger:n=512,second.n=3", "n", "64"), "n"), 64u);
}

// Progress lines, tested on a pseudo-terminal, and the time left of a bench.

/// The two ends of a terminal.
class Terminal {
 public:
  Terminal() : here_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (here_ < 0 || grantpt(here_) != 0 || unlockpt(here_) != 0) throw std::runtime_error("no terminal");
    there_ = fopen(ptsname(here_), "r+");
    if (there_ == nullptr) throw std::runtime_error("no terminal");
    fcntl(here_, F_SETFL, O_NONBLOCK);
  }
  ~Terminal() { fclose(there_), close(here_); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  std::FILE* stream() { return there_; }
  std::string seen() {
    fflush(there_);
    std::string text(4096, '\0');
    const ssize_t got = read(here_, text.data(), text.size());
    return text.substr(0, got < 0 ? 0 : static_cast<std::size_t>(got));
  }

 private:
  int here_;
  std::FILE* there_ = nullptr;
};

void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

TEST(ProgressLine, OnlyForLongWork) {
  Terminal terminal;
  const std::atomic<bool> interrupted{false};
  {
    Console console(stdout, terminal.stream(), Console::Level::normal);
    ProgressLine line(console, interrupted, false);
    const std::string big = "big.tab", small = "small.tab";
    line.report({ProgressKind::reading, big, 0, 1000});
    line.report({ProgressKind::reading, big, 100, 1000});
    EXPECT_EQ(terminal.seen(), "") << "it may end at once";
    wait(0.6);
    line.report({ProgressKind::reading, big, 500, 1000});
    EXPECT_EQ(terminal.seen(), "\r\033[Kreading big.tab: 50 %, 1 s left");
    line.report({ProgressKind::writing, small, 500, 1000});
    wait(0.6);
    line.report({ProgressKind::writing, small, 10, 1000});  // the same work restarted
    EXPECT_EQ(terminal.seen(), "") << "other work is timed separately";
    wait(0.6);
    line.report({ProgressKind::writing, small, 3'500'000, 0});
    EXPECT_EQ(terminal.seen(), "\r\033[Kwriting small.tab: 3.500 Mbytes");
  }
  EXPECT_EQ(terminal.seen(), "\r\033[K") << "the line is removed with the console";
}

TEST(ProgressLine, NothingOnAPipeNorUnderQuiet) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* pipe = open_memstream(&text, &size);
  Terminal terminal;
  const std::atomic<bool> interrupted{false};
  const std::string name = "file";
  {
    Console piped(stdout, pipe, Console::Level::normal), quiet(stdout, terminal.stream(), Console::Level::quiet);
    ProgressLine first(piped, interrupted, false), second(quiet, interrupted, false);
    for (int i = 0; i < 2; ++i, wait(0.6)) {
      for (ProgressLine* line : {&first, &second}) line->report({ProgressKind::reading, name, 1.0 + i, 3});
    }
  }
  std::fclose(pipe);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(terminal.seen(), "");
  std::free(text);
}

TEST(ProgressLine, LeavesNoLineBehind) {
  const std::atomic<bool> yes{true};
  Console console(stdout, stderr, Console::Level::quiet);
  ProgressLine run(console, yes, false), convert(console, yes, true);
  const std::string name = "a.tab", job = "distances of 3 points";
  EXPECT_NO_THROW(run.report({ProgressKind::writing, name, 1, 2})) << "a run keeps its last state";
  EXPECT_NO_THROW(run.report({ProgressKind::computing, job, 1, 2})) << "and ends its step";
  wait(0.15);
  EXPECT_THROW(run.report({ProgressKind::computing, job, 1, 2}), InterruptedError) << "unless that takes long";
  EXPECT_NO_THROW(run.report({ProgressKind::writing, name, 1, 2}));
  EXPECT_THROW(run.report({ProgressKind::reading, name, 1, 2}), InterruptedError);
  EXPECT_THROW(convert.report({ProgressKind::writing, name, 1, 2}), InterruptedError);
  EXPECT_EQ(test::message_of<InterruptedError>([&] {
              convert.report({ProgressKind::computing, job, 1, 2});
            }),
            "interrupted while computing distances of 3 points; nothing was written.");
}

TEST(TimeLeft, ExtrapolatesFromTheWorkDone) {
  EXPECT_EQ(time_left(25, 100, 10), ", 30 s left");
  EXPECT_EQ(time_left(100, 100, 10), ", 0 s left");
  EXPECT_EQ(time_left(0, 100, 10), "");
  EXPECT_EQ(time_left(10, 100, 0), "");
  EXPECT_EQ(time_left(101, 100, 5), "") << "more than the total";
}

/// Groups of two maps each, n ascending.
std::vector<PlannedGroup> groups_of(BenchKernel kernel, std::vector<u64> sizes) {
  std::vector<PlannedGroup> groups;
  for (const u64 n : sizes) {
    PlannedGroup group;
    group.common.kernel = kernel;
    group.common.n = n;
    group.maps = {"bb", "lambda"};
    groups.push_back(group);
  }
  return groups;
}

TEST(BenchEta, GrowsWithTheWorkOfTheDomain) {
  BenchPlan plan;
  plan.warmup_ms = 500;  // one second per group
  BenchEta pairs(plan, groups_of(BenchKernel::gravity, {1000, 2000, 4000}));
  EXPECT_FALSE(pairs.left(0, 0.5, 0)) << "no estimate yet";
  // Half of the rounds took 1.5 s, so all take 3 s, of which 2 s are samples; 1 + 8 s and 1 + 32 s remain.
  EXPECT_NEAR(pairs.left(0, 1.5, 0.5).value(), 1.5 + 9 + 33, 1e-9);
  pairs.finished(0, 3);
  EXPECT_NEAR(pairs.left(1, 4, 0).value(), 9 - 4 + 33, 1e-9);
  EXPECT_NEAR(pairs.left(1, 20, 0).value(), 33, 1e-9) << "at least the time of the other groups";
  pairs.finished(1, 5);  // too fast to measure: the nearest n decides
  EXPECT_NEAR(pairs.left(2, 0, 0).value(), 1 + 4 * 4, 1e-9);

  BenchEta triples(plan, groups_of(BenchKernel::triplet, {100, 200}));
  triples.finished(0, 3);
  EXPECT_NEAR(triples.left(1, 0, 0).value(), 1 + 2 * 8, 1e-9);
}

TEST(BenchEta, OtherKernelsAreIgnored) {
  BenchPlan plan;
  std::vector<PlannedGroup> groups = groups_of(BenchKernel::gravity, {1000});
  for (const PlannedGroup& g : groups_of(BenchKernel::edm, {1000, 1000})) groups.push_back(g);
  BenchEta eta(plan, groups);
  eta.finished(0, 3);
  EXPECT_FALSE(eta.left(1, 1, 0));
  EXPECT_TRUE(eta.left(1, 1, 0.1)) << "its own rounds count";
  eta.finished(1, 0);  // resumed: already done, at no cost
  EXPECT_FALSE(eta.left(2, 1, 0));
}

// Tables and human-readable numbers.

// `timeout` sends its signal twice.
TEST(Interrupts, ASecondOneEndsTheProgramButNoneThatComesWithTheFirst) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto take = [&](int pause_ms) {
      catch_interrupts();
      raise(signal);
      std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
      raise(signal);
      std::exit(interrupt_flag() ? 7 : 1);
    };
    EXPECT_EXIT(take(10), testing::ExitedWithCode(7), "") << signal;
    EXPECT_EXIT(take(400), testing::KilledBySignal(signal), "") << signal;
  }
}

TEST(TextTable, AlignsAndTrims) {
  TextTable table({{"map"}, {"ms", true}, {"check"}});
  table.add({"bb", "12.5", "ok"});
  table.add({"lambda", "7", "FAILED"});
  table.add_spanning("utm", "skipped: too large");
  EXPECT_EQ(table.text(),
            "map       ms  check\n"
            "bb      12.5  ok\n"
            "lambda     7  FAILED\n"
            "utm     skipped: too large\n");
}

TEST(TextTable, FoldsTheLastColumn) {
  TextTable table({{"name"}, {"text"}});
  table.add({"a", "one two three four five six"});
  EXPECT_EQ(table.text(30), "name  text\na     one two three four five\n      six\n");
  EXPECT_EQ(table.text(10), table.text());  // too narrow to fold: unchanged
}

TEST(TextTable, Folding) {
  EXPECT_EQ(folded("aa bb cc", 5, 2), "aa bb\n  cc");
  EXPECT_EQ(folded("a-very-long-word b", 5, 0), "a-very-long-word\nb");
  EXPECT_EQ(folded("", 5, 0), "");
}

TEST(Numbers, Prefixes) {
  EXPECT_EQ(with_prefix(0), "0");
  EXPECT_EQ(with_prefix(980), "980");
  EXPECT_EQ(with_prefix(0.788), "0.788");
  EXPECT_EQ(with_prefix(999.96), "1.000 k");
  EXPECT_EQ(with_prefix(16777216), "16.78 M");
  EXPECT_EQ(with_prefix(2.592e12), "2.592 T");
  EXPECT_EQ(with_prefix(349.5e6), "349.5 M");
}

TEST(Numbers, Groups) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(16777216), "16,777,216");
}

TEST(Numbers, Durations) {
  EXPECT_EQ(duration_text(312e-6), "312 ns");
  EXPECT_EQ(duration_text(0.0123), "12.3 us");
  EXPECT_EQ(duration_text(4.56), "4.56 ms");
  EXPECT_EQ(duration_text(1704), "1704 ms");
  EXPECT_EQ(duration_text(12340), "12.3 s");
}

}  // namespace
}  // namespace tri::app
