// The collective calls, on ranks that are threads.

#include "sim/backend/communicator.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

#include "sim/backend/ranks.hpp"
#include "sim/base/clock.hpp"
#include "sim/cluster/local_ranks.hpp"
#include "sim/cluster/orders.hpp"
#include "tests/support/error_messages.hpp"

namespace tri {
namespace {

/// Runs f(communicator) on each rank, and ends with the first exception.
void on_ranks(u32 size, const std::function<void(Communicator&)>& f) {
  const auto ranks = make_local_ranks(size);
  std::vector<std::jthread> threads;
  for (const auto& rank : ranks) threads.emplace_back([&f, &rank = *rank] { f(rank); });
}

TEST(LocalRanks, SumEveryElementOfAnyLength) {
  for (const u32 size : {1u, 2u, 3u, 5u}) {
    on_ranks(size, [size](Communicator& ranks) {
      for (const u64 n : {u64{0}, u64{1}, u64{2}, u64{4}, u64{1000}}) {
        std::vector<double> values(n);
        std::vector<u64> counts(n);
        std::vector<Wide> wide(n);
        for (u64 k = 0; k < n; ++k) {
          values[k] = static_cast<double>(k) / (ranks.rank() + 1.0);
          counts[k] = k << ranks.rank();
          wide[k] = (static_cast<Wide>(k) << 80) * (ranks.rank() + 1);
        }
        ranks.sum(std::span(values));
        ranks.sum(std::span(counts));
        ranks.sum_slices(wide);
        const auto [begin, end] = ranks.slice(n);
        for (u64 k = 0; k < n; ++k) {
          double sum = 0;
          for (u32 r = 0; r < size; ++r) sum += static_cast<double>(k) / (r + 1.0);
          EXPECT_EQ(values[k], sum) << "added in the order of the ranks";
          EXPECT_EQ(counts[k], k * ((1u << size) - 1));
          EXPECT_TRUE(k < begin || k >= end || wide[k] == (static_cast<Wide>(k) << 80) * (size * (size + 1) / 2));
        }
      }
    });
  }
}

TEST(LocalRanks, BroadcastAndMax) {
  on_ranks(4, [](Communicator& ranks) {
    u64 value = 10 + ranks.rank();
    ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)), 2);
    EXPECT_EQ(value, 12u);
    u64 largest[2] = {ranks.rank(), 9 - ranks.rank()};
    ranks.max(largest);
    EXPECT_EQ(largest[0], 3u);
    EXPECT_EQ(largest[1], 9u);
  });
}

TEST(LocalRanks, SlicesCoverEveryCount) {
  const auto ranks = make_local_ranks(7);
  for (const u64 count : {u64{0}, u64{3}, u64{7}, u64{100}, ~u64{0}}) {
    u64 at = 0;
    for (const auto& rank : ranks) {
      const auto [begin, end] = rank->slice(count);
      EXPECT_EQ(begin, at);
      at = end;
    }
    EXPECT_EQ(at, count);
  }
}

// Whoever fails, all ranks hear of it, and the next call works.
TEST(LocalRanks, AgreeOnAFailure) {
  for (const u32 bad : {0u, 1u, 2u}) {
    for (const bool inside : {true, false}) {
      on_ranks(3, [&](Communicator& ranks) {
        Ranks law(&ranks);
        const auto call = [&](bool fails) {
          take_part(ranks, false, [&] {
            if (fails && !inside && ranks.rank() == bad) throw MemoryError("no room");
            law.together([&] {
              if (fails && inside && ranks.rank() == bad) throw MemoryError("no room");
            });
          });
        };
        const std::string text = test::message_of([&] { call(true); });
        const std::string expected = ranks.rank() == bad ? "no room"
                                     : ranks.rank() == 0 ? "rank " + std::to_string(bad) + " on this process: no room"
                                                         : "another rank ended the work.";
        EXPECT_EQ(text, expected) << ranks.rank();
        EXPECT_NO_THROW(call(false));
        EXPECT_FALSE(ranks.stop_requested());
      });
    }
  }
}

TEST(LocalRanks, DifferentStatesAreFound) {
  on_ranks(3, [](Communicator& ranks) {
    EXPECT_NO_THROW(check_same_state(ranks, 77));
    for (const u32 odd : {0u, 1u, 2u}) {
      const std::string text = test::message_of([&] { check_same_state(ranks, ranks.rank() == odd ? 78 : 77); });
      EXPECT_EQ(text.find("rank " + std::to_string(odd) + " holds another state"), 0u) << text;
    }
  });
}

// A rank that fails does not leave the others waiting for what it will not bring, and none takes its failure for that.
TEST(LocalRanks, AFailureEndsTheCallsThatOthersWaitIn) {
  for (const u32 bad : {0u, 1u, 2u}) {
    for (const int kind : {0, 1, 2, 3}) {
      on_ranks(3, [&](Communicator& ranks) {
        std::vector<u64> values(100, ranks.rank());
        const auto call = [&](bool fails) {
          take_part(ranks, false, [&] {
            if (fails && ranks.rank() == bad) throw MemoryError("no room");
            if (kind == 0) ranks.max(values);
            if (kind == 1) ranks.sum(std::span(values));
            if (kind == 2) ranks.broadcast(std::as_writable_bytes(std::span(values)), (bad + 1) % 3);
            if (kind == 3) all_or_none(ranks, [] {});
            EXPECT_FALSE(fails) << ranks.rank() << " goes on without what it waited for, kind " << kind;
          });
        };
        const std::string text = test::message_of([&] { call(true); });
        const std::string expected = ranks.rank() == bad ? "no room"
                                     : ranks.rank() == 0 ? "rank " + std::to_string(bad) + " on this process: no room"
                                                         : "another rank ended the work.";
        EXPECT_EQ(text, expected) << ranks.rank() << ", kind " << kind;
        EXPECT_NO_THROW(call(false));
        EXPECT_FALSE(ranks.stop_requested());
      });
    }
  }
}

TEST(LocalRanks, AFailureEndsTheLoopsOfTheOthers) {
  for (const u32 bad : {0u, 2u}) {
    const Stopwatch watch;
    on_ranks(3, [&](Communicator& ranks) {
      const std::string text = test::message_of([&] {
        const ScopedTask named("loop");
        take_part(ranks, true, [&] {
          if (ranks.rank() == bad) throw MemoryError("no room");
          LoopProgress progress(600);
          for (u64 done = 1; done <= 600; ++done) {  // a minute
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            progress.at(done);
          }
        });
      });
      EXPECT_FALSE(text.empty());
    });
    EXPECT_LT(watch.ms(), 4000);
  }
}

// One that waits outside of any call, as for a device, is not waited for.
TEST(LocalRanksDeathTest, AFailureEndsTheProcessWhenOthersDoNotCome) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fail = [] {
    on_ranks(2, [](Communicator& ranks) {
      take_part(ranks, false, [&] {
        if (ranks.rank() == 1) throw MemoryError("no room");
        std::this_thread::sleep_for(std::chrono::hours(1));
      });
    });
  };
  const Stopwatch watch;
  EXPECT_EXIT(fail(), testing::ExitedWithCode(static_cast<int>(ExitCode::out_of_memory)),
              "error: rank 1 on this process: no room");
  EXPECT_LT(watch.ms(), 10000);
}

}  // namespace
}  // namespace tri
