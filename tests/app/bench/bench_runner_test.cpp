// Running a plan: interleaving, skipped rows, memory, meters, interruption.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/bench/bench_runner.hpp"
#include "app/bench/report.hpp"
#include "sim/base/error.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/fake_backends.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::app {
namespace {

using test::FakeBackend;

BenchPlan quick_plan(std::vector<std::string> maps, u32 samples) {
  BenchPlan plan;
  plan.parts = {{{}, BenchKernel::gravity, {1000}, std::move(maps)}};
  plan.samples = samples;
  plan.warmup_ms = 0;
  return plan;
}

TEST(BenchRunner, MapsAreInterleavedAndChangePlaces) {
  FakeBackend backend;
  const auto groups = run_bench(backend, quick_plan({"bb", "lambda", "fold"}, 3), {});
  const std::vector<std::string> want{"bb",   "lambda", "fold",    // warm-up
                                      "bb",   "fold",   "lambda",  // round 1
                                      "fold", "bb",     "lambda",  // round 2
                                      "fold", "lambda", "bb"};     // round 3
  EXPECT_EQ(backend.order, want);
  EXPECT_EQ(backend.made, 3u);
  EXPECT_EQ(backend.checked, 3u);
  ASSERT_EQ(groups.size(), 1u);
  for (const BenchRow& row : groups[0].rows) EXPECT_EQ(row.samples_ms.size(), 3u);
}

/// What a map leaves behind is not always the burden of the same other one.
TEST(BenchRunner, EachMapFollowsEachOther) {
  for (const std::size_t count : {2, 4, 5, 9}) {
    const std::vector<std::string> all{"bb", "lambda", "fold", "rb", "rec", "h", "utm", "circulant", "lambda-lut"};
    const std::vector<std::string> maps(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    const u32 rounds = static_cast<u32>(count % 2 == 0 ? count : 2 * count);
    FakeBackend backend;
    run_bench(backend, quick_plan(maps, rounds), {});
    std::map<std::pair<std::string, std::string>, u32> after;
    for (std::size_t k = count; k < backend.order.size(); ++k) {
      if (k % count != 0) ++after[{backend.order[k - 1], backend.order[k]}];
    }
    EXPECT_EQ(after.size(), count * (count - 1)) << count << " maps";
    for (const auto& [pair, times] : after) EXPECT_EQ(times, rounds / count) << pair.first << " " << pair.second;
  }
}

/// A ratio that blocks cannot explain is timed again; one that stays is flagged, one that was a disturbance is gone.
TEST(BenchRunner, ARatioAboveItsBoundIsTimedAgainThenFlagged) {
  FakeBackend backend;
  backend.scripts["bb"].ms = 3;
  const auto groups = run_bench(backend, quick_plan({"bb", "lambda"}, 7), {});
  EXPECT_EQ(backend.order.size(), 2u * (2 + 2 * 7)) << "two maps: a warm-up and 7 rounds, twice";
  const BenchRow& lambda = groups[0].rows[1];
  EXPECT_EQ(lambda.samples_ms.size(), 7u);
  EXPECT_TRUE(lambda.above_bound) << "3 x where 1.6 is the bound";
  EXPECT_FALSE(groups[0].rows[0].above_bound);
  const std::string table = group_table(groups[0], quick_plan({"bb", "lambda"}, 7), 100);
  EXPECT_NE(table.find("lambda: 3.00 times as fast is more than its blocks explain (1.60)"), std::string::npos)
      << table;
  const std::string csv = report_csv(groups);
  EXPECT_NE(csv.find(",confidence,together,above_bound,load_others,load_cores,near,series,error\n"), std::string::npos)
      << csv;

  FakeBackend disturbed;
  disturbed.slowed = {"bb", 9};  // its first runs
  const auto after = run_bench(disturbed, quick_plan({"bb", "lambda"}, 7), {});
  EXPECT_EQ(disturbed.order.size(), 32u);
  EXPECT_FALSE(after[0].rows[1].above_bound);
  EXPECT_DOUBLE_EQ(after[0].rows[1].improvement->ratio, 1) << "the second times replace the first";

  FakeBackend level;
  run_bench(level, quick_plan({"bb", "lambda"}, 7), {});
  EXPECT_EQ(level.order.size(), 16u) << "no second time without a reason";
}

TEST(BenchRunner, ImprovementAndBound) {
  FakeBackend backend;
  backend.scripts["bb"].ms = 3;
  backend.scripts["lambda"].ms = 2;
  const auto groups = run_bench(backend, quick_plan({"bb", "lambda"}, 7), {});
  const BenchRow& lambda = groups[0].rows[1];
  EXPECT_DOUBLE_EQ(lambda.improvement->ratio, 1.5);
  EXPECT_TRUE(lambda.improvement->differs());
  EXPECT_DOUBLE_EQ(*lambda.bound, 1.6);  // n = 1000 in blocks of 256: 4 a side
  EXPECT_DOUBLE_EQ(lambda.items_per_s(), 1000 / 2e-3);
  EXPECT_FALSE(groups[0].rows[0].improvement->differs());
}

TEST(BenchRunner, ASkippedMapIsARowWithItsReason) {
  FakeBackend backend;
  backend.scripts["utm"].refusal = "--map utm is exact to n = 4097";
  const auto groups = run_bench(backend, quick_plan({"bb", "utm"}, 2), {});
  ASSERT_EQ(groups[0].rows.size(), 2u);
  EXPECT_FALSE(groups[0].rows[0].skipped.has_value());
  EXPECT_EQ(groups[0].rows[1].skipped, "--map utm is exact to n = 4097");
  EXPECT_TRUE(groups[0].rows[1].samples_ms.empty());
  EXPECT_FALSE(any_failed(groups));
}

TEST(BenchRunner, WithoutATimedBaselineNothingIsCompared) {
  FakeBackend backend;
  backend.scripts["bb"].refusal = "no";
  const auto groups = run_bench(backend, quick_plan({"bb", "lambda"}, 2), {});
  EXPECT_FALSE(groups[0].rows[1].improvement.has_value());
}

TEST(BenchRunner, AFailedCheckIsReported) {
  FakeBackend backend;
  backend.scripts["lambda"].passes = false;
  EXPECT_TRUE(any_failed(run_bench(backend, quick_plan({"bb", "lambda"}, 2), {})));
}

TEST(BenchRunner, CasesTooLargeToCoexistAreRecreated) {
  FakeBackend backend;
  backend.scripts["lambda"].bytes = u64{1} << 50;  // more than any machine has
  backend.scripts["lambda"].ms = 0.8;
  const auto groups = run_bench(backend, quick_plan({"bb", "lambda"}, 6), {});
  EXPECT_GE(backend.made, 12u);
  EXPECT_EQ(backend.checked, 2u);
  for (const BenchRow& row : groups[0].rows) {
    EXPECT_EQ(row.samples_ms.size(), 6u);
    EXPECT_TRUE(row.check.passed);
  }
  EXPECT_DOUBLE_EQ(groups[0].rows[1].improvement->ratio, 1.25);
}

TEST(BenchRunner, InterruptedKeepsWhatWasTimedAndChecksIt) {
  FakeBackend backend;
  std::atomic<bool> stop{false};
  backend.on_run = [&] { stop = backend.order.size() >= 6; };  // warm-up 3, then bb, lambda, fold of round 1
  BenchHooks hooks;
  hooks.stop = &stop;
  BenchPlan plan = quick_plan({"bb", "lambda", "fold"}, 5);
  plan.parts[0].sizes = {1000, 2000};
  const auto groups = run_bench(backend, plan, hooks);
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].rows.size(), 3u);
  for (const BenchRow& row : groups[0].rows) {
    EXPECT_EQ(row.samples_ms.size(), 1u);
    EXPECT_TRUE(row.check.passed);
  }
}

