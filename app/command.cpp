#include "app/command.hpp"

#include <fmt/format.h>

#include "app/bench/bench_command.hpp"
#include "app/completion.hpp"
#include "app/compute_command.hpp"
#include "app/convert_command.hpp"
#include "app/doctor.hpp"
#include "app/gui/gui_runner.hpp"
#include "app/headless_runner.hpp"
#include "app/help.hpp"
#include "app/info_command.hpp"
#include "app/interrupt.hpp"
#include "app/plot_command.hpp"
#include "app/verify/verify_command.hpp"
#include "app/work_progress.hpp"
#include "sim/contracts.hpp"
#include "sim/error.hpp"
#include "tri_version.hpp"

namespace tri::app {

namespace {

/// Whether a command that is ended early leaves nothing of use: its files are its result, and not whole.
bool gives_up(Command command) { return command == Command::convert || command == Command::compute; }

int dispatch(const RunConfig& config, Console& console) {
  switch (config.command) {
    case Command::short_help:
      if (gui_available()) return run_gui(config, console);
      console.note(short_help_text() + fmt::format("\nThe app: {}.", gui_available().reason));
      return static_cast<int>(ExitCode::usage);
    case Command::help:
      console.print(help_text(config.topic));
      return static_cast<int>(ExitCode::ok);
    case Command::version:
      console.print(fmt::format("triangulum {}\n", kVersionFull));
      return static_cast<int>(ExitCode::ok);
    case Command::view:
    case Command::demo:
      return run_gui(config, console);
    case Command::render:
      return run_render(config, console);
    case Command::run:
      return run_headless(config, console);
    case Command::bench:
      return run_bench_command(config, console);
    case Command::verify:
      return run_verify(config, console);
    case Command::compute:
      return run_compute(config, console);
    case Command::plot:
      return run_plot(config, console);
    case Command::info:
      return run_info(config, console);
    case Command::list:
      return run_list(config, console);
    case Command::convert:
      return run_convert(config, console);
    case Command::doctor:
      return run_doctor(config, console);
    case Command::completion:
      return run_completion(config, console);
    case Command::man:
      return run_man(config, console);
  }
  TRI_UNREACHABLE("a Command outside its enum");
}

}  // namespace

int run_command(const RunConfig& config, Console& console) {
  ProgressLine line(console, interrupt_flag(), gives_up(config.command));
  const WatchScope watching(line);
  try {
    return dispatch(config, console);
  } catch (const InterruptedError& ended) {
    console.note(ended.what());
    return static_cast<int>(ended.code());
  }
}

}  // namespace tri::app
