// One text for documentation and help: it names every option of every command, and no others.

#include "app/options/help.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <sstream>

#include "app/options/option_specs.hpp"
#include "app/options/options.hpp"

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
  for (const std::string& option : options_in(help_text(""))) EXPECT_TRUE(known.count(option)) << option;
}

TEST(Help, LinesFitATerminal) {
  std::istringstream lines(help_text(""));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80u) << line;
    EXPECT_EQ(line.find('`'), std::string::npos) << line;
  }
}

TEST(Help, HelpOfACommandShowsThatCommandOnly) {
  const std::string bench = help_text("bench");
  EXPECT_EQ(bench.rfind("BENCH", 0), 0u);
  EXPECT_NE(bench.find("--kernel"), std::string::npos);
  EXPECT_NE(bench.find("COMMON OPTIONS"), std::string::npos);
  EXPECT_EQ(bench.find("--steps"), std::string::npos);
  EXPECT_LT(short_help_text().size(), 1300u);
}

}  // namespace
}  // namespace tri::app
