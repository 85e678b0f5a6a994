#pragma once
/// The options of each command, one function per command. Used by options.cpp only.

#include "app/options/options.hpp"
#include "sim/laws/law_table.hpp"

namespace tri::app {

/// Common options of a command besides --json, --quiet and --verbose.
enum Takes : u32 {
  kBackend = 1,       // --backend, --device
  kWork = 2,          // --map, --block
  kPrecision = 4,     // --precision
  kAccumulate = 8,    // --accumulate
  kSeed = 16,         // --seed
  kThreads = 32,      // --threads
  kBroadPhase = 64,   // --broad-phase
  kSlices = 128,      // --slice-ms
  kCells = 256,       // --map of a fractal's cells, too
  kArithmetic = 512,  // --arithmetic
  kTolerance = 1024,  // --tolerance
  kOfScenes = 2047,   // all of these
  kNoJson = 2048,     // without --json
  kDevices = 4096,    // --devices
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
CommandSpec view_spec(RunConfig& config);
CommandSpec demo_spec(RunConfig& config);
CommandSpec render_spec(RunConfig& config);

/// Refuses more than two maps or blocks.
void check_work(const CommonOptions& common);

/// Refuses a figure name that does not end in .svg.
void check_svg_name(const char* option, const std::string& name);

}  // namespace tri::app
