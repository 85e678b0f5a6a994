// Resuming from a result file: which entries are kept, which run again, and which files are rejected.

#include "app/bench/resume.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"
#include "tests/support/error_messages.hpp"
#include "tests/support/fake_backend.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;
using test::FakeBackend;

/// Two kernels with two axes each, energies, a refusal: 2 x 2 + 2 x 2 groups of three maps.
BenchPlan full_plan() {
  BenchPlan plan;
  plan.parts = {{BenchKernel::edm, {100, 200}, {"bb", "lambda", "utm"}},
                {BenchKernel::dummy, {100, 200}, {"bb", "lambda", "utm"}}};
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
  plan.parts = {{BenchKernel::gravity, {100}, {"bb", "lambda"}}};
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
      {"timing = \"work\"", [](Finished& f) { f.plan.timing = LaunchTiming::synchronised; }},
      {"rec = \"launches\"", [](Finished& f) { f.plan.rec = RecForm::graph; }},
      {"energy = true", [](Finished& f) { f.plan.energy = false; }},
      {"precision = \"fp32\"", [](Finished& f) { f.plan.precision = Precision::fp64; }},
      {"accumulate = \"fast\"", [](Finished& f) { f.plan.accumulate = Accumulate::ordered; }},
      {"placement = \"subbox\"", [](Finished& f) { f.plan.placement = GasketPlacement::lut; }},
      {"seed = 42", [](Finished& f) { f.plan.seed = 43; }},
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
