// Free memory: the kernel's estimate, capped by the limits of the process's control group.

#include "sim/base/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

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

u64 left_in_group(const std::string& limit_path, const std::string& used_path, const std::string& stat_path,
                  const std::string& cache_key) {
  const auto limit = number_in(limit_path);
  const auto used = number_in(used_path);
  if (!limit || !used) return kUnknown;
  // The page cache counts as used but is reclaimed on demand.
  const u64 held = *used - std::min(*used, entry_in(stat_path, cache_key).value_or(0));
  return *limit - std::min(*limit, held);
}

}  // namespace

u64 available_memory() {
  const auto kib = entry_in("/proc/meminfo", "MemAvailable:");
  const u64 machine = kib ? *kib * 1024 : kUnknown;
  const std::string v2 = "/sys/fs/cgroup/", v1 = "/sys/fs/cgroup/memory/";
  const u64 group2 = left_in_group(v2 + "memory.max", v2 + "memory.current", v2 + "memory.stat", "inactive_file");
  const u64 group1 = left_in_group(v1 + "memory.limit_in_bytes", v1 + "memory.usage_in_bytes", v1 + "memory.stat",
                                   "total_inactive_file");
  return std::min({machine, group2, group1});
}

std::string gib_text(double bytes) { return fmt::format("{:.3g} GiB", bytes / 1073741824.0); }

void require_memory(double bytes, const std::string& what, const std::string& hint) {
  const double available = static_cast<double>(available_memory());
  if (bytes <= available) return;
  throw MemoryError(
      fmt::format("{} needs {}; {} of memory are free. {}.", what, gib_text(bytes), gib_text(available), hint));
}

std::string size_hint(const std::string& before, u64 largest, const std::string& after) {
  if (largest == 0) return "Not even one fits; free some memory first";
  return fmt::format("{}{}{}", before, largest, after);
}

}  // namespace tri
