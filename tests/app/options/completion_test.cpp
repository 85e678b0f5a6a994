// Shell completion: every completion is accepted, and an option with a list of names completes all of them.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/options/help.hpp"
#include "app/options/options.hpp"
#include "sim/base/error.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app {
namespace {

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
      std::erase(names, "all");
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

}  // namespace
}  // namespace tri::app
