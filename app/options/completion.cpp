// Shell completion scripts, from the parser's tables.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "app/options/help.hpp"
#include "app/options/options.hpp"
#include "app/support/commands.hpp"
#include "completion_bash.hpp"
#include "completion_fish.hpp"
#include "completion_zsh.hpp"
#include "sim/base/contracts.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {
namespace {

/// --help and every spelling of every option; with `valued`, only options that take a value.
std::vector<std::string> options_of(const CommandSpec& command, bool valued) {
  std::vector<std::string> all;
  if (!valued) all.emplace_back("--help");
  for (const OptionSpec& option : command.options) {
    if (valued && option.flag) continue;
    for (std::string& spelling : option.spellings()) all.push_back(std::move(spelling));
  }
  return all;
}

std::string command_names(const std::vector<CommandSpec>& commands) {
  std::vector<std::string> names;
  for (const CommandSpec& command : commands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// The variables that a case of the function below sets.
std::string settings_of(const CompletionHint& hint) {
  std::string text;
  if (!hint.names.empty()) text += fmt::format(" names=\"{}\"", fmt::join(hint.names, " "));
  if (hint.several) text += " several=1";
  if (hint.scenes) text += " scenes=1";
  if (hint.path != CompletionHint::Path::none)
    text += hint.path == CompletionHint::Path::file ? " place=\"file\"" : " place=\"folder\"";
  return text;
}

/// "n=4096, seed=42" -> "n= seed="; parts without '=' are remarks.
std::string key_words(std::string_view keys) {
  std::string words;
  for (std::size_t at = 0; at < keys.size();) {
    const std::size_t end = std::min(keys.find(',', at), keys.size());
    const std::string_view key = keys.substr(at, end - at);
    const std::size_t equals = key.find('=');
    if (equals != std::string_view::npos)
      words += fmt::format("{}{}", words.empty() ? "" : " ", key.substr(0, equals + 1));
    at = std::min(keys.find_first_not_of(' ', end + 1), keys.size());
  }
  return words;
}

/// Scenes and fractals grouped by their keys.
std::map<std::string, std::vector<std::string>> scenes_by_keys() {
  std::map<std::string, std::vector<std::string>> alike;
  for (const SceneInfo& scene : list_scenes()) alike[key_words(scene.keys)].push_back(scene.name);
  for (const Fractal& fractal : list_fractals()) alike[key_words(kAutomatonKeys)].push_back(fractal.name);
  return alike;
}

/// A function for bash and zsh: `_triangulum_keys SCENE` sets keys.
std::string keys_function() {
  std::string text = "_triangulum_keys() {\n  keys=\"\"\n  case \"$1\" in\n";
  for (const auto& [keys, scenes] : scenes_by_keys()) {
    text += fmt::format("    {}) keys=\"{}\" ;;\n", fmt::join(scenes, "|"), keys);
  }
  return text + "  esac\n}\n";
}

/// A function for bash and zsh: `_triangulum_knows COMMAND WHAT` sets the options, and the candidates if WHAT is an
/// option with a value or the number of an argument; else it returns 1.
std::string knows_function(const std::vector<CommandSpec>& commands) {
  std::string text =
      "_triangulum_knows() {\n  options=\"\" names=\"\" several=0 scenes=0 place=\"\"\n  case \"$1\" in\n";
  for (const CommandSpec& command : commands) {
    text += fmt::format("    {})\n      options=\"{}\"\n      case \"$2\" in\n", command.name,
                        fmt::join(options_of(command, false), " "));
    std::map<std::string, std::vector<std::string>> alike;  // by what they set
    for (const OptionSpec& option : command.options) {
      if (option.flag) continue;
      for (const std::string& spelling : option.spellings()) alike[settings_of(option.hint)].push_back(spelling);
    }
    std::size_t number = 0;
    for (const PositionalSpec& positional : command.positionals) {
      alike[settings_of(positional.hint)].push_back(positional.several ? "[1-9]*" : fmt::format("{}", ++number));
    }
    for (const auto& [settings, patterns] : alike) {
      text += fmt::format("        {}){} ;;\n", fmt::join(patterns, "|"), settings);
    }
    text += "        *) return 1 ;;\n      esac ;;\n";
  }
  const std::string topics = fmt::format(
      "    --help)\n      case \"$2\" in 1) names=\"{}\" ;; *) return 1 ;; esac ;;\n", command_names(commands));
  return text + topics + "    *) return 1 ;;\n  esac\n}\n";
}

/// The arguments of fish's `complete` for a hint.
std::string fish_offer(const CompletionHint& hint) {
  const char* text = hint.path == CompletionHint::Path::file ? " -F" : " -f";
  std::string words = fmt::format("{}", fmt::join(hint.names, " "));
  if (hint.several) words = fmt::format("(__triangulum_list {})", words);
  if (hint.scenes) words += " (__triangulum_keys)";
  if (hint.path == CompletionHint::Path::folder) words += "(__fish_complete_directories)";
  return words.empty() ? text : fmt::format("{} -a '{}'", text, words);
}

/// The cases of the function for the keys of scenes.
std::string fish_keys() {
  std::string text;
  for (const auto& [keys, scenes] : scenes_by_keys()) {
    text += fmt::format("        case {}\n            set keys {}\n", fmt::join(scenes, " "), keys);
  }
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
      for (const std::string& spelling : option.spellings()) {
        const bool wide = spelling.starts_with("--");
        names += fmt::format(" -{} {}", wide ? "l" : "s", spelling.substr(wide ? 2 : 1));
      }
      const std::string value = option.flag ? "" : " -r" + fish_offer(option.hint);
      text += fmt::format("complete -c triangulum {}{}{}\n", when, names, value);
    }
    std::size_t number = 0;
    for (const PositionalSpec& positional : command.positionals) {
      text += fmt::format("complete -c triangulum -n '__triangulum_argument {} {} {} {}'{}\n", command.name, ++number,
                          positional.several ? "+" : "-", fmt::join(options_of(command, true), " "),
                          fish_offer(positional.hint));
    }
  }
  return text;
}

/// A script template with its marks replaced.
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
  if (shell == "fish") {
    return filled(embedded::completion_fish, {{"@KEYS@\n", fish_keys()}, {"@COMPLETE@\n", fish_lines(commands)}});
  }
  TRI_EXPECTS(shell == "bash" || shell == "zsh");
  return filled(shell == "bash" ? embedded::completion_bash : embedded::completion_zsh,
                {{"@KNOWS@\n", knows_function(commands) + keys_function()}, {"@COMMANDS@", command_names(commands)}});
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