TEST(BenchRunner, TheDevicesMemoryIsTheLimit) {
  FakeBackend backend;
  backend.memory = 1000;
  for (const char* map : {"bb", "lambda"}) backend.scripts[map].bytes = 120;
  run_bench(backend, quick_plan({"bb", "lambda"}, 2), {});
  EXPECT_EQ(backend.made, 2u);  // 240 bytes are less than a quarter of 1000
  backend.made = 0;
  backend.scripts["bb"].bytes = 140;
  run_bench(backend, quick_plan({"bb", "lambda"}, 2), {});
  EXPECT_EQ(backend.made, 6u);  // made once to query it, and for each of two samples
}

TEST(BenchRunner, ACaseThatFitsOnlyAloneIsMadeAlone) {
  FakeBackend backend;
  backend.most_alive = 2;
  const auto groups = run_bench(backend, quick_plan({"bb", "lambda", "fold"}, 3), {});
  ASSERT_EQ(groups[0].rows.size(), 3u);
  for (const BenchRow& row : groups[0].rows) {
    EXPECT_FALSE(row.skipped.has_value()) << *row.skipped;
    EXPECT_EQ(row.samples_ms.size(), 3u);
    EXPECT_TRUE(row.check.passed);
  }
  EXPECT_EQ(backend.alive, 0u);
}

