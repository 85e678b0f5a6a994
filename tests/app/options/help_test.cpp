// Help, completion, and seeds of options name the same options.
//
// One text for documentation and help: it names every option of every command, and no others.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "app/options/options.hpp"
#include "sim/base/error.hpp"
#include "tests/support/expect.hpp"

namespace tri::app {
namespace {

/// Words that begin with "--" and a letter.
std::set<std::string> options_in(const std::string& text) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  std::set<std::string> found;
  for (std::size_t at = 0; (at = text.find("--", at)) != std::string::npos;) {
    std::size_t end = at + 2;
    while (end < text.size() && (letter(text[end]) || (text[end] == '-' && end > at + 2))) ++end;
    if (end > at + 2) found.insert(text.substr(at, end - at));
    at = end;
  }
  return found;
}

TEST(Help, EveryOptionOfACommandIsInItsHelp) {
  RunConfig config;
  for (const CommandSpec& command : command_specs(config)) {
    const auto described = options_in(help_text(command.name));
    for (const OptionSpec& option : command.options) {
      EXPECT_TRUE(described.count(option.long_name())) << command.name << " " << option.long_name();
    }
  }
}

TEST(Help, EveryOptionInTheTextExists) {
  RunConfig config;
  std::set<std::string> known{"--help", "--version"};
  for (const CommandSpec& command : command_specs(config)) {
    for (const OptionSpec& option : command.options) known.insert(option.long_name());
  }
  for (const std::string& option : options_in(help_text("all"))) EXPECT_TRUE(known.count(option)) << option;
}

TEST(Help, LinesFitATerminal) {
  std::istringstream lines(help_text("all"));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80u) << line;
    EXPECT_EQ(line.find('`'), std::string::npos) << line;
  }
}

TEST(Help, HelpOfACommandShowsThatCommandOnly) {
  const std::string bench = help_text("bench");
  EXPECT_EQ(bench.rfind("BENCH", 0), 0u);
  test::expect_parts(bench, {"--kernel", "COMMON OPTIONS"});
  EXPECT_EQ(bench.find("--steps"), std::string::npos);
  EXPECT_LT(short_help_text().size(), 1300u);
  test::expect_parts(short_help_text(), {"COMMAND --help", "triangulum help all"});
}

// Shell completion: every completion is accepted, and an option with a list of names completes all of them.

/// The message with which an option rejects a value, or "" if it accepts it.
std::string error_of(const OptionSpec& option, const std::string& value) {
  return test::message_of<Error>([&] { option.read(value); });
}

std::string words(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

TEST(Completion, EveryCompletionIsAccepted) {
  RunConfig config;
  for (const CommandSpec& command : command_specs(config)) {
    for (const OptionSpec& option : command.options) {
      const std::string place = command.name + " " + option.long_name();
      const std::vector<std::string>& names = option.hint.names;
      EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << place;
      for (const std::string& name : names) {
        EXPECT_EQ(error_of(option, name.ends_with('=') ? name + "2" : name), "") << place;
        EXPECT_EQ(name.find_first_of(" \t,:$\"'\\`*?[]()"), std::string::npos) << place << ": " << name;
      }
      if (option.hint.several) {
        ASSERT_GE(names.size(), 2u) << place;
        EXPECT_EQ(error_of(option, names[0] + "," + names[1]), "") << place;
      }
    }
    for (const PositionalSpec& positional : command.positionals) {
      for (const std::string& name : positional.hint.names) EXPECT_NO_THROW(positional.read(name)) << name;
    }
  }
}

TEST(Completion, OptionsWithNamesCompleteAllOfThem) {
  const std::set<std::string> numbers_too{"--slice-ms", "--turn", "--save-every"};
  RunConfig config;
  for (const CommandSpec& command : command_specs(config)) {
    for (const OptionSpec& option : command.options) {
      const std::string place = command.name + " " + option.long_name();
      if (option.flag) {
        EXPECT_TRUE(option.hint.names.empty() && option.hint.path == CompletionHint::Path::none) << place;
        continue;
      }
      const std::string message = error_of(option, "no-such-word");
      std::vector<std::string> names = option.hint.names;
      if (message.find(words(names)) == std::string::npos) std::erase(names, "all");
      // An option without names or paths to complete reads numbers: a word is an error.
      const bool offered = !names.empty() || option.hint.path != CompletionHint::Path::none;
      EXPECT_TRUE(offered || !message.empty()) << place;
      // The message for an unknown word lists the accepted names: the completions, in their order.
      if (names.empty() || message.empty() || numbers_too.count(option.long_name())) continue;
      const std::size_t at = message.find(words(names));
      const std::size_t end = at == std::string::npos ? at : at + words(names).size();
      EXPECT_TRUE(end < message.size() && (message[end] == ';' || message[end] == '.')) << place << ": " << message;
    }
    for (const PositionalSpec& positional : command.positionals) {
      if (positional.name == std::string("EXPRESSION")) continue;  // words of the user's own
      EXPECT_FALSE(positional.hint.names.empty() && positional.hint.path == CompletionHint::Path::none)
          << positional.name;
    }
  }
}

TEST(Completion, EveryScriptHasEveryOption) {
  RunConfig config;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell);
    for (const char* mark : {"@KNOWS@", "@COMMANDS@", "@COMPLETE@"}) {
      EXPECT_EQ(script.find(mark), std::string::npos) << shell << ": " << mark << " was left";
    }
    for (const CommandSpec& command : command_specs(config)) {
      EXPECT_NE(script.find(command.name), std::string::npos) << shell << " " << command.name;
      for (const OptionSpec& option : command.options) {
        EXPECT_NE(script.find(option.long_name().substr(2)), std::string::npos) << shell << " " << option.names;
      }
    }
  }
}

// The fuzzer's seed command lines: each must parse, and together they must cover every option.

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
