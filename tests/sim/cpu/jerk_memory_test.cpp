// The prediction of the memory that steps with jerks take: against what they take, and its message.

#include <gtest/gtest.h>
#include <malloc.h>

#include "sim/backend/backend.hpp"
#include "sim/base/memory.hpp"
#include "sim/base/splitmix64.hpp"
#include "sim/base/threads.hpp"
#include "sim/cpu/engine/cpu_engine.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::test {
namespace {

Bodies random_bodies(u32 n) {
  Bodies b;
  SplitMix64 random{n};
  const auto unit = [&] { return random.uniform(); };
  for (u32 i = 0; i < n; ++i) b.add(unit(), unit(), unit(), unit(), unit(), unit(), 1.0 / n);
  return b;
}

EngineConfig jerk_config(Accumulate accumulate, u32 threads) {
  EngineConfig config;
  config.precision = Precision::fp64, config.accumulate = accumulate, config.threads = threads;
  return config;
}

/// Bytes of the heap in use.
double heap_bytes() {
  const struct mallinfo2 all = mallinfo2();
  return static_cast<double>(all.uordblks) + static_cast<double>(all.hblkhd);
}

TEST(JerkMemory, IsWhatIsPredicted) {
  if (heap_bytes() == 0) GTEST_SKIP() << "under a sanitizer the heap is not counted";
  const u32 n = 20000;
  const Bodies bodies = random_bodies(n);
  for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
    for (const u32 threads : {1u, 3u}) {
      const auto engine = make_backend("cpu")->make_engine(bodies, ForceField{}, jerk_config(accumulate, threads));
      const double before = heap_bytes();
      engine->advance(Integrator::hermite, 1e-6, 1);
      const double took = heap_bytes() - before;
      const double predicted = static_cast<double>(cpu::jerk_steps_bytes(n, accumulate, threads));
      EXPECT_LE(took, 1.02 * predicted) << to_string(accumulate) << ", " << threads;
      EXPECT_GE(took, 0.8 * predicted) << to_string(accumulate) << ", " << threads;
    }
  }
}

// With many threads: the sums of forces fit, those of accelerations and jerks do not.
TEST(JerkMemory, ThatIsNotThereIsRefusedWithWhatFits) {
  const auto engine_needs = [](u64 n) {
    return cpu::engine_bytes(n, ForceField{}, Precision::fp64, Accumulate::ordered, kMaxThreads);
  };
  const u64 n = largest_that_fits(engine_needs, available_memory() / 4 * 3);
  if (n > 4'000'000) GTEST_SKIP() << "too much memory is free for a quick test";
  const auto engine = make_backend("cpu")->make_engine(random_bodies(static_cast<u32>(n)), ForceField{},
                                                       jerk_config(Accumulate::ordered, kMaxThreads));
  const std::string text = message_of<MemoryError>([&] { engine->advance(Integrator::hermite, 1e-6, 1); });
  expect_parts(text, {"steps with jerks of " + std::to_string(n) + " bodies needs", "Use ", " bodies or fewer"});
  const u64 fits = std::stoull(text.substr(text.find("Use ") + 4));
  EXPECT_GT(fits, n / 3);
  EXPECT_LT(fits, n);
}

}  // namespace
}  // namespace tri::test
