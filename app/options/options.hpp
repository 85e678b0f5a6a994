#pragma once
/// Parses argv into RunConfig. Does not access the environment or devices, prints nothing, and reads no file except the
/// fractal of `bench --fractal` and map files, which it adds to the maps.

#include <functional>
#include <string>
#include <vector>

#include "app/support/option_values.hpp"

namespace tri::app {

/// Throws ConfigError for an unknown command, option or value (with the nearest known one), for mutually exclusive
/// options and for options that would have no effect. --help and --version override everything that follows.
RunConfig parse_options(const std::vector<std::string>& argv);

/// Shell completion for the value of an option or argument; empty for numbers.
struct CompletionHint {
  enum class Path : u8 { none, file, folder };
  std::vector<std::string> names;  ///< candidates; one that ends in '=' needs a value after it
  bool several = false;            ///< a comma-separated list of names
  Path path = Path::none;          ///< also paths of this kind
  bool scenes = false;             ///< the names are scenes, which take keys: NAME:key=value,...
};

/// One option of a command.
struct OptionSpec {
  std::string names;                             ///< "--steps" or "-o,--output"
  bool flag = false;                             ///< takes no value
  std::function<void(const std::string&)> read;  ///< stores the value, or throws ConfigError; "" for a flag
  CompletionHint hint = {};

  std::vector<std::string> spellings() const;
  std::string long_name() const { return spellings().back(); }
};

struct PositionalSpec {
  std::string name;
  bool required = true;
  std::function<void(const std::string&)> read;
  bool several = false;  ///< takes all remaining arguments, one read() each; must be last
  CompletionHint hint = {};
};

struct CommandSpec {
  Command command;
  std::string name;
  std::vector<PositionalSpec> positionals;
  std::vector<OptionSpec> options;
  std::function<void()> check;  ///< validates combinations after all values are read

  /// Each of these adds an option and returns it, for its hint. This one: a value that `read` stores.
  OptionSpec& add(const char* names, std::function<void(const std::string&)> read);
  OptionSpec& flag(const char* names, bool& to);
  /// Stores read(name, value, limits...), as option_values.hpp has readers.
  template <class To, class Read, class... Limits>
  OptionSpec& value(const char* option, To& to, const Read& read, Limits... limits) {
    return add(option, [=, &to](const std::string& v) { to = static_cast<To>(read(option, v, limits...)); });
  }
  /// One of these names, which are completed, too: stores it, or the enumerator of its number.
  OptionSpec& one_of(const char* option, const std::vector<std::string_view>& names, std::string& to);
  template <class Enum, class To>
  OptionSpec& one_of(const char* option, const std::vector<std::string_view>& names, To& to) {
    OptionSpec& added =
        add(option, [=, &to](const std::string& v) { to = static_cast<Enum>(choice(option, v, names)); });
    added.hint.names = {names.begin(), names.end()};
    return added;
  }
  /// --units: one of the systems, or three units that make one.
  OptionSpec& units(std::string& to);
  void append(std::vector<OptionSpec> more);
};

/// Every command with its options, which store into `config`; it must outlive the result.
std::vector<CommandSpec> command_specs(RunConfig& config);

}  // namespace tri::app
