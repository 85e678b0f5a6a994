#include "app/options/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <CLI/CLI.hpp>

#include "app/options/option_specs.hpp"
#include "app/support/scene_spec.hpp"
#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"

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
  return {run_spec(config),    bench_spec(config),   compute_spec(config), verify_spec(config),     plot_spec(config),
          info_spec(config),   list_spec(config),    law_spec(config),     view_spec(config),       demo_spec(config),
          render_spec(config), convert_spec(config), doctor_spec(config),  completion_spec(config), man_spec(config)};
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
    if (!config.topic.empty() && !find_command(specs, config.topic)) fail_unknown_command(specs, config.topic);
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

}  // namespace tri::app
