// The number of threads: OMP_NUM_THREADS, or the cores that the process may use.

#include "sim/base/threads.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>

#include "tests/support/error_messages.hpp"

namespace tri {
namespace {

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
