// compute distances: --rows-at-once, --devices, and the formats that no other job writes.

#include <gtest/gtest.h>

#include "app/options/options.hpp"
#include "sim/base/error.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app {
namespace {

RunConfig compute_options(std::vector<std::string> words) {
  words.insert(words.begin(), {"triangulum", "compute"});
  return parse_options(words);
}

TEST(DistanceOptions, AreRead) {
  const RunConfig c =
      compute_options({"distances", "a.csv", "-o", "b.h5", "--rows-at-once", "4000", "--devices", "0,1"});
  EXPECT_EQ(c.compute.rows_at_once, 4000u);
  EXPECT_EQ(c.common.devices, (std::vector<int>{0, 1}));
  EXPECT_EQ(compute_options({"distances", "a.csv", "-o", "b.npy"}).compute.rows_at_once, 0u);
  for (const char* output : {"b.hdf5", "b.h5", "b.csv", "b.npy", "-"}) {
    EXPECT_EQ(compute_options({"distances", "a.csv", "-o", output}).compute.output, output);
  }
}

TEST(DistanceOptions, AreRefused) {
  const auto answer = [](const std::vector<std::string>& words) {
    return test::message_of<ConfigError>([&] { compute_options(words); });
  };
  test::expect_parts(answer({"distances", "a.csv", "-o", "b.npy", "--rows-at-once", "0"}), {"--rows-at-once"});
  test::expect_parts(answer({"distances", "a.csv", "-o", "b.npy", "--rows-at-once", "4294967296"}), {"--rows-at-once"});
  test::expect_parts(answer({"distances", "a.csv", "-o", "b.tab"}), {"take .npy, .hdf5, .h5 or .csv"});
  test::expect_parts(answer({"collisions", "a.csv", "-o", "b.npy", "--rows-at-once", "5"}),
                     {"--rows-at-once is an option of compute distances"});
  test::expect_parts(answer({"collisions", "a.csv", "-o", "b.h5"}), {"take .npy or .csv"});
  test::expect_parts(answer({"distances", "a.csv", "-o", "b.npy", "--devices", "0,1", "--backend", "cpu"}),
                     {"--devices"});
}

}  // namespace
}  // namespace tri::app
