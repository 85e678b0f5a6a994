#pragma once
/// The options of each command, one function a command, all of the same form. Used by options.cpp alone.

#include "app/options/options.hpp"

namespace tri::app {

/// Which of the common options a command takes beside --json, --quiet and --verbose.
enum Takes : u32 {
  kBackend = 1,      // --backend, --device
  kWork = 2,         // --map, --block
  kPrecision = 4,    // --precision
  kAccumulate = 8,   // --accumulate
  kSeed = 16,        // --seed
  kThreads = 32,     // --threads
  kBroadPhase = 64,  // --broad-phase
  kSlices = 128,     // --slice-ms
  kCells = 256,      // --map of a fractal's cells, too
};
std::vector<OptionSpec> common_specs(CommonOptions& common, u32 takes);
/// What no command may have together.
void check_common(const RunConfig& config);

/// An option that takes one of `names`, which shells offer, too. `store` gets the position of the one given.
OptionSpec one_of(const char* option, std::vector<std::string_view> names, std::function<void(std::size_t)> store);
/// What shells offer: these names, a list of them, or a path.
CompletionHint hint_names(const std::vector<std::string_view>& names,
                          CompletionHint::Path path = CompletionHint::Path::none);
CompletionHint hint_list(const std::vector<std::string_view>& names);
CompletionHint hint_file();
CompletionHint hint_folder();
/// Scenes, with the fractals that a run takes as scenes; or a file.
CompletionHint hint_scenes(bool with_fractals);

CommandSpec run_spec(RunConfig& config);
CommandSpec bench_spec(RunConfig& config);
CommandSpec verify_spec(RunConfig& config);
CommandSpec compute_spec(RunConfig& config);
CommandSpec plot_spec(RunConfig& config);
CommandSpec info_spec(RunConfig& config);
CommandSpec list_spec(RunConfig& config);
CommandSpec convert_spec(RunConfig& config);
CommandSpec doctor_spec(RunConfig& config);
CommandSpec completion_spec(RunConfig& config);
CommandSpec man_spec(RunConfig& config);
CommandSpec view_spec(RunConfig& config);
CommandSpec demo_spec(RunConfig& config);
CommandSpec render_spec(RunConfig& config);

/// Refuses more maps or blocks than there are domains.
void check_work(const CommonOptions& common);

/// Refuses the name of a figure that does not end in .svg.
void check_svg_name(const char* option, const std::string& name);

}  // namespace tri::app
