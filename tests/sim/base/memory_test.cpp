/// Memory predictions: the largest size that fits against brute force, sizes beyond 2^64 bytes, and the messages.

#include "sim/base/memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "sim/base/error.hpp"
#include "sim/model/compute.hpp"

namespace tri {
namespace {

template <class BytesOf>
u64 by_counting(const BytesOf& bytes_of, u64 available) {
  u64 n = 0;
  while (static_cast<double>(bytes_of(n + 1)) <= static_cast<double>(available)) ++n;
  return n;
}

TEST(Memory, LargestThatFitsAgreesWithCounting) {
  const auto linear = [](u64 n) { return 100 + 7 * n; };
  const auto square = [](u64 n) { return 8.0 * static_cast<double>(n) * static_cast<double>(n); };
  const auto steps = [](u64 n) { return (n + 63) / 64 * 4096; };
  for (u64 available : {u64{0}, u64{1}, u64{7}, u64{8}, u64{31}, u64{32}, u64{106}, u64{107}, u64{1000}, u64{4095},
                        u64{4096}, u64{99999}, u64{1} << 20}) {
    EXPECT_EQ(largest_that_fits(linear, available), by_counting(linear, available)) << available;
    EXPECT_EQ(largest_that_fits(square, available), by_counting(square, available)) << available;
    EXPECT_EQ(largest_that_fits(steps, available), by_counting(steps, available)) << available;
  }
}

TEST(Memory, LargestThatFitsDoesNotWrapRound) {
  // 8 n^2 passes 2^64 from n = 1,518,500,250 on, and is 0 modulo 2^64 at n = 2^32.
  const auto in_integers = [](u64 n) { return 8 * n * n; };
  EXPECT_EQ(largest_that_fits(in_integers, u64{80'000'000'000}), 100'000u);
  EXPECT_EQ(largest_that_fits(in_integers, u64{80'000'000'000} - 1), 99'999u);
  EXPECT_EQ(largest_that_fits([](u64) { return 1; }, 1), 0xffffffffu);
  // If the system does not report its memory, everything fits.
  EXPECT_EQ(largest_that_fits([](u64 n) { return n; }, std::numeric_limits<u64>::max()), 0xffffffffu);
}

TEST(Memory, TooMuchIsRejectedWithFreeMemoryAndRemedy) {
  EXPECT_NO_THROW(require_memory(4096, "a page", "Nothing"));
  try {
    require_memory(1e30, "the output", size_hint("Use ", 12, " points or fewer"));
    FAIL() << "10^30 bytes were accepted";
  } catch (const MemoryError& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), ExitCode::out_of_memory);
    EXPECT_EQ(text.find("the output needs 9.31e+20 GiB; "), 0u) << text;
    EXPECT_NE(text.find(gib_text(1e30)), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with(" of memory are free. Use 12 points or fewer.")) << text;
  }
}

/// A folder as /sys/fs/cgroup, and a file as /proc/self/cgroup.
class ControlGroups : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(root_.data()), nullptr); }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void file(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + "/" + name).parent_path());
    std::ofstream(root_ + "/" + name) << text << '\n';
  }
  u64 left(const std::string& membership) const {
    file("membership", membership);
    return memory_left_in_groups(root_ + "/membership", root_);
  }

  std::string root_ = testing::TempDir() + "groups_XXXXXX";
};

TEST_F(ControlGroups, TheTightestOfAllAroundTheProcessCounts) {
  constexpr u64 kNone = std::numeric_limits<u64>::max();
  EXPECT_EQ(left("0::/user/job/task"), kNone);
  for (const char* group : {"user/", "user/job/", "user/job/task/"}) {
    file(std::string(group) + "memory.max", "max");
    file(std::string(group) + "memory.current", "1000");
  }
  EXPECT_EQ(left("0::/user/job/task"), kNone);
  file("user/memory.max", "9000");
  EXPECT_EQ(left("0::/user/job/task"), 8000u);
  file("user/job/memory.max", "5000"), file("user/job/memory.current", "2000");
  file("user/job/memory.stat", "anon 7\ninactive_file 500");
  EXPECT_EQ(left("0::/user/job/task"), 3500u);
  EXPECT_EQ(left("0::/user"), 8000u);
  EXPECT_EQ(left("0::/"), kNone);
  file("user/job/memory.max", "100");
  EXPECT_EQ(left("0::/user/job/task"), 0u);
}

TEST_F(ControlGroups, OfVersionOneAndOfBoth) {
  file("memory/batch/memory.limit_in_bytes", "7000"), file("memory/batch/memory.usage_in_bytes", "3000");
  file("memory/batch/memory.stat", "total_inactive_file 1000");
  EXPECT_EQ(left("12:cpu,cpuacct:/x\n4:memory:/batch/step_0\n0::/"), 5000u);
  file("unified/a/memory.max", "4500"), file("unified/a/memory.current", "0");
  EXPECT_EQ(left("4:hugetlb,memory:/batch\n0::/a"), 4500u);
}

TEST(Memory, OneOfSeveralProcessesCountsOnItsPart) {
  const u64 alone = available_memory();
  share_memory_with(3);
  const u64 shared = available_memory();
  share_memory_with(0);
  EXPECT_LT(shared, alone / 3);
  EXPECT_GT(shared, alone / 6);
}

TEST(Memory, ThreadsThatAreRanksCountOnTheirPartsToo) {
  const u64 alone = available_memory();
  {
    const MemoryShare share(4);
    EXPECT_LT(available_memory(), alone / 3);
    EXPECT_GT(available_memory(), alone / 6);
  }
  EXPECT_GT(available_memory(), alone / 2);
}

TEST(Memory, ALimitOfTheProcessCounts) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  if (before.rlim_max != RLIM_INFINITY) GTEST_SKIP() << "there is a limit already";
  ASSERT_GT(available_memory(), 0u);  // and leaves room in the heap for the next time
  rlimit tight = before;
  tight.rlim_cur = rlim_t{1} << 20;  // less than is in use
  setrlimit(RLIMIT_AS, &tight);
  const u64 left = available_memory();
  setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(left, 0u);
}

TEST(Memory, Words) {
  EXPECT_EQ(gib_text(1.5 * 1073741824.0), "1.5 GiB");
  EXPECT_EQ(size_hint("Use --n ", 31, " or less"), "Use --n 31 or less");
  EXPECT_EQ(size_hint("Use --n ", 0, " or less"), "Not even one fits; free some memory first");
}

TEST(DistanceCount, AgreesWithCountingAndIsExactAtTheEnd) {
  for (u64 n = 0; n < 20; ++n) {
    u64 below = 0;
    for (u64 i = 0; i < n; ++i) below += i;
    EXPECT_EQ(distance_count(n, DistanceLayout::condensed), below);
    EXPECT_EQ(distance_count(n, DistanceLayout::lower), below + n);
    EXPECT_EQ(distance_count(n, DistanceLayout::square), n * n);
  }
  const u64 last = 0xffffffff;
  EXPECT_EQ(distance_count(last, DistanceLayout::condensed), 9223372030412324865u);
  EXPECT_EQ(distance_count(last, DistanceLayout::lower), 9223372034707292160u);
  EXPECT_EQ(distance_count(last, DistanceLayout::square), 18446744065119617025u);
}

}  // namespace
}  // namespace tri
