#include "sim/base/range.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tri {

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
