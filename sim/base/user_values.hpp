#pragma once
/// Values that a user types: names of enums, ranges, whole numbers, suggestions.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"

namespace tri {

/// Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, replacements and swaps of neighbours
/// that turn `a` into `b`. Bytewise and case-sensitive.
u32 edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, the first on a tie; else the first that starts with `name`; else empty. Near means
/// a distance of at most max(1, a third of the longer name).
std::string closest_name(std::string_view name, std::span<const std::string_view> candidates);

/// " Did you mean 'lambda'?" with its leading space, to follow a sentence; empty when nothing is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

/// "unknown map 'lamda'. Did you mean 'lambda'? Known: bb, lambda, ..., circulant."
std::string unknown_name(std::string_view what, std::string_view name, std::span<const std::string_view> candidates);

namespace detail {

template <class Range>
std::vector<std::string_view> as_views(const Range& names) {
  std::vector<std::string_view> views;
  for (const auto& name : names) views.emplace_back(name);
  return views;
}

}  // namespace detail

/// Overloads for any range of strings or string literals.
template <class Range>
std::string closest_name(std::string_view name, const Range& candidates) {
  return closest_name(name, std::span<const std::string_view>(detail::as_views(candidates)));
}
template <class Range>
std::string did_you_mean(std::string_view name, const Range& candidates) {
  return did_you_mean(name, std::span<const std::string_view>(detail::as_views(candidates)));
}
template <class Range>
std::string unknown_name(std::string_view what, std::string_view name, const Range& candidates) {
  return unknown_name(what, name, std::span<const std::string_view>(detail::as_views(candidates)));
}

// The names of an enum's values, as users type them and files hold them: one table serves text, lookup and lists.
// It stands beside the enum, in its namespace:
//
//     enum class Precision : u8 { fp32, fp64 };
//     constexpr auto enum_table(Precision) { return enum_names<Precision>("precision", "fp32", "fp64"); }
//
//     to_string(Precision::fp64)      "fp64"
//     from_name<Precision>("fp46")    throws: unknown precision 'fp46'. Did you mean 'fp64'? Known: fp32, fp64.
//     kNamesOf<Precision>               the table

/// Enumerators count from 0; names[i] is that of the i-th. `what` is what an error calls the enum.
template <class E, std::size_t N>
struct EnumNames {
  std::string_view what;
  std::array<std::string_view, N> names;

  constexpr std::string_view name(E value) const {
    const auto at = static_cast<std::size_t>(value);
    TRI_EXPECTS(at < N);
    return names[at];
  }
  std::string text(E value) const { return std::string(name(value)); }
  std::vector<std::string_view> list() const { return {names.begin(), names.end()}; }

  /// Nothing for an unknown name.
  constexpr std::optional<E> find(std::string_view name) const {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) return std::nullopt;
    return static_cast<E>(at - names.begin());
  }
  /// Throws ConfigError with the nearest name and all of them.
  E from(std::string_view name) const {
    if (const auto value = find(name)) return *value;
    throw ConfigError(unknown_name(what, name, names));
  }
};

/// One name an enumerator, in their order.
template <class E, class... Names>
constexpr EnumNames<E, sizeof...(Names)> enum_names(std::string_view what, Names... names) {
  return {what, {std::string_view(names)...}};
}

template <class E>
concept NamedEnum = requires(E value) {
  enum_table(value);
};

template <NamedEnum E>
inline constexpr auto kNamesOf = enum_table(E{});

template <NamedEnum E>
std::string to_string(E value) {
  return kNamesOf<E>.text(value);
}

/// Throws ConfigError with the nearest name and all of them.
template <NamedEnum E>
E from_name(std::string_view name) {
  return kNamesOf<E>.from(name);
}

// The values that a number given by a user may have.

/// The default is every finite number.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_itself = true, high_itself = true;  ///< whether the ends belong to it

  bool holds(double value) const;  ///< false for infinity and NaN
  std::string text() const;        ///< "more than 0", "at least 0 and less than 1", "a finite number"
};

inline constexpr Range kPositive{.low = 0, .low_itself = false};
inline constexpr Range kNotNegative{.low = 0};

// Counts as people type them.

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
