// The team of threads: each share once, the first by the caller, and no processor time while it waits.

#include "sim/cpu/kernels/thread_team.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <atomic>
#include <thread>
#include <vector>

#include "sim/cpu/kernels/tile_loop.hpp"

namespace tri::test {
namespace {

using namespace cpu;

double cpu_seconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

TEST(ThreadTeam, EachShareOnceForAnyNumber) {
  ThreadTeam team;
  for (u32 run = 0; run < 3000; ++run) {
    const u32 shares = 1 + run % 17;
    std::vector<std::atomic<u32>> seen(shares);
    std::thread::id first;
    team.run(shares, [&](u32 share) {
      ++seen.at(share);
      if (share == 0) first = std::this_thread::get_id();
    });
    for (u32 share = 0; share < shares; ++share) ASSERT_EQ(seen[share], 1u) << "run " << run << ", share " << share;
    ASSERT_EQ(first, std::this_thread::get_id());
  }
}

TEST(ThreadTeam, ThreadsHaveTeamsOfTheirOwn) {
  std::atomic<u64> sum{0};
  std::vector<std::thread> callers;
  for (u32 caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (u32 run = 0; run < 500; ++run) on_threads(3, [&](u32 share) { sum += share + 1; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, u64{4} * 500 * 6);
}

// A thread that spins while it waits takes a core from those that compute.
TEST(ThreadTeam, WaitingTakesNoProcessorTime) {
  ThreadTeam team;
  constexpr u32 kRuns = 100;
  constexpr double kSeconds = 0.002;
  const double before = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (u32 run = 0; run < kRuns; ++run) {
    team.run(2, [](u32 share) {
      if (share != 0) return;
      for (const double end = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) + kSeconds;
           cpu_seconds(CLOCK_THREAD_CPUTIME_ID) < end;) {
      }
    });
  }
  EXPECT_LT(cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - before, 1.4 * kRuns * kSeconds);
}

}  // namespace
}  // namespace tri::test
