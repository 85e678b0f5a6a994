// compute distances: --rows-at-once, --devices, and the formats that no other job writes. compute collisions: --box.

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

TEST(CollisionOptions, ABoxHasOneSideOrThree) {
  const auto box = [](const char* text) {
    return compute_options({"collisions", "a.csv", "-o", "b.csv", "--box", text}).compute.box;
  };
  EXPECT_EQ(compute_options({"collisions", "a.csv", "-o", "b.csv"}).compute.box.boundary, Boundary::open);
  EXPECT_EQ(box("3").boundary, Boundary::periodic);
  EXPECT_EQ(box("3").low, (std::array<double, 3>{0, 0, 0}));
  EXPECT_EQ(box("3").high, (std::array<double, 3>{3, 3, 3}));
  EXPECT_EQ(box("1,2.5,4").high, (std::array<double, 3>{1, 2.5, 4}));
  EXPECT_EQ(box("2,2,1.5").high, (std::array<double, 3>{2, 2, 1.5}));
  const auto answer = [&](const char* text) { return test::message_of<ConfigError>([&] { box(text); }); };
  test::expect_parts(answer("1,2"), {"the side of a periodic box, or three; got '1,2'"});
  for (const char* text : {"0", "-1", "nan", "inf", "wide", "1,2,0", "1,,2", ""})
    test::expect_parts(answer(text), {"--box"});
  test::expect_parts(test::message_of<ConfigError>([] {
                       compute_options({"distances", "a.csv", "-o", "b.csv", "--box", "3"});
                     }),
                     {"--box is an option of compute collisions"});
}

}  // namespace
}  // namespace tri::app
