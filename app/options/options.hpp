#pragma once
/// Parses argv into RunConfig. Does not access the environment or devices, prints nothing, and reads no file except the
/// fractal of `bench --fractal`.

#include <functional>
#include <string>
#include <vector>

#include "app/support/run_config.hpp"

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

  std::string long_name() const;
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
};

/// Every command with its options, which store into `config`; it must outlive the result.
std::vector<CommandSpec> command_specs(RunConfig& config);

}  // namespace tri::app