MeterReading some_reading() {
  MeterReading reading;
  reading.seconds = 0.75, reading.energy_j = 300, reading.power_w = 400;
  reading.clock_mhz = 1980, reading.clock_low_mhz = 1755;
  return reading;
}

/// Neither warm-up nor check lies within the span of the rounds; each map's energy has a span of its own.
TEST(BenchRunner, MetersRunOverTheRoundsAndOverEachMap) {
  FakeBackend backend;
  backend.reading = some_reading();
  std::string why;
  const auto meter = backend.make_meter(why);
  BenchHooks hooks;
  hooks.meter = meter.get();
  BenchPlan plan = quick_plan({"bb", "lambda"}, 2);
  plan.energy = true;
  const auto groups = run_bench(backend, plan, hooks);
  const std::vector<std::string> want{"bb",    "lambda",                                        // warm-up
                                      "begin", "bb",          "lambda", "lambda", "bb", "end",  // two rounds
                                      "begin", "bb long",     "end",                            //
                                      "begin", "lambda long", "end"};
  EXPECT_EQ(backend.order, want);
  EXPECT_DOUBLE_EQ(backend.energy_seconds, 0.75);  // the meter's minimum, which exceeds that of the bench
  EXPECT_DOUBLE_EQ(*groups[0].telemetry->clock_low_mhz, 1755);
  EXPECT_DOUBLE_EQ(*groups[0].rows[1].energy_per_item(), 300.0 / (20 * 1000));
}

/// The energy counter advances in steps; a span of few steps gives clocks, but neither energy nor power.
TEST(BenchRunner, AShortSpanGivesNoPower) {
  FakeBackend backend;
  BenchHooks hooks;
  for (const double seconds : {0.37, 0.38}) {  // the meter's minimum is 0.75
    backend.reading = some_reading();
    backend.reading->seconds = seconds;
    std::string why;
    const auto meter = backend.make_meter(why);
    hooks.meter = meter.get();
    const auto groups = run_bench(backend, quick_plan({"bb"}, 2), hooks);
    EXPECT_EQ(groups[0].telemetry->power_w.has_value(), seconds > 0.375);
    EXPECT_EQ(groups[0].telemetry->energy_j.has_value(), seconds > 0.375);
    EXPECT_DOUBLE_EQ(*groups[0].telemetry->clock_mhz, 1980);
  }
}

TEST(BenchRunner, NothingIsMeteredWhereNothingRuns) {
  FakeBackend backend;
  backend.reading = some_reading();
  backend.scripts["bb"].refusal = backend.scripts["utm"].refusal = "no";
  std::string why;
  const auto meter = backend.make_meter(why);
  BenchHooks hooks;
  hooks.meter = meter.get();
  const auto groups = run_bench(backend, quick_plan({"bb", "utm"}, 2), hooks);
  EXPECT_FALSE(groups[0].telemetry.has_value());
  EXPECT_TRUE(backend.order.empty());
}

