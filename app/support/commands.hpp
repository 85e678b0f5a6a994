#pragma once
/// The commands, each defined in the folder of its subject. Each returns the exit code. They throw what they meet:
/// Error carries its exit code, std::bad_alloc means out of memory; files that were complete by then stay.

#include <string>

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "sim/base/error.hpp"

namespace tri::app {

/// What the commands need from the window. main() passes it to run_command(): no command links the window.
struct GuiCommands {
  /// Whether this build has a window and the machine a display; if not, the reason (a phrase without a full stop).
  Availability (*available)();
  /// Whether the display that available() relies on responds; if not, the reason. Connects to it and disconnects.
  Availability (*display_answers)();
  /// Whether frames can be rendered without a window; sets `renderer` to OpenGL's name for it. Creates and destroys a
  /// context.
  Availability (*offscreen)(std::string& renderer);
  /// `view` and `demo`: opens the app. Throws Error with ExitCode::no_display and the reason if there is no display.
  int (*view)(const RunConfig& config, Console& console);
  /// `render`: renders frames of a simulation without a window. Throws Error with ExitCode::no_display if OpenGL is not
  /// available.
  int (*render)(const RunConfig& config, Console& console);
};
/// Stubs in a build without a window.
GuiCommands gui_commands();

/// The command that the command line names.
int run_command(const RunConfig& config, Console& console, const GuiCommands& gui);

/// `run`: a scene without a window, from its first step or from a snapshot to its summary. ok also when --walltime
/// ended it.
int run_simulation(const RunConfig& config, Console& console);
/// `run gasket:r=10 --steps N`: a cellular automaton on a fractal.
int run_fractal(const RunConfig& config, Console& console);
/// `bench`: plan, run, report. check_failed when a check failed; throws ConfigError with the first refusal when nothing
/// that was requested could be timed.
int run_bench_command(const RunConfig& config, Console& console);
/// `bench --tune`: measures which tiles are fastest on this device, prints a table as it goes, and keeps them for later
/// runs unless interrupted.
int run_tune(const RunConfig& config, Console& console);
/// `verify`: checks every map and every available backend, as a table.
int run_verify(const RunConfig& config, Console& console);
/// `verify map NAME|FILE`: proves a map file side by side, and draws a side. check_failed when one is wrong.
int run_verify_map(const RunConfig& config, Console& console);
/// `compute`: the kernels on a user's own file, in float64 unless --precision says otherwise: here accuracy matters
/// more than speed.
int run_compute(const RunConfig& config, Console& console);
/// `plot`: draws bench results as an SVG file.
int run_plot(const RunConfig& config, Console& console);
/// `convert`: bodies of any format, or a scene, to another format; says what is omitted or assumed.
int run_convert(const RunConfig& config, Console& console);
/// `info` and `list`: what this program and this machine support.
int run_info(const RunConfig& config, Console& console, const GuiCommands& gui);
int run_list(const RunConfig& config, Console& console);
/// `law`: what a typed law was understood as, its checks, programs and values; as a table, JSON and a plot.
int run_law(const RunConfig& config, Console& console);
/// `doctor`: what is missing on this machine, and how to fix it; check_failed if something is unusable.
int run_doctor(const RunConfig& config, Console& console, const GuiCommands& gui);
/// `completion SHELL` and `man`.
int run_completion(const RunConfig& config, Console& console);
int run_man(const RunConfig& config, Console& console);

}  // namespace tri::app
