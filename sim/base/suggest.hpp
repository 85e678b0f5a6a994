#pragma once
/// "Did you mean": messages for unknown names.

#include <span>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace tri
