// --arithmetic and --tolerance: which command reads them, and what they take.

#include <gtest/gtest.h>

#include "app/options/options.hpp"
#include "sim/base/error.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app {
namespace {

RunConfig options_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "triangulum");
  return parse_options(arguments);
}

TEST(ArithmeticOptions, AreTheBackendsChoiceUnlessGiven) {
  EXPECT_FALSE(options_of({"run", "plummer", "--steps", "1"}).common.arithmetic.has_value());
  const RunConfig c = options_of({"run", "plummer", "--steps", "1", "--arithmetic", "tensor", "--tolerance", "3e-7"});
  EXPECT_EQ(c.common.arithmetic, Arithmetic::tensor);
  EXPECT_EQ(c.common.tolerance, Tolerance::close);
  EXPECT_EQ(options_of({"view", "plummer", "--tolerance", "2e-6"}).common.tolerance, Tolerance::loose);
  EXPECT_EQ(options_of({"compute", "forces", "a.csv", "-o", "b.npy", "--law", "gravity", "--arithmetic", "float32"})
                .common.arithmetic,
            Arithmetic::float32);
  EXPECT_EQ(options_of({"bench", "--kernel", "gravity", "--arithmetic", "tensor,float32"}).bench.arithmetics,
            (std::vector<BenchArithmetic>{BenchArithmetic::tensor, BenchArithmetic::float32}));
}

TEST(ArithmeticOptions, OtherNamesAreAnsweredWithTheRightOnes) {
  const auto answer = [](const std::vector<std::string>& arguments) {
    return test::message_of<ConfigError>([&] { options_of(arguments); });
  };
  const auto has = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
  EXPECT_TRUE(has(answer({"run", "plummer", "--steps", "1", "--arithmetic", "half"}), "float32"));
  EXPECT_TRUE(has(answer({"run", "plummer", "--steps", "1", "--tolerance", "1e-5"}), "3e-7"));
  EXPECT_TRUE(has(answer({"bench", "--kernel", "gravity", "--arithmetic", "auto"}), "float32"));
  EXPECT_TRUE(has(answer({"compute", "distances", "a.csv", "-o", "b.npy", "--arithmetic", "tensor"}),
                  "--arithmetic is an option of compute forces"));
}

}  // namespace
}  // namespace tri::app
