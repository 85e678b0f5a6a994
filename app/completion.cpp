#include "app/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "app/options.hpp"
#include "completion_bash.hpp"
#include "completion_fish.hpp"
#include "completion_zsh.hpp"
#include "sim/contracts.hpp"
#include "sim/error.hpp"

namespace tri::app {
namespace {

std::vector<std::string> spellings(const OptionSpec& option) {
  const std::size_t comma = option.names.find(',');
  if (comma == std::string::npos) return {option.names};
  return {option.names.substr(0, comma), option.names.substr(comma + 1)};
}

/// --help, and every spelling of every option; with `valued` those alone that take a value.
std::vector<std::string> options_of(const CommandSpec& command, bool valued) {
  std::vector<std::string> all;
  if (!valued) all.emplace_back("--help");
  for (const OptionSpec& option : command.options) {
    if (valued && option.flag) continue;
    for (std::string& spelling : spellings(option)) all.push_back(std::move(spelling));
  }
  return all;
}

std::string command_names(const std::vector<CommandSpec>& commands) {
  std::vector<std::string> names;
  for (const CommandSpec& command : commands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// What a case of the function below sets; nothing for what is not known.
std::string settings_of(const Offer& offer) {
  std::string text;
  if (!offer.names.empty()) text += fmt::format(" names=\"{}\"", fmt::join(offer.names, " "));
  if (offer.several) text += " several=1";
  if (offer.path != Offer::Path::none)
    text += offer.path == Offer::Path::file ? " place=\"file\"" : " place=\"folder\"";
  return text;
}

/// A function for bash and zsh: `_triangulum_knows COMMAND WHAT` sets options, and for an option that takes a value or
/// for the number of an argument what may stand there; 1 where WHAT is neither.
std::string knows_function(const std::vector<CommandSpec>& commands) {
  std::string text = "_triangulum_knows() {\n  options=\"\" names=\"\" several=0 place=\"\"\n  case \"$1\" in\n";
  for (const CommandSpec& command : commands) {
    text += fmt::format("    {})\n      options=\"{}\"\n      case \"$2\" in\n", command.name,
                        fmt::join(options_of(command, false), " "));
    std::map<std::string, std::vector<std::string>> alike;  // by what they set
    for (const OptionSpec& option : command.options) {
      if (option.flag) continue;
      for (const std::string& spelling : spellings(option)) alike[settings_of(option.offer)].push_back(spelling);
    }
    std::size_t number = 0;
    for (const PositionalSpec& positional : command.positionals) {
      alike[settings_of(positional.offer)].push_back(positional.several ? "[1-9]*" : fmt::format("{}", ++number));
    }
    for (const auto& [settings, patterns] : alike) {
      text += fmt::format("        {}){} ;;\n", fmt::join(patterns, "|"), settings);
    }
    text += "        *) return 1 ;;\n      esac ;;\n";
  }
  return text + "    *) return 1 ;;\n  esac\n}\n";
}

/// The part of fish's `complete` that says what may stand somewhere.
std::string fish_offer(const Offer& offer) {
  std::string text = offer.path == Offer::Path::file ? " -F" : " -f";
  const std::string names = fmt::format("{}", fmt::join(offer.names, " "));
  if (offer.path == Offer::Path::folder) text += " -a '(__fish_complete_directories)'";
  if (!names.empty())
    text += offer.several ? fmt::format(" -a '(__triangulum_list {})'", names) : fmt::format(" -a '{}'", names);
  return text;
}

std::string fish_lines(const std::vector<CommandSpec>& commands) {
  std::string text;
  for (const CommandSpec& command : commands) {
    text += fmt::format("complete -c triangulum -n __fish_use_subcommand -a {}\n", command.name);
    const std::string when = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name);
    text += fmt::format("complete -c triangulum {} -l help\n", when);
    for (const OptionSpec& option : command.options) {
      std::string names;
      for (const std::string& spelling : spellings(option)) {
        const bool wide = spelling.starts_with("--");
        names += fmt::format(" -{} {}", wide ? "l" : "s", spelling.substr(wide ? 2 : 1));
      }
      const std::string value = option.flag ? "" : " -r" + fish_offer(option.offer);
      text += fmt::format("complete -c triangulum {}{}{}\n", when, names, value);
    }
    std::size_t number = 0;
    for (const PositionalSpec& positional : command.positionals) {
      text += fmt::format("complete -c triangulum -n '__triangulum_argument {} {} {} {}'{}\n", command.name, ++number,
                          positional.several ? "+" : "-", fmt::join(options_of(command, true), " "),
                          fish_offer(positional.offer));
    }
  }
  return text;
}

/// A script with its marks replaced.
std::string filled(std::string_view script, std::initializer_list<std::pair<std::string_view, std::string>> marks) {
  std::string text(script);
  for (const auto& [mark, words] : marks) {
    const std::size_t at = text.find(mark);
    TRI_EXPECTS(at != std::string::npos);
    text.replace(at, mark.size(), words);
  }
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell) {
  RunConfig config;
  const std::vector<CommandSpec> commands = command_specs(config);
  if (shell == "fish") return filled(embedded::completion_fish, {{"@COMPLETE@\n", fish_lines(commands)}});
  TRI_EXPECTS(shell == "bash" || shell == "zsh");
  return filled(shell == "bash" ? embedded::completion_bash : embedded::completion_zsh,
                {{"@KNOWS@\n", knows_function(commands)}, {"@COMMANDS@", command_names(commands)}});
}

int run_completion(const RunConfig& config, Console& console) {
  console.print(completion_script(config.shell));
  return static_cast<int>(ExitCode::ok);
}

int run_man(const RunConfig&, Console& console) {
  console.print(man_page());
  return static_cast<int>(ExitCode::ok);
}

}  // namespace tri::app
