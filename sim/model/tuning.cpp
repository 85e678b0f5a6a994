#include "sim/model/tuning.hpp"

#include <algorithm>

#include "sim/base/enum_names.hpp"

namespace tri {
namespace {

constexpr auto kWorkNames = enum_names<TunedWork>("tuned work", "gravity", "lennard-jones", "overlaps", "grid");

}  // namespace

std::string to_string(TunedWork work) { return kWorkNames.text(work); }
std::optional<TunedWork> tuned_work_from(std::string_view name) { return kWorkNames.find(name); }

std::optional<u32> Tuning::choice(TunedWork work, Precision precision, u64 n) const {
  std::optional<u32> found;
  for (const TuningRow& row : rows) {
    if (row.work != work || row.precision != precision) continue;
    if (!found || row.n <= n) found = row.choice;
  }
  return found;
}

std::optional<u64> Tuning::first(TunedWork work, Precision precision) const {
  for (const TuningRow& row : rows) {
    if (row.work == work && row.precision == precision) return row.n;
  }
  return std::nullopt;
}

u32 fastest(const std::vector<std::pair<u32, double>>& times, std::optional<u32> before) {
  TRI_EXPECTS(!times.empty());
  const auto best =
      std::min_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const auto& [choice, ms] : times) {
    if (before && choice == *before && ms <= best->second * (1 + kTuningNoise)) return choice;
  }
  return best->first;
}

}  // namespace tri