TEST(BenchRunner, KnownResultsAreNotRunAgain) {
  FakeBackend backend;
  BenchPlan plan = quick_plan({"bb", "lambda"}, 1);
  plan.parts[0].sizes = {10, 20, 30};
  BenchSlots slots(3);
  slots[2] = BenchGroup{{}, false, {}, {}};
  slots[2]->common.n = 77;
  std::vector<std::size_t> known;
  BenchHooks hooks;
  hooks.group_finished = [&](const BenchGroup&, const BenchSlots& all) { known.push_back(filled(all).size()); };
  const auto groups = run_bench(backend, plan, hooks, slots);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].common.n, 10u);
  EXPECT_EQ(groups[2].common.n, 77u);
  EXPECT_EQ(backend.made, 4u);
  EXPECT_EQ(known, (std::vector<std::size_t>{2, 3}));  // resumed entries later in the plan are reported at the start
}

// A bench on a worker thread: its progress, cancellation, errors and output files.

RunConfig three_sizes() {
  RunConfig config;
  config.bench.kernels = {BenchKernel::gravity};
  config.bench.sizes = {64, 128, 256};
  config.bench.samples = 5;
  config.bench.warmup_ms = 0.01;
  config.common.maps = {"bb", "lambda"};
  return config;
}

BenchJob::Opener fake(std::function<void()> on_run = {}) {
  return [on_run]() {
    auto backend = std::make_unique<test::FakeBackend>();
    backend->on_run = on_run;
    backend->scripts["bb"].ms = 4, backend->scripts["lambda"].ms = 2;
    return backend;
  };
}

TEST(BenchJob, TimesEveryGroupOfThePlan) {
  BenchJob job;
  EXPECT_FALSE(job.status().running);
  job.start(three_sizes(), fake());
  job.wait();
  const BenchStatus s = job.status();
  EXPECT_FALSE(s.running);
  EXPECT_FALSE(s.cancelled);
  EXPECT_EQ(s.error, "");
  EXPECT_EQ(s.finished, 3u);
  EXPECT_EQ(s.planned, 3u);
  ASSERT_EQ(s.groups.size(), 3u);
  for (const BenchGroup& group : s.groups) {
    ASSERT_EQ(group.rows.size(), 2u);
    EXPECT_EQ(group.rows[1].spec.map, "lambda");
    EXPECT_EQ(group.rows[1].samples_ms.size(), 5u);
    ASSERT_TRUE(group.rows[1].improvement);
    EXPECT_DOUBLE_EQ(group.rows[1].improvement->ratio, 2);
  }
}

TEST(BenchJob, CommandLineMatchesThePlan) {
  RunConfig config = three_sizes();
  config.common.backend = "cpu", config.common.threads = 2, config.common.blocks = {16};
  BenchJob job;
  job.start(config, fake());
  EXPECT_EQ(job.status().command,
            "triangulum bench --kernel gravity --map bb,lambda --n 64,128,256 --block 16 --samples 5 --backend cpu "
            "--threads 2");
}

/// Its first sample waits for the test.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    reached_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void wait_for_the_other() {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, std::chrono::seconds(30), [this] { return reached_; }));
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false, open_ = false;
};

TEST(BenchJob, RunsInTheBackgroundAndStopsAfterTheSampleInProgress) {
  Gate gate;
  BenchJob job;
  job.start(three_sizes(), fake([&] { gate.pass(); }));
  gate.wait_for_the_other();
  EXPECT_TRUE(job.status().running);
  EXPECT_NE(job.status().progress.find("n = 64"), std::string::npos) << job.status().progress;
  EXPECT_THROW(job.start(three_sizes(), fake()), ConfigError);
  job.cancel();
  EXPECT_TRUE(job.status().running) << "the sample is not over";
  gate.open();
  job.wait();
  const BenchStatus s = job.status();
  EXPECT_FALSE(s.running);
  EXPECT_TRUE(s.cancelled);
  EXPECT_EQ(s.finished, 0u);
  EXPECT_EQ(s.error, "");
}

TEST(BenchJob, DestructionStopsIt) {
  Gate gate;
  u64 runs = 0;
  {
    BenchJob job;
    job.start(three_sizes(), fake([&] { ++runs, gate.pass(); }));
    gate.wait_for_the_other();
    job.cancel();
    gate.open();
  }
  EXPECT_EQ(runs, 1u);
}

