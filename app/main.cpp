// The program: argv in, exit code out. Every failure ends here as one sentence.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "app/support/commands.hpp"
#include "app/support/interrupt.hpp"

namespace {

/// Opens the null device for each standard stream that is closed, as in `triangulum run ... 2>&-`. The next file to be
/// opened would have its number, and what is printed would be written into that file. False if that failed.
bool open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) != stream) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  using tri::ExitCode;
  using tri::app::Console;
  if (!open_closed_streams()) {
    tri::app::print_error("a standard stream is closed, and /dev/null cannot be opened for it. Redirect it to a file.");
    return static_cast<int>(ExitCode::file);
  }
  try {
    std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is met at the write
    std::signal(SIGXFSZ, SIG_IGN);  // and so is a file that may not grow (ulimit -f)
    tri::app::catch_interrupts();
    const auto config = tri::app::parse_options(std::vector<std::string>(argv, argv + argc));
    const auto level = config.common.quiet     ? Console::Level::quiet
                       : config.common.verbose ? Console::Level::verbose
                                               : Console::Level::normal;
    Console console(stdout, stderr, level);
    return tri::app::run_command(config, console, tri::app::gui_commands());
  } catch (const tri::Error& error) {
    tri::app::print_error(error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    tri::app::print_error("out of memory. Take a smaller --n, fewer bodies, or --precision fp32.");
    return static_cast<int>(ExitCode::out_of_memory);
  } catch (const std::exception& error) {
    tri::app::print_error(fmt::format("{} (this should not happen; please report it)", error.what()));
    return static_cast<int>(ExitCode::check_failed);
  }
}
