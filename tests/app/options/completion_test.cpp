// What shells offer: whatever is offered is taken, and an option that takes words offers them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/options/help.hpp"
#include "app/options/options.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

/// The sentence with which an option refuses a value, or "" when it takes it.
std::string refusal_of(const OptionSpec& option, const std::string& value) {
  try {
    option.read(value);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

std::string words(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

TEST(Completion, WhatIsOfferedIsTaken) {
  RunConfig config;
  for (const CommandSpec& command : command_specs(config)) {
    for (const OptionSpec& option : command.options) {
      const std::string place = command.name + " " + option.long_name();
      const std::vector<std::string>& names = option.hint.names;
      EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << place;
      for (const std::string& name : names) {
        EXPECT_EQ(refusal_of(option, name.ends_with('=') ? name + "2" : name), "") << place;
        EXPECT_EQ(name.find_first_of(" \t,:$\"'\\`*?[]()"), std::string::npos) << place << ": " << name;
      }
      if (option.hint.several) {
        ASSERT_GE(names.size(), 2u) << place;
        EXPECT_EQ(refusal_of(option, names[0] + "," + names[1]), "") << place;
      }
    }
    for (const PositionalSpec& positional : command.positionals) {
      for (const std::string& name : positional.hint.names) EXPECT_NO_THROW(positional.read(name)) << name;
    }
  }
}

TEST(Completion, AnOptionOfWordsOffersThemAll) {
  const std::set<std::string> numbers_too{"--slice-ms", "--turn", "--save-every"};
  RunConfig config;
  for (const CommandSpec& command : command_specs(config)) {
    for (const OptionSpec& option : command.options) {
      const std::string place = command.name + " " + option.long_name();
      if (option.flag) {
        EXPECT_TRUE(option.hint.names.empty() && option.hint.path == CompletionHint::Path::none) << place;
        continue;
      }
      const std::string refusal = refusal_of(option, "no-such-word");
      std::vector<std::string> names = option.hint.names;
      std::erase(names, "all");
      // What neither names nor a path is offered for takes numbers; a word is refused.
      const bool offered = !names.empty() || option.hint.path != CompletionHint::Path::none;
      EXPECT_TRUE(offered || !refusal.empty()) << place;
      // What refuses a word says which ones it takes: those that are offered, in their order.
      if (names.empty() || refusal.empty() || numbers_too.count(option.long_name())) continue;
      const std::size_t at = refusal.find(words(names));
      const std::size_t end = at == std::string::npos ? at : at + words(names).size();
      EXPECT_TRUE(end < refusal.size() && (refusal[end] == ';' || refusal[end] == '.')) << place << ": " << refusal;
    }
    for (const PositionalSpec& positional : command.positionals) {
      EXPECT_FALSE(positional.hint.names.empty() && positional.hint.path == CompletionHint::Path::none)
          << positional.name;
    }
  }
}

TEST(Completion, EveryScriptKnowsEveryOption) {
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
