#include "render/gl/driver_memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/base/memory.hpp"

namespace tri::gl {
namespace {

/// What Mesa's software driver was seen to need, with its compiler and threads.
constexpr double kDriverBytes = 512.0 * (1 << 20);

extern "C" void on_crash(int) {
  constexpr std::string_view kSentence =
      "error: the graphics driver crashed; it ran out of memory, most likely: ulimit -v or -d limits this session. "
      "Raise "
      "the limit, or take a smaller --size and fewer bodies.\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kSentence.data(), kSentence.size());
  ::_exit(static_cast<int>(ExitCode::out_of_memory));
}

bool is_limited(__rlimit_resource what) {
  rlimit limit{};
  return ::getrlimit(what, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

void require_driver_memory() {
  if (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA)) return;
  const auto left = static_cast<double>(available_memory());
  if (is_limited(RLIMIT_AS) && left < kDriverBytes) {
    throw MemoryError(fmt::format("drawing needs {} for the graphics driver; ulimit -v leaves {}. Raise the limit.",
                                  gib_text(kDriverBytes), gib_text(left)));
  }
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT}) sigaction(signal, &action, nullptr);
}

}  // namespace tri::gl
