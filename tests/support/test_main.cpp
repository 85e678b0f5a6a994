// GoogleTest's main(), for every test program: see tri_add_test() in cmake/Tests.cmake.

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>

namespace {

constexpr int kAllSkipped = 77;  // as ctest has it

/// The reasons of skipped tests, and how many give each.
class Skips final : public testing::EmptyTestEventListener {
 public:
  void report() const {
    for (const auto& [reason, count] : reasons_) std::printf("skipped %d: %s\n", count, reason.c_str());
  }

 private:
  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (part.skipped()) ++reasons_[part.message()];
  }

  std::map<std::string, int> reasons_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  auto* const skips = new Skips;  // GoogleTest deletes it
  testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  tests.listeners().Append(skips);
  const int code = RUN_ALL_TESTS();
  skips->report();
  return code == 0 && tests.skipped_test_count() > 0 && tests.skipped_test_count() == tests.test_to_run_count()
             ? kAllSkipped
             : code;
}
