// From a parsed command line to its command.

#include <fmt/format.h>

#include <optional>

#include "app/options/help.hpp"
#include "app/support/commands.hpp"
#include "app/support/file_roles.hpp"
#include "app/support/interrupt.hpp"
#include "app/support/progress_line.hpp"
#include "sim/base/contracts.hpp"
#include "tri_version.hpp"

namespace tri::app {
namespace {

/// Whether stopping a command early leaves nothing useful: its result is a file, which would be incomplete.
bool gives_up(Command command) { return command == Command::convert || command == Command::compute; }

/// Whether a command that does not end soon after Ctrl-C may be cut off wherever it is. A run saves the state after its
/// step, the window and its films end after a frame, and bench reports what it has.
bool may_be_cut_off(const RunConfig& config) {
  switch (config.command) {
    case Command::run:
    case Command::render:
    case Command::view:
    case Command::demo:
    case Command::short_help:
      return false;
    case Command::bench:
      return config.bench.tune;
    default:
      return true;
  }
}

int dispatch(const RunConfig& config, Console& console, const GuiCommands& gui) {
  switch (config.command) {
    case Command::short_help:
      if (gui.available()) return gui.view(config, console);
      console.note(short_help_text() + fmt::format("\nThe app: {}.", gui.available().reason));
      return static_cast<int>(ExitCode::usage);
    case Command::help:
      console.print(help_text(config.topic));
      return static_cast<int>(ExitCode::ok);
    case Command::version:
      console.print(fmt::format("triangulum {}\n", kVersionFull));
      return static_cast<int>(ExitCode::ok);
    case Command::view:
    case Command::demo:
      return gui.view(config, console);
    case Command::render:
      return gui.render(config, console);
    case Command::run:
      return run_simulation(config, console);
    case Command::bench:
      return run_bench_command(config, console);
    case Command::verify:
      return config.verify.what.empty() ? run_verify(config, console) : run_verify_map(config, console);
    case Command::compute:
      return run_compute(config, console);
    case Command::plot:
      return run_plot(config, console);
    case Command::info:
      return run_info(config, console, gui);
    case Command::list:
      return run_list(config, console);
    case Command::law:
      return run_law(config, console);
    case Command::convert:
      return run_convert(config, console);
    case Command::doctor:
      return run_doctor(config, console, gui);
    case Command::completion:
      return run_completion(config, console);
    case Command::man:
      return run_man(config, console);
  }
  TRI_UNREACHABLE("a Command outside its enum");
}

}  // namespace

int run_command(const RunConfig& config, Console& console, const GuiCommands& gui) {
  check_outputs(config);
  ProgressLine line(console, interrupt_flag(), gives_up(config.command));
  const ScopedProgressSink watching(line);
  std::optional<InterruptDeadline> deadline;
  if (may_be_cut_off(config)) {
    deadline.emplace([&] { say_interrupted(console, config.common.json, cut_off_sentence()); });
  }
  try {
    check_writable(config, console);
    return dispatch(config, console, gui);
  } catch (const InterruptedError& ended) {
    say_interrupted(console, config.common.json, ended.what());
    return static_cast<int>(ended.code());
  }
}

}  // namespace tri::app
