// Progress lines, tested on a pseudo-terminal, and the time left of a bench.

#include "app/support/progress_line.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "app/bench/bench_eta.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app {
namespace {

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

}  // namespace
}  // namespace tri::app