TEST(BenchJob, CanBeRestartedWithoutEarlierResults) {
  BenchJob job;
  job.start(three_sizes(), []() -> std::unique_ptr<Backend> { throw BackendError("no device is here."); });
  job.wait();
  EXPECT_EQ(job.status().error, "no device is here.");
  EXPECT_TRUE(job.status().groups.empty());
  const u64 before = job.version();
  RunConfig config = three_sizes();
  config.bench.sizes = {32};
  job.start(config, fake());
  job.wait();
  EXPECT_EQ(job.status().error, "");
  EXPECT_EQ(job.status().groups.size(), 1u);
  EXPECT_GT(job.version(), before);
}

TEST(BenchJob, InvalidPlansAreRejectedBeforeTheStart) {
  BenchJob job;
  RunConfig config = three_sizes();
  config.common.maps = {"lamda"};
  EXPECT_THROW(job.start(config, fake()), ConfigError);
  EXPECT_FALSE(job.status().running);
  EXPECT_THROW(job.save("x.csv"), ConfigError) << "nothing was timed";
}

TEST(BenchJob, WritesTheThreeForms) {
  const test::TempFolder folder;
  BenchJob job;
  job.start(three_sizes(), fake());
  job.wait();
  for (const char* name : {"b.csv", "b.json", "b.svg"}) job.save(folder.at(name));
  const std::string csv = test::content_of(folder.at("b.csv"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 6);
  const auto json = nlohmann::json::parse(test::content_of(folder.at("b.json")));
  EXPECT_EQ(json["results"].size(), 6u);
  EXPECT_EQ(json["meta"]["argv"][1], "bench");
  EXPECT_EQ(test::content_of(folder.at("b.svg")).find("<?xml"), 0u);
  EXPECT_THROW(job.save(folder.at("b.txt")), ConfigError);
  EXPECT_THROW(job.save(folder.at("none/b.csv")), FileError);
}

// Resuming from a result file: which entries are kept, which run again, and which files are rejected.

using Json = nlohmann::ordered_json;
using test::FakeBackend;

/// Two kernels with two axes each, energies, a refusal: 2 x 2 + 2 x 2 groups of three maps.
BenchPlan full_plan() {
  BenchPlan plan;
  plan.parts = {{{}, BenchKernel::edm, {100, 200}, {"bb", "lambda", "utm"}},
                {{}, BenchKernel::dummy, {100, 200}, {"bb", "lambda", "utm"}}};
  plan.parts[0].features = {1, 3};
  plan.parts[1].forms = {BenchForm::hold, BenchForm::store};
  plan.parts[1].blocks = {16};
  plan.samples = 3, plan.warmup_ms = 0, plan.energy = true;
  return plan;
}

BenchMeta meta_of(const FakeBackend& backend) {
  RunConfig config;
  config.argv = {"triangulum", "bench"};
  return bench_meta(config, backend.info());
}

FakeBackend scripted() {
  FakeBackend backend;
  MeterReading reading;
  reading.seconds = 0.7, reading.energy_j = 0.1 + 0.2, reading.clock_mhz = 1980;
  reading.throttling = {"power cap"};
  backend.reading = reading;
  backend.scripts["bb"].ms = 1.0 / 3;
  backend.scripts["lambda"] = {0.1, true, "", 4001};
  backend.scripts["utm"].refusal = "no, \"never\"";
  return backend;
}

std::vector<BenchGroup> run(FakeBackend& backend, const BenchPlan& plan, BenchSlots slots = {}) {
  std::string why;
  const auto meter = backend.make_meter(why);
  BenchHooks hooks;
  hooks.meter = meter.get();
  return run_bench(backend, plan, hooks, std::move(slots));
}

struct Finished {
  FakeBackend backend = scripted();
  BenchPlan plan = full_plan();
  BenchMeta meta = meta_of(backend);
  std::string text = report_json(meta, plan, run(backend, plan));

  BenchSlots resumed() const { return resumed_slots("r.json", text, meta, plan); }
  /// The error message.
  template <class E>
  std::string error() const {
    return test::message_of<E>([this] { resumed(); });
  }
  void edit(const std::function<void(Json&)>& change) {
    Json j = Json::parse(text);
    change(j);
    text = j.dump(2);
  }
};

std::size_t taken(const BenchSlots& slots) { return filled(slots).size(); }

TEST(Resume, AFinishedRunIsKeptToTheLastDigit) {
  Finished f;
  const BenchSlots slots = f.resumed();
  EXPECT_EQ(taken(slots), 8u);
  EXPECT_EQ(report_json(f.meta, f.plan, filled(slots)), f.text);
  FakeBackend again = scripted();
  EXPECT_EQ(report_json(f.meta, f.plan, run(again, f.plan, slots)), f.text);
  EXPECT_EQ(again.made, 0u);
}

TEST(Resume, TheRanksOfARowAreKept) {
  FakeBackend backend = scripted();
  backend.about.ranks = 2;
  BenchPlan plan;
  plan.parts = {{{}, BenchKernel::gravity, {100}, {"bb", "lambda"}}};
  plan.samples = 3, plan.warmup_ms = 0;
  const BenchMeta meta = meta_of(backend);
  const std::string text = report_json(meta, plan, run(backend, plan));
  EXPECT_EQ(report_json(meta, plan, filled(resumed_slots("r.json", text, meta, plan))), text);
  EXPECT_NE(text.find("\"ranks\": 2"), std::string::npos);
}

TEST(Resume, AGroupIsTheUnit) {
  Finished f;
  // Group 1 lacks a map, group 2 was interrupted in its last round, group 4 has a failed check, which is a result.
  f.edit([](Json& j) {
    Json& results = j["results"];
    results[3 * 4]["check"]["passed"] = false;
    results[3 * 2]["samples_ms"].erase(0);
    results.erase(3 * 1 + 1);
  });
  const BenchSlots slots = f.resumed();
  EXPECT_EQ(taken(slots), 6u);
  EXPECT_FALSE(slots[1] || slots[2]);
  EXPECT_TRUE(any_failed(filled(slots)));
  FakeBackend again = scripted();
  const auto groups = run(again, f.plan, slots);
  EXPECT_EQ(groups.size(), 8u);
  EXPECT_EQ(again.made, 2u * 2);  // bb and lambda of both; utm is rejected
}

TEST(Resume, AnInterruptedRunContinues) {
  FakeBackend backend = scripted();
  BenchPlan plan = full_plan();
  plan.energy = false;
  std::atomic<bool> stop{false};
  backend.on_run = [&] { stop = backend.order.size() >= 14; };  // 2 warm-ups and 6 samples per group: in the second
  std::string text;
  const BenchMeta meta = meta_of(backend);
  BenchHooks hooks;
  hooks.stop = &stop;
  hooks.group_finished = [&](const BenchGroup&, const BenchSlots& all) { text = report_json(meta, plan, filled(all)); };
  run_bench(backend, plan, hooks);
  const BenchSlots slots = resumed_slots("r.json", text, meta, plan);
  EXPECT_EQ(Json::parse(text)["results"].size(), 3u + 3);
  EXPECT_EQ(taken(slots), 1u);
  EXPECT_TRUE(slots[0].has_value());
}

TEST(Resume, AnotherOrderOfMapsIsTheSameGroup) {
  Finished f;
  f.plan.parts[0].maps = {"utm", "bb", "lambda"};
  const BenchSlots slots = f.resumed();
  EXPECT_EQ(taken(slots), 8u);
  EXPECT_EQ(slots[0]->rows[0].spec.map, "utm");
  EXPECT_DOUBLE_EQ(slots[0]->rows[2].improvement->ratio, (1.0 / 3) / 0.1);
}

TEST(Resume, APlanMayGrow) {
  Finished f;
  f.plan.parts[0].sizes = {50, 100, 200};
  f.plan.parts[1].maps.push_back("fold");
  const BenchSlots slots = f.resumed();
  EXPECT_EQ(slots.size(), 2u * 3 + 2 * 2);
  EXPECT_EQ(taken(slots), 4u);  // none of dummy: its groups lack fold
  EXPECT_FALSE(slots[0].has_value());
  EXPECT_EQ(slots[1]->common.n, 100u);
}

TEST(Resume, NothingInTheFileIsLost) {
  Finished f;
  f.plan.parts[0].sizes = {100};
  EXPECT_NE(f.error<ConfigError>().find("r.json: it holds edm on map bb at n = 200"), std::string::npos);
  Finished g;
  g.plan.parts[1].maps = {"bb", "utm"};
  EXPECT_NE(g.error<ConfigError>().find("dummy on map lambda at n = 100"), std::string::npos);
}

TEST(Resume, EverySettingMustMatch) {
  const std::vector<std::pair<const char*, std::function<void(Finished&)>>> changes = {
      {"version = ", [](Finished& f) { f.meta.version = "0.0"; }},
      {"backend = \"cpu\"", [](Finished& f) { f.meta.backend.name = "cuda"; }},
      {"device = ", [](Finished& f) { f.meta.backend.device = "another"; }},
      {"driver = null", [](Finished& f) { f.meta.driver = "580"; }},
      {"threads = ", [](Finished& f) { f.meta.threads += 1; }},
      {"samples = 3, and this run has 4", [](Finished& f) { f.plan.samples = 4; }},
      {"baseline = \"bb\"", [](Finished& f) { f.plan.baseline = "lambda"; }},
      {"warmup_ms = 0", [](Finished& f) { f.plan.warmup_ms = 1; }},
      {"timing = \"work\"", [](Finished& f) { f.plan.common.timing = LaunchTiming::synchronised; }},
      {"rec = \"launches\"", [](Finished& f) { f.plan.common.rec = RecForm::graph; }},
      {"energy = true", [](Finished& f) { f.plan.energy = false; }},
      {"precision = \"fp32\"", [](Finished& f) { f.plan.common.precision = Precision::fp64; }},
      {"accumulate = \"fast\"", [](Finished& f) { f.plan.common.accumulate = Accumulate::ordered; }},
      {"placement = \"subbox\"", [](Finished& f) { f.plan.common.placement = GasketPlacement::lut; }},
      {"seed = 42", [](Finished& f) { f.plan.common.seed = 43; }},
      {"ranks = 1, and this run has 2", [](Finished& f) { f.meta.backend.ranks = 2; }},
  };
  for (const auto& [says, change] : changes) {
    Finished f;
    change(f);
    const std::string message = f.error<ConfigError>();
    EXPECT_NE(message.find(says), std::string::npos) << says << ": " << message;
    EXPECT_NE(message.find("r.json"), std::string::npos) << message;
  }
}

TEST(Resume, ADamagedOrForeignFileIsRejected) {
  Finished f;
  const std::string whole = f.text;
  f.text = whole.substr(0, whole.size() / 2);
  EXPECT_NE(f.error<FileError>().find("'r.json' is not JSON (line "), std::string::npos);
  f.text = "{\n  \"schema\": 1,\n  oops\n}";
  EXPECT_NE(f.error<FileError>().find("'r.json' is not JSON (line 3)"), std::string::npos) << f.error<FileError>();
  f.text = std::string(80000, '[');
  EXPECT_NE(f.error<FileError>().find("more than 32 levels of brackets (line 1)"), std::string::npos);
  for (const char* text : {"", "[]", "7", "{}", R"({"schema": 1})", R"({"schema": 2, "meta": {}, "results": []})"}) {
    f.text = text;
    EXPECT_NE(f.error<FileError>().find("r.json"), std::string::npos) << text;
  }
  const std::vector<std::function<void(Json&)>> damages = {
      [](Json& j) { j["meta"].erase("seed"); },
      [](Json& j) { j["results"][0].erase("samples_ms"); },
      [](Json& j) { j["results"][0]["samples_ms"] = "fast"; },
      [](Json& j) { j["results"][0]["n"] = nullptr, j["results"][0].erase("map"); },
      [](Json& j) { j["results"] = 5; },
      [](Json& j) { j["results"][0]["samples_ms"][0] = 1e-320; },
      [](Json& j) { j["meta"] = "mine"; },
  };
  for (std::size_t i = 0; i < damages.size(); ++i) {
    Finished damaged;
    damaged.edit(damages[i]);
    EXPECT_NE(damaged.error<FileError>().find("r.json"), std::string::npos) << "damage " << i;
  }
}

}  // namespace
}  // namespace tri::app
