#include "sim/base/user_values.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tri {

u32 edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table suffice: the current one, the previous one, and for swaps the one before that.
  std::vector<u32> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<u32>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<u32>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const u32 replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string closest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  u32 best_distance = ~0u;
  for (const std::string_view candidate : candidates) {
    const u32 distance = edit_distance(name, candidate);
    const auto longer = static_cast<u32>(std::max(name.size(), candidate.size()));
    if (distance <= std::max(1u, longer / 3) && distance < longer && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (best.empty() && !name.empty()) {
    const auto has_prefix = [name](std::string_view candidate) { return candidate.starts_with(name); };
    const auto found = std::find_if(candidates.begin(), candidates.end(), has_prefix);
    if (found != candidates.end()) best = *found;
  }
  return std::string(best);
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string best = closest_name(name, candidates);
  return best.empty() ? std::string() : fmt::format(" Did you mean '{}'?", best);
}

std::string unknown_name(std::string_view what, std::string_view name, std::span<const std::string_view> candidates) {
  return fmt::format("unknown {} '{}'.{} Known: {}.", what, name, did_you_mean(name, candidates),
                     fmt::join(candidates, ", "));
}

bool Range::holds(double value) const {
  return std::isfinite(value) && (low_itself ? value >= low : value > low) &&
         (high_itself ? value <= high : value < high);
}

std::string Range::text() const {
  const bool has_low = std::isfinite(low), has_high = std::isfinite(high);
  std::string text = has_low || has_high ? "" : "a finite number";
  if (has_low) text += fmt::format("{} {}", low_itself ? "at least" : "more than", low);
  if (has_low && has_high) text += " and ";
  if (has_high) text += fmt::format("{} {}", high_itself ? "at most" : "less than", high);
  return text;
}

}  // namespace tri
