#pragma once
/// argv -> RunConfig. Pure: no environment and no device is looked at, nothing is printed, and no file is read but the
/// one of a fractal that `bench --fractal` names.

#include <functional>
#include <string>
#include <vector>

#include "app/support/run_config.hpp"

namespace tri::app {

/// Throws ConfigError for an unknown command, option or value (with the nearest known one), for options that exclude
/// each other and for options that would have no effect. --help and --version win over everything that comes after.
RunConfig parse_options(const std::vector<std::string>& argv);

/// What shells offer as the value of an option or of an argument; nothing for numbers.
struct CompletionHint {
  enum class Path : u8 { none, file, folder };
  std::vector<std::string> names;  ///< those that are known; one that ends in '=' wants more behind it
  bool several = false;            ///< a list of names, parted by commas
  Path path = Path::none;          ///< or a path of this kind
  bool scenes = false;             ///< the names are scenes, which take keys: NAME:key=value,...
};

/// One option of a command as the parser, the help and their test see it.
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
  bool several = false;  ///< takes all there are, read() once for each; the last of a command
  CompletionHint hint = {};
};

struct CommandSpec {
  Command command;
  std::string name;
  std::vector<PositionalSpec> positionals;
  std::vector<OptionSpec> options;
  std::function<void()> check;  ///< after all values are read: what excludes what
};

/// Every command with its options; reading stores into `config`, which must outlive the result.
std::vector<CommandSpec> command_specs(RunConfig& config);

}  // namespace tri::app
