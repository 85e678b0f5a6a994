#pragma once
/// The command line: its tables of options, its parser, help, completion.
///
/// Parses argv into RunConfig. Does not access the environment or devices, prints nothing, and reads no file except the
/// fractal of `bench --fractal` and map files, which it adds to the maps.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/support/option_values.hpp"
#include "sim/laws/law_table.hpp"

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

// The options of each command, one function per command. Used by options.cpp only.

/// Common options of a command besides --json, --quiet and --verbose.
enum Takes : u32 {
  kBackend = 1,               // --backend, --device
  kWork = 2,                  // --map, --block
  kPrecision = 4,             // --precision
  kAccumulate = 8,            // --accumulate
  kSeed = 16,                 // --seed
  kThreads = 32,              // --threads
  kBroadPhase = 64,           // --broad-phase
  kSlices = 128,              // --slice-ms
  kCells = 256,               // --map of a fractal's cells, too
  kArithmetic = 512,          // --arithmetic
  kTolerance = 1024,          // --tolerance
  kPairs = 8192,              // --pairs
  kOfScenes = 2047 + kPairs,  // all of these
  kNoJson = 2048,             // without --json
  kDevices = 4096,            // --devices
};
std::vector<OptionSpec> common_specs(CommonOptions& common, u32 takes);
/// Refuses combinations that are invalid for every command.
void check_common(const RunConfig& config);

/// A reader that stores the value as it is.
template <class To>
auto text_into(To& to) {
  return [&to](const std::string& v) { to = v; };
}
/// Completion hints: names, a list of names, or a path.
CompletionHint hint_names(const std::vector<std::string_view>& names);
CompletionHint hint_list(const std::vector<std::string_view>& names);
CompletionHint hint_file();
CompletionHint hint_folder();
/// Scenes, optionally with fractals, or a file.
CompletionHint hint_scenes(bool with_fractals);

/// --dt X or auto, --eta, --integrator.
void add_steps(CommandSpec& spec, RunOptions& run);
/// --G, --sigma and all other parameters of laws.
void add_law_parameters(CommandSpec& spec, std::vector<GivenParameter>& to);
/// A number in this range.
double number_in(const char* option, const std::string& text, const Range& range);
/// --law and --triple-law: the name of a law, or the text of a typed one, which is read here to be refused at once.
void add_laws(CommandSpec& spec, std::string& law, std::string& triple_law);
/// The same for typed laws alone.
void add_typed_laws(CommandSpec& spec, std::string& law, std::string& triple_law);
/// The words of an option that takes the text of a law or one of these names, in full.
std::string law_words(const char* option, const std::string& words, const std::vector<std::string_view>& names,
                      bool triples);

/// Refuses --eta with steps of a given length.
void check_steps(const RunOptions& run);

CommandSpec run_spec(RunConfig& config);
CommandSpec bench_spec(RunConfig& config);
CommandSpec verify_spec(RunConfig& config);
CommandSpec compute_spec(RunConfig& config);
CommandSpec plot_spec(RunConfig& config);
CommandSpec info_spec(RunConfig& config);
CommandSpec list_spec(RunConfig& config);
CommandSpec law_spec(RunConfig& config);
CommandSpec convert_spec(RunConfig& config);
CommandSpec doctor_spec(RunConfig& config);
CommandSpec completion_spec(RunConfig& config);
CommandSpec man_spec(RunConfig& config);
CommandSpec cite_spec(RunConfig& config);
CommandSpec view_spec(RunConfig& config);
CommandSpec demo_spec(RunConfig& config);
CommandSpec render_spec(RunConfig& config);

/// Refuses more than two maps or blocks.
void check_work(const CommonOptions& common);

/// Refuses a figure name that does not end in .svg.
void check_svg_name(const char* option, const std::string& name);

// What the program says of its own command line: the help, app/help.md, which is also its documentation, and shell
// completion, generated from the parser's tables so that it is always up to date.

/// The section of a command followed by the common options; the whole text for "all". Plain text, without Markdown.
/// Expects a known command.
std::string help_text(std::string_view command);

/// The commands in a line each: for --help alone, and for a command line without a command.
std::string short_help_text();

/// The help as a man page of section 1 (roff, man macros).
std::string man_page();

/// The script for "bash", "zsh" or "fish".
std::string completion_script(const std::string& shell);

}  // namespace tri::app
