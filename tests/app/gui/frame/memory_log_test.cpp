// When the memory of a long run is sampled.

#include <gtest/gtest.h>

#include <regex>
#include <vector>

#include "app/gui/frame/frame_meter.hpp"

namespace tri::app::gui {
namespace {

TEST(MemoryLog, SamplesAtOneTwoAndFiveTimesEveryPowerOfTen) {
  MemoryLog log;
  for (u64 frame = 1; frame <= 60'000; ++frame) log.frame(frame);
  const std::string text = log.text();
  std::vector<u64> seen;
  const std::regex entry("after ([0-9]+) frames");
  for (std::sregex_iterator found(text.begin(), text.end(), entry), end; found != end; ++found) {
    seen.push_back(std::stoull((*found)[1]));
  }
  EXPECT_EQ(seen, (std::vector<u64>{1000, 2000, 5000, 10'000, 20'000, 50'000})) << text;
  EXPECT_GT(resident_bytes(), 1'000'000u);
}

}  // namespace
}  // namespace tri::app::gui
