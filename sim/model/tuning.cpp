#include "sim/model/tuning.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/base/contracts.hpp"

namespace tri {
namespace {

constexpr std::array<std::string_view, 4> kNames{"gravity", "lennard-jones", "overlaps", "grid"};

}  // namespace

std::string to_string(TunedWork work) { return std::string(kNames[static_cast<std::size_t>(work)]); }

std::optional<TunedWork> tuned_work_from(std::string_view name) {
  const auto at = std::find(kNames.begin(), kNames.end(), name);
  if (at == kNames.end()) return std::nullopt;
  return static_cast<TunedWork>(at - kNames.begin());
}

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
