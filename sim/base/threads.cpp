#include "sim/base/threads.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "sim/base/error.hpp"

namespace tri {

u32 usable_threads() {
  if (const char* set = std::getenv("OMP_NUM_THREADS"); set != nullptr && *set != '\0') {
    const std::string_view text = set, first = text.substr(0, text.find(','));
    u32 threads = 0;
    const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), threads);
    if (error == std::errc{} && end == first.data() + first.size() && threads >= 1 && threads <= kMaxThreads)
      return threads;
    throw ConfigError(fmt::format("OMP_NUM_THREADS={} is no number of threads from 1 to {}; change it or unset it.",
                                  text, kMaxThreads));
  }
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return static_cast<u32>(std::max(1, CPU_COUNT(&cores)));
}

}  // namespace tri
