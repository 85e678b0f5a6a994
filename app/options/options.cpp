#include "app/options/options.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "app/support/run_config.hpp"
#include "completion_bash.hpp"
#include "completion_fish.hpp"
#include "completion_zsh.hpp"
#include "help_md.hpp"
#include "references_bib.hpp"
#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/scene/scene.hpp"
#include "tri_version.hpp"

namespace tri::app {
namespace {

const CommandSpec* find_command(const std::vector<CommandSpec>& specs, const std::string& name) {
  const auto at = std::find_if(specs.begin(), specs.end(), [&](const CommandSpec& s) { return s.name == name; });
  return at == specs.end() ? nullptr : &*at;
}

[[noreturn]] void fail_unknown_command(const std::vector<CommandSpec>& specs, const std::string& name) {
  std::vector<std::string> names;
  for (const CommandSpec& s : specs) names.push_back(s.name);
  if (!name.empty() && name[0] == '-') {
    throw ConfigError(
        fmt::format("{} stands before the command; options follow it: triangulum COMMAND {}. "
                    "The commands are {}.",
                    name, name, fmt::join(names, ", ")));
  }
  throw ConfigError(unknown_name("command", name, names));
}

/// For an option that is a key of a scene among the arguments: the scene's text with that key; else empty.
std::string with_option_as_key(const std::vector<std::string>& arguments, const std::string& option) {
  const std::size_t begin = option.find_first_not_of('-'), equals = option.find('=');
  if (begin == std::string::npos) return "";
  const std::string key = option.substr(begin, equals == std::string::npos ? equals : equals - begin);
  const auto scene =
      std::find_if(arguments.begin(), arguments.end(), [&](const std::string& text) { return scene_takes(text, key); });
  if (scene == arguments.end()) return "";
  if (equals != std::string::npos) return with_key(*scene, key, option.substr(equals + 1));
  const auto at = std::find(arguments.begin(), arguments.end(), option);
  return with_key(*scene, key, at == arguments.end() || at + 1 == arguments.end() ? "..." : *(at + 1));
}

/// Says what is wrong with an argument that the command does not take.
[[noreturn]] void fail_unexpected(const std::vector<CommandSpec>& specs, const CommandSpec& command,
                                  const std::vector<std::string>& arguments, const std::string& argument) {
  if (argument.empty() || argument[0] != '-' || argument == "-") {
    std::string takes;
    for (const PositionalSpec& p : command.positionals) takes += " " + p.name;
    throw ConfigError(fmt::format("{}: one argument too many: '{}'. It takes{}.", command.name, argument,
                                  takes.empty() ? " options only" : takes));
  }
  const std::string name = argument.substr(0, argument.find('='));
  const bool takes_scenes = std::any_of(command.positionals.begin(), command.positionals.end(),
                                        [](const PositionalSpec& p) { return p.hint.scenes; });
  if (const std::string scene = with_option_as_key(arguments, argument); takes_scenes && !scene.empty()) {
    throw ConfigError(fmt::format("{0} has no option {1}; it is a parameter of the scene: triangulum {0} {2}.",
                                  command.name, name, scene));
  }
  std::vector<std::string> own, owners;
  for (const CommandSpec& s : specs) {
    for (const OptionSpec& o : s.options) {
      for (std::string& spelling : o.spellings()) {
        if (&s != &command && spelling == name) owners.push_back(s.name);
        if (&s == &command) own.push_back(std::move(spelling));
      }
    }
  }
  if (!owners.empty()) {
    throw ConfigError(
        fmt::format("{} is not an option of {}; it belongs to {}.", name, command.name, fmt::join(owners, ", ")));
  }
  throw ConfigError(fmt::format("unknown option {} of {}.{} See triangulum {} --help.", name, command.name,
                                did_you_mean(name, own), command.name));
}

/// Energies begin with a minus sign, and "-qi*qj/r" is no bundle of flags: the arguments with a law behind "--".
std::vector<std::string> with_law_last(std::vector<std::string> arguments) {
  const auto is_law = [](const std::string& a) {
    return a.starts_with('-') && !a.starts_with("--") && a.find_first_of("*/^(;") != std::string::npos;
  };
  const auto law = std::find_if(arguments.begin(), arguments.end(), is_law);
  if (law == arguments.end() || std::find(arguments.begin(), law, "--") != law) return arguments;
  std::rotate(law, law + 1, arguments.end());
  arguments.insert(arguments.end() - 1, "--");
  return arguments;
}

/// Hands the arguments to CLI11, which knows the grammar; the meaning stays with the specs.
void read_arguments(const std::vector<CommandSpec>& specs, const CommandSpec& command, RunConfig& config,
                    const std::vector<std::string>& arguments) {
  CLI::App parser;
  parser.set_help_flag();
  parser.allow_extras();
  std::set<std::string>& given = config.given;
  for (const OptionSpec& option : command.options) {
    const std::string name = option.long_name();
    if (option.flag) {
      for (const std::string& argument : arguments) {
        if (argument.starts_with(name + "=")) throw ConfigError(fmt::format("{} takes no value.", name));
      }
      parser.add_flag_callback(option.names, [&given, &option, name] { given.insert(name), option.read(""); })
          ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    } else {
      parser.add_option_function<std::string>(
          option.names, [&given, &option, name](const std::string& value) { given.insert(name), option.read(value); });
    }
  }
  // Read last: behind an unknown option stands its value, which is no argument of the command.
  std::vector<std::pair<const PositionalSpec*, std::string>> positionals;
  for (const PositionalSpec& p : command.positionals) {
    if (p.several) {
      parser.add_option_function<std::vector<std::string>>(p.name,
                                                           [&p, &positionals](const std::vector<std::string>& values) {
                                                             for (const std::string& value : values)
                                                               positionals.emplace_back(&p, value);
                                                           });
      continue;
    }
    parser.add_option_function<std::string>(
        p.name, [&p, &positionals](const std::string& value) { positionals.emplace_back(&p, value); });
  }
  std::vector<std::string> from_the_back(arguments.rbegin(), arguments.rend());  // as CLI11 takes them
  try {
    parser.parse(from_the_back);
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what(), option = text.substr(0, text.find(':'));
    const bool missing = text.find("missing") != std::string::npos;
    throw ConfigError(fmt::format("{}: {} {}. See triangulum {} --help.", command.name, option,
                                  missing ? "needs a value" : "is given more than once", command.name));
  } catch (const CLI::ParseError& error) {
    throw ConfigError(fmt::format("{}: {}. See triangulum {} --help.", command.name, error.what(), command.name));
  }
  for (const std::string& argument : parser.remaining()) {
    if (argument != "--") fail_unexpected(specs, command, arguments, argument);
  }
  for (const auto& [positional, value] : positionals) positional->read(value);
  for (const PositionalSpec& p : command.positionals) {
    if (p.required && parser.get_option(p.name)->empty()) {
      throw ConfigError(fmt::format("{} needs {}. See triangulum {} --help.", command.name, p.name, command.name));
    }
  }
}

}  // namespace

std::vector<CommandSpec> command_specs(RunConfig& config) {
  return {run_spec(config),    bench_spec(config),      compute_spec(config), verify_spec(config),
          plot_spec(config),   info_spec(config),       list_spec(config),    law_spec(config),
          view_spec(config),   demo_spec(config),       render_spec(config),  convert_spec(config),
          doctor_spec(config), completion_spec(config), man_spec(config),     cite_spec(config)};
}

RunConfig parse_options(const std::vector<std::string>& argv) {
  RunConfig config;
  config.argv = argv;
  const std::vector<std::string> arguments(argv.begin() + (argv.empty() ? 0 : 1), argv.end());
  const auto specs = command_specs(config);
  const auto is_help = [](const std::string& a) { return a == "--help" || a == "-h"; };
  if (arguments.empty()) {
    config.command = Command::short_help;
  } else if (arguments[0] == "--version" || arguments[0] == "-V" || arguments[0] == "version") {
    if (arguments.size() > 1) throw ConfigError(fmt::format("{} stands alone.", arguments[0]));
    config.command = Command::version;
  } else if (is_help(arguments[0]) || arguments[0] == "help") {
    if (arguments.size() > 2) throw ConfigError(fmt::format("{} takes at most the name of a command.", arguments[0]));
    config.command = Command::help;
    if (arguments.size() == 2) config.topic = arguments[1];
    const bool named = !config.topic.empty() && config.topic != "all";
    if (named && !find_command(specs, config.topic)) fail_unknown_command(specs, config.topic);
  } else {
    const CommandSpec* command = find_command(specs, arguments[0]);
    if (command == nullptr) fail_unknown_command(specs, arguments[0]);
    const auto words_end = std::find(arguments.begin() + 1, arguments.end(), "--");
    if (std::any_of(arguments.begin() + 1, words_end, is_help)) {
      config.command = Command::help;
      config.topic = command->name;
    } else {
      config.command = command->command;
      const std::vector<std::string> own(arguments.begin() + 1, arguments.end());
      read_arguments(specs, *command, config, command->command == Command::law ? with_law_last(own) : own);
      check_common(config);
      if (command->check) command->check();
    }
  }
  return config;
}

namespace {

struct Section {
  std::string_view title;  ///< of its "## " line; the first section has the "# " line's
  std::string body;        ///< plain text
};

/// Removes backquotes.
std::string plain_line(std::string_view line) {
  std::string text;
  for (const char c : line) {
    if (c != '`') text += c;
  }
  return text;
}

std::vector<Section> sections() {
  std::vector<Section> all;
  std::string_view rest = embedded::help_md;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    const std::string_view line = rest.substr(0, rest[end] == '\n' ? end : end + 1);
    rest.remove_prefix(end + 1);
    const bool heading = line.substr(0, 2) == "# " || line.substr(0, 3) == "## ";
    if (heading) {
      all.push_back({line.substr(line.find(' ') + 1), ""});
    } else if (line.substr(0, 3) != "```" && !all.empty()) {
      all.back().body += plain_line(line) + "\n";
    }
  }
  for (Section& s : all) {
    s.body.erase(0, s.body.find_first_not_of('\n'));
    s.body.erase(s.body.find_last_not_of('\n') + 1);
    s.body += '\n';
  }
  return all;
}

/// A line of text, escaped for roff; with `marks`, code is bold.
std::string roff_line(std::string_view line, bool marks) {
  std::string text = !line.empty() && (line.front() == '.' || line.front() == '\'') ? "\\&" : "";
  bool bold = false;
  for (const char c : line) {
    if (c == '`' && marks) {
      bold = !bold;
      text += bold ? "\\fB" : "\\fR";
    } else if (c == '\\') {
      text += "\\e";
    } else if (c == '-') {
      text += "\\-";
    } else {
      text += c;
    }
  }
  return text + "\n";
}

std::string in_capitals(std::string_view title) {
  std::string text;
  for (const char c : title) text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string with_title(const Section& s) { return in_capitals(s.title) + "\n\n" + s.body; }

}  // namespace

std::string help_text(std::string_view command) {
  const auto all = sections();
  std::string text;
  for (const Section& s : all) {
    const bool of_command = s.title == command || s.title == "common options";
    if (command != "all" && !of_command) continue;
    if (!text.empty()) text += "\n";
    text += with_title(s);
  }
  TRI_ENSURES(!text.empty());
  return text;
}

std::string short_help_text() { return sections().front().body; }

std::string man_page() {
  std::string page = ".TH TRIANGULUM 1 \"\" \"triangulum " + std::string(kVersion) + "\" \"User Commands\"\n";
  page += ".SH NAME\ntriangulum \\- simulate bodies, and compute each pair and triple once\n";
  page += ".SH SYNOPSIS\n\\fBtriangulum\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n";
  bool code = false, some = false, parted = false;  // some text in the section; a paragraph of it has ended
  const auto begin = [&](const std::string& text) {
    if (some && parted) page += ".PP\n";
    page += text;
    some = true, parted = false;
  };
  std::string_view rest = embedded::help_md;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with("```")) {
      code = !code;
      if (code) {
        begin(".nf\n.RS 4\n");
      } else {
        page += ".RE\n.fi\n", parted = true;
      }
    } else if (code) {
      page += roff_line(line, false);
    } else if (line.starts_with("#")) {
      page += ".SH " + (line.starts_with("# ") ? "DESCRIPTION" : in_capitals(line.substr(3))) + "\n";
      some = parted = false;
    } else if (line.empty()) {
      parted = true;
    } else {
      begin(roff_line(line, true));
    }
  }
  return page;
}

// Shell completion scripts, from the parser's tables.

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
  alike[key_words(kTriangleKeys)].push_back(kTriangleLife);
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
      "    --help)\n      case \"$2\" in 1) names=\"{} all\" ;; *) return 1 ;; esac ;;\n", command_names(commands));
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

int run_cite(const RunConfig&, Console& console) {
  console.print(filled(embedded::references_bib, {{"@VERSION@", std::string(kVersion)}}));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace tri::app
