// The program: argv in, exit code out. Every failure ends here as one sentence, and under --json as a document, too.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app/options/options.hpp"
#include "app/support/console.hpp"
#include "app/support/json.hpp"
#include "app/support/run_config.hpp"
#include "sim/backend/backend.hpp"
#include "sim/backend/ranks.hpp"
#include "sim/backends.hpp"
#include "sim/base/machine.hpp"
#include "sim/files/hdf5.hpp"
#include "sim/ranks/cluster_backend.hpp"

namespace {

using tri::ExitCode;

/// Whether an output file is `-` or /dev/stdout. Standard output then holds that file alone, and results go to standard
/// error.
bool streams_a_file(const tri::app::RunConfig& c) {
  const std::string* const files[] = {&c.run.output, &c.run.diag, &c.compute.output, &c.convert.output,
                                      &c.bench.output};
  return std::any_of(std::begin(files), std::end(files), [](const std::string* file) {
    return !file->empty() && tri::io::stream_of(*file) == STDOUT_FILENO;
  });
}

/// Looks at the arguments themselves, because a command line that cannot be parsed fails, too.
bool wants_json(const std::vector<std::string>& argv) {
  const auto options_end = std::find(argv.begin(), argv.end(), "--");
  return std::find(argv.begin(), options_end, "--json") != options_end;
}

int fail(const std::vector<std::string>& argv, std::FILE* results, const std::string& sentence, ExitCode code) {
  tri::app::print_error(sentence);
  if (wants_json(argv)) std::fputs(tri::app::failure_json(sentence, code).c_str(), results);
  return static_cast<int>(code);
}

/// Opens the null device for each standard stream that is closed, as in `triangulum run ... 2>&-`. The next file to be
/// opened would have its number, and what is printed would be written into that file. A file for a closed stream must
/// not count as written, so that each is for reading only, and the results have a null device of their own. False if
/// that failed.
bool open_closed_streams(std::FILE*& results) {
  const bool silent = fcntl(STDOUT_FILENO, F_GETFD) < 0;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != stream) return false;
  }
  if (silent) results = std::fopen("/dev/null", "w");
  return results != nullptr;
}

/// The ranks of this process for as long as it lives: the first one leads, and make_backend() makes backends of all.
class LeadingRank {
 public:
  explicit LeadingRank(tri::Communicator* ranks) {
    if (ranks != nullptr) leader_.emplace(*ranks);
    tri::use_ranks(leader_ ? &*leader_ : nullptr);
  }
  ~LeadingRank() { tri::use_ranks(nullptr); }
  LeadingRank(const LeadingRank&) = delete;
  LeadingRank& operator=(const LeadingRank&) = delete;

 private:
  std::optional<tri::RankLeader> leader_;
};

/// Before the first order. Every rank but the first works here to the end: then it returns true.
bool join_ranks(tri::Communicator& ranks) {
  tri::share_memory_with(ranks.host_ranks() - 1);
  tri::app::catch_relayed_interrupts();  // before the others know whom to tell
  const int first = tri::reachable_leader(ranks);
  if (ranks.rank() == 0) return false;
  tri::app::relay_interrupts(first);
  // One that cannot tell the first rank ends the work of all itself.
  tri::follow(ranks, tri::make_rank_backend, tri::rank_device, first > 0 ? nullptr : &tri::app::interrupt_flag());
  return true;
}

int fail_by(const std::exception& error, const std::vector<std::string>& arguments, std::FILE* results) {
  return fail(arguments, results, fmt::format("{} (this should not happen; please report it)", error.what()),
              ExitCode::check_failed);
}

int run(int argc, char** argv) {
  using tri::app::Console;
  std::FILE* results = stdout;
  if (!open_closed_streams(results)) {
    tri::app::print_error("a standard stream is closed, and /dev/null cannot be opened for it. Redirect it to a file.");
    return static_cast<int>(ExitCode::file);
  }
  std::vector<std::string> arguments;
  // Outlives the sentence of an error: mpirun of Open MPI 5 may not read what a rank writes just before it exits.
  std::unique_ptr<tri::Communicator> ranks;
  try {
    arguments.assign(argv, argv + argc);
    std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is met at the write
    std::signal(SIGXFSZ, SIG_IGN);  // and so is a file that may not grow (ulimit -f)
    tri::app::catch_interrupts();
    tri::io::read_hdf5_apart("/proc/self/exe");
    tri::on_last_words([&](const std::string& sentence, ExitCode code) { fail(arguments, results, sentence, code); });
    ranks = tri::launched_ranks(tri::open_nccl_ranks);
    if (ranks && join_ranks(*ranks)) return static_cast<int>(ExitCode::ok);
    const LeadingRank leading(ranks.get());
    const auto config = tri::app::parse_options(arguments);
    if (streams_a_file(config)) results = stderr;
    const auto level = config.common.quiet     ? Console::Level::quiet
                       : config.common.verbose ? Console::Level::verbose
                                               : Console::Level::normal;
    Console console(results, stderr, level);
    return tri::app::run_command(config, console, tri::app::gui_commands());
  } catch (const tri::Error& error) {
    return fail(arguments, results, error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return fail(arguments, results, "out of memory. Take a smaller --n, fewer bodies, or --precision fp32.",
                ExitCode::out_of_memory);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) return fail_by(error, arguments, results);
    return fail(arguments, results,
                "the system starts no more threads. Raise the limits of this session (ulimit -u, -v, -d), end other "
                "programs, or take --threads 1.",
                ExitCode::out_of_memory);
  } catch (const std::exception& error) {
    return fail_by(error, arguments, results);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (tri::io::is_hdf5_server(argc, argv)) return tri::io::serve_hdf5();
  const int code = run(argc, argv);
  tri::finish_backends();
  return code;
}
