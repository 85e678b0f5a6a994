// The machine: free memory, threads, files of modules.
//
// Free memory: the kernel's estimate, capped by the limits of the process and of all control groups around it.

#include "sim/base/machine.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace tri {
namespace {

constexpr u64 kUnknown = std::numeric_limits<u64>::max();

/// The first number of a one-line file; nullopt when the file is missing or says "max".
std::optional<u64> number_in(const std::string& path) {
  std::ifstream file(path);
  u64 value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

/// The value of `key` in a file of "key value" lines.
std::optional<u64> entry_in(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    u64 value = 0;
    if (word == key && file >> value) return value;
  }
  return std::nullopt;
}

/// The files of a control group that say what its processes may take, and take. The page cache counts as used but is
/// reclaimed on demand.
struct GroupFiles {
  const char *limit, *used, *cache_key;
};
constexpr GroupFiles kVersion2{"memory.max", "memory.current", "inactive_file"};
constexpr GroupFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

u64 left_in_group(const std::string& folder, const GroupFiles& files) {
  const auto limit = number_in(folder + files.limit);
  const auto used = number_in(folder + files.used);
  if (!limit || !used) return kUnknown;
  const u64 held = *used - std::min(*used, entry_in(folder + "memory.stat", files.cache_key).value_or(0));
  return *limit - std::min(*limit, held);
}

/// In the group "/a/b", in "/a", and in all of `root`.
u64 left_in_groups(const std::string& root, std::string group, const GroupFiles& files) {
  u64 left = kUnknown;
  while (!group.empty()) {
    left = std::min(left, left_in_group(root + group + "/", files));
    group.resize(std::min(group.rfind('/'), group.size() - 1));
  }
  return std::min(left, left_in_group(root + "/", files));
}

/// What the limits of this process alone (ulimit -v, ulimit -d) leave.
u64 left_to_process() {
  std::ifstream file("/proc/self/statm");
  u64 size = 0, data = 0, other = 0;
  if (!(file >> size >> other >> other >> other >> other >> data)) return kUnknown;
  const auto left = [page = static_cast<u64>(sysconf(_SC_PAGESIZE))](auto what, u64 pages) {
    rlimit limit{};
    if (getrlimit(what, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnknown;
    return u64{limit.rlim_cur} - std::min<u64>(limit.rlim_cur, pages * page);
  };
  return std::min(left(RLIMIT_AS, size), left(RLIMIT_DATA, data));
}

std::atomic<u32>& processes() {
  static std::atomic<u32> count{1};
  return count;
}

/// Beside the first, in all MemoryShares.
std::atomic<u32>& threads_beside() {
  static std::atomic<u32> count{0};
  return count;
}

}  // namespace

u64 memory_left_in_groups(const std::string& membership, const std::string& root) {
  std::ifstream file(membership);
  u64 left = kUnknown;
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      for (const char* mount : {"", "/unified"}) left = std::min(left, left_in_groups(root + mount, group, kVersion2));
    } else if (controllers.find(",memory,") != std::string::npos) {
      left = std::min(left, left_in_groups(root + "/memory", group, kVersion1));
    }
  }
  return left;
}

void share_memory_with(u32 others) { processes() = others + 1; }

MemoryShare::MemoryShare(u32 threads) : others_(threads - 1) { threads_beside() += others_; }
MemoryShare::~MemoryShare() { threads_beside() -= others_; }

u64 available_memory() {
  const auto kib = entry_in("/proc/meminfo", "MemAvailable:");
  const u64 machine = kib ? *kib * 1024 : kUnknown;
  const u64 shared = std::min(machine, memory_left_in_groups("/proc/self/cgroup", "/sys/fs/cgroup"));
  const u64 left = std::min(shared == kUnknown ? kUnknown : shared / processes(), left_to_process());
  return left == kUnknown ? kUnknown : left / (threads_beside() + 1);
}

std::string gib_text(double bytes) { return fmt::format("{:.3g} GiB", bytes / 1073741824.0); }

void require_memory(double bytes, const std::string& what, const std::string& hint) {
  const double available = static_cast<double>(available_memory());
  if (bytes <= available) return;
  throw MemoryError(
      fmt::format("{} would take {}; {} of memory are free. {}.", what, gib_text(bytes), gib_text(available), hint));
}

std::string size_hint(const std::string& before, u64 largest, const std::string& after) {
  if (largest == 0) return "Not even one fits; free some memory first";
  return fmt::format("{}{}{}", before, largest, after);
}

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

void* open_module(const char* name, const char* cure, bool global, std::string& why_not) {
  std::error_code none;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (const auto& path : {folder / name, folder / "../lib/triangulum/modules" / name}) {
    if (!std::filesystem::exists(path, none)) continue;
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL))) return handle;
    why_not = dlerror();
    return nullptr;
  }
  why_not = fmt::format("{} is missing; {} and build again", name, cure);
  return nullptr;
}

}  // namespace tri
