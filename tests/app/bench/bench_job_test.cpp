// A bench on a worker thread: its progress, cancellation, errors and output files.

#include "app/bench/bench_job.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/base/error.hpp"
#include "tests/support/fake_backend.hpp"

namespace tri::app {
namespace {

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

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
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
  const auto folder = std::filesystem::path(testing::TempDir()) / "bench-job";
  std::filesystem::create_directories(folder);
  BenchJob job;
  job.start(three_sizes(), fake());
  job.wait();
  for (const char* name : {"b.csv", "b.json", "b.svg"}) job.save(folder / name);
  const std::string csv = text_of(folder / "b.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 6);
  const auto json = nlohmann::json::parse(text_of(folder / "b.json"));
  EXPECT_EQ(json["results"].size(), 6u);
  EXPECT_EQ(json["meta"]["argv"][1], "bench");
  EXPECT_EQ(text_of(folder / "b.svg").find("<?xml"), 0u);
  EXPECT_THROW(job.save(folder / "b.txt"), ConfigError);
  EXPECT_THROW(job.save(folder / "none" / "b.csv"), FileError);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tri::app
