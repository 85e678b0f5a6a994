// The collective calls, on ranks that are threads.

#include "sim/backend/communicator.hpp"

#include <gtest/gtest.h>

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
          take_part(ranks, [&] {
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
    EXPECT_EQ(test::message_of([&] { check_same_state(ranks, ranks.rank() == 1 ? 78 : 77); }).empty(), false);
  });
}

}  // namespace
}  // namespace tri
