// --devices: which commands take it, and what it excludes.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "tests/app/options/options_support.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app {
namespace {

TEST(DevicesOption, IsOfRunsWindowsForcesAndBenches) {
  for (const char* command : {"run plummer --steps 1", "view plummer", "demo triples", "render plummer -o a.png",
                              "compute forces a.csv --law gravity -o f.csv", "bench --kernel gravity"}) {
    EXPECT_EQ(parsed(std::string(command) + " --devices 0,2").common.devices, (std::vector<int>{0, 2})) << command;
    EXPECT_EQ(parsed(std::string(command) + " --devices all").common.devices, std::vector<int>{kAllDevices}) << command;
  }
}

TEST(DevicesOption, IsRefusedWithAReason) {
  const std::pair<const char*, const char*> refused[] = {
      {"view plummer --backend cpu --devices 0,1", "--devices chooses CUDA devices, and --backend is cpu"},
      {"view plummer --device 0 --devices all", "--devices and --device both choose CUDA devices"},
      {"view plummer --devices 0,0", "--devices names '0' twice"},
      {"bench --devices 0,1 --device 0", "--devices and --device both choose CUDA devices"},
      {"bench --tune --devices 0,1", "leave --devices out"},
      {"verify --devices 0,1", "--devices"}};
  for (const auto& each : refused) {
    test::expect_parts(test::message_of<ConfigError>([&] { parsed(each.first); }), {each.second});
  }
}

}  // namespace
}  // namespace tri::app
