// The fuzzer's seed command lines: each must parse, and together they must cover every option.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "app/options/options.hpp"

namespace tri::app {
namespace {

/// A seed has one argument per line.
std::vector<std::string> seed_arguments(const std::filesystem::path& seed) {
  std::vector<std::string> argv{"triangulum"};
  std::ifstream in(seed);
  for (std::string line; std::getline(in, line);) argv.push_back(line);
  return argv;
}

TEST(FuzzSeeds, EachParsesAndTogetherTheyCoverEveryOption) {
  std::set<std::string> commands, given{"--quick"};  // the default of verify
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(TRI_TEST_DATA "/../..");  // map files are opened
  for (const auto& seed : std::filesystem::directory_iterator(TRI_TEST_DATA "/../fuzz/seeds/options")) {
    const std::vector<std::string> argv = seed_arguments(seed.path());
    ASSERT_GT(argv.size(), 1u) << seed.path();
    commands.insert(argv[1]);
    try {
      given.merge(std::set<std::string>(parse_options(argv).given));
    } catch (const std::exception& error) {
      ADD_FAILURE() << seed.path() << ": " << error.what();
    }
  }
  std::filesystem::current_path(here);
  RunConfig config;
  for (const CommandSpec& command : command_specs(config)) {
    EXPECT_TRUE(commands.contains(command.name)) << "no seed for " << command.name;
    for (const OptionSpec& option : command.options) {
      EXPECT_TRUE(given.contains(option.long_name())) << "no seed gives " << option.long_name();
    }
  }
}

}  // namespace
}  // namespace tri::app
