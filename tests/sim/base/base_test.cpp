/// Memory predictions, hashes of a state, threads.
///
/// Memory predictions: the largest size that fits against brute force, sizes beyond 2^64 bytes, and the messages.

#include <sched.h>
#include <sys/resource.h>
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/model/compute.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/temp_folder.hpp"

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
    EXPECT_EQ(text.find("the output would take 9.31e+20 GiB; "), 0u) << text;
    EXPECT_NE(text.find(gib_text(1e30)), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with(" of memory are free. Use 12 points or fewer.")) << text;
  }
}

/// A folder as /sys/fs/cgroup, and a file as /proc/self/cgroup.
class ControlGroups : public test::InFolder {
 protected:
  void file(const std::string& name, const std::string& text) const { folder_.file(name, text + '\n'); }
  u64 left(const std::string& membership) const {
    file("membership", membership);
    return memory_left_in_groups(path("membership"), folder_.path());
  }
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
    EXPECT_EQ(distance_count(n, DistanceLayout::blocks), n == 0 ? 0 : 1024);
    EXPECT_EQ(distance_count(n + 32, DistanceLayout::blocks), n == 0 ? 1024 : 3 * 1024);
  }
  const u64 last = 0xffffffff;
  EXPECT_EQ(distance_count(last, DistanceLayout::condensed), 9223372030412324865u);
  EXPECT_EQ(distance_count(last, DistanceLayout::lower), 9223372034707292160u);
  EXPECT_EQ(distance_count(last, DistanceLayout::square), 18446744065119617025u);
  EXPECT_EQ(distance_count(last, DistanceLayout::blocks), (u64{1} << 26) * ((u64{1} << 27) + 1) * 1024);
}

// FNV-1a against its authors' test vectors.

u64 hash_of(std::string_view text) { return fnv1a(kFnvOffset, text.data(), text.size()); }

// Filling: every value, and an end on the way.

class EndsAtThird final : public ProgressSink {
 public:
  void report(const ProgressReport&) override {
    if (++reports > 2) throw InterruptedError("enough");
  }
  int reports = 0;
};

TEST(Filling, SetsEveryValueAndIsEndedOnTheWay) {
  for (const u64 count : {u64{0}, u64{1}, kFilledAtOnce / 4, kFilledAtOnce / 4 + 1, kFilledAtOnce}) {
    std::vector<float> values{1, 2, 3};
    assign_watched(values, count, 5.0f);
    EXPECT_EQ(values, std::vector<float>(count, 5.0f)) << count;
    fill_watched<float>(values, 7.0f);
    EXPECT_EQ(values, std::vector<float>(count, 7.0f)) << count;
  }
  EndsAtThird sink;
  const ScopedProgressSink bound(sink);
  const ScopedTask task("filling");
  std::vector<u8> values;
  EXPECT_THROW(assign_watched(values, 40 * kFilledAtOnce), InterruptedError);
  EXPECT_LT(values.size(), 10 * kFilledAtOnce);
  values.assign(10 * kFilledAtOnce, 0), sink.reports = 0;
  EXPECT_THROW(fill_watched<u8>(values, 1), InterruptedError);
  EXPECT_EQ(values.back(), 0);
}

TEST(StateHash, KnownVectors) {
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325ull);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8ull);
}

TEST(StateHash, PiecesGiveTheWhole) {
  EXPECT_EQ(fnv1a(hash_of("foo"), "bar", 3), hash_of("foobar"));
  const std::vector<float> values{1.0f, -0.0f, 3.5f};
  const std::span<const float> all(values);
  EXPECT_EQ(fnv1a(fnv1a(kFnvOffset, all.first(1)), all.subspan(1)), fnv1a(kFnvOffset, all));
}

TEST(StateHash, EveryBitCounts) {
  const std::vector<float> zero{0.0f}, minus_zero{-0.0f};
  EXPECT_NE(fnv1a(kFnvOffset, std::span<const float>(zero)), fnv1a(kFnvOffset, std::span<const float>(minus_zero)));
}

TEST(WordHashes, PiecesGiveTheWholeAndEveryBitAndTheLengthCount) {
  std::string text = "the quick brown fox jumps over the lazy dog";
  const auto hash = [](const std::string& bytes, std::size_t piece) {
    WordHash all;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      all.add(bytes.data() + at, std::min(piece, bytes.size() - at));
    return all.value();
  };
  const u64 whole = hash(text, text.size());
  for (const std::size_t piece : {1, 3, 7, 8, 9, 16}) EXPECT_EQ(hash(text, piece), whole) << piece;
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(hash(text, text.size()), whole) << bit;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
  }
  EXPECT_NE(hash(text + '\0', 5), whole);
}

TEST(StateHash, SixteenDigits) {
  EXPECT_EQ(hash_text(0x0123456789abcdefull), "0123456789abcdef");
  EXPECT_EQ(hash_text(7), "0000000000000007");
}

// The number of threads: OMP_NUM_THREADS, or the cores that the process may use.

class Threads : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* set = std::getenv("OMP_NUM_THREADS")) before_ = set;
  }
  void TearDown() override {
    before_.empty() ? unsetenv("OMP_NUM_THREADS") : setenv("OMP_NUM_THREADS", before_.c_str(), 1);
  }
  static void set(const char* value) { setenv("OMP_NUM_THREADS", value, 1); }

 private:
  std::string before_;
};

TEST_F(Threads, TheVariableNamesThem) {
  set("3");
  EXPECT_EQ(usable_threads(), 3u);
  set("1024");
  EXPECT_EQ(usable_threads(), kMaxThreads);
  set("5,2");
  EXPECT_EQ(usable_threads(), 5u) << "the outermost level";
}

TEST_F(Threads, AValueThatIsNoNumberOfThreadsIsRefused) {
  for (const char* wrong : {"0", "-1", "100000", "1025", "99999999999999999999", "four", "4 threads", ",2"}) {
    set(wrong);
    test::expect_parts(test::message_of<ConfigError>([] { usable_threads(); }),
                       {std::string("OMP_NUM_THREADS=") + wrong, "from 1 to 1024"});
  }
}

TEST_F(Threads, WithoutItTheyAreTheCoresOfTheAffinityMask) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  for (const bool empty : {false, true}) {
    empty ? set("") : static_cast<void>(unsetenv("OMP_NUM_THREADS"));
    EXPECT_EQ(usable_threads(), static_cast<u32>(CPU_COUNT(&all)));
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &all)) continue;
    CPU_SET(core, &one);
    break;
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_threads(), 1u);
  sched_setaffinity(0, sizeof all, &all);
}

}  // namespace
}  // namespace tri
