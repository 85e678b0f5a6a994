#pragma once
/// Counts as people type them.

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "sim/base/platform.hpp"

namespace tri {

/// A whole number in digits, or with an exponent if that makes a whole number up to 2^53: "1000", "1e3", "2.5e6".
/// Nothing for any other text.
inline std::optional<u64> whole_number_of(std::string_view text) {
  const char *const first = text.data(), *const last = first + text.size();
  u64 digits = 0;
  const auto [end, error] = std::from_chars(first, last, digits);
  if (error == std::errc() && end == last) return digits;
  if (text.find_first_of("eE") == std::string_view::npos || text.front() == '-') return std::nullopt;
  double value = 0;
  const auto [stop, problem] = std::from_chars(first, last, value);
  if (problem != std::errc() || stop != last || !(value <= 0x1p53) || value != std::floor(value)) return std::nullopt;
  return static_cast<u64>(value);
}

}  // namespace tri
