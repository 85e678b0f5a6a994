#pragma once
/// The names of an enum's values, as users type them and files hold them: one table serves text, lookup and lists.
///
///     constexpr auto kPrecisions = enum_names<Precision>("precision", "fp32", "fp64");
///
///     kPrecisions.name(Precision::fp64)   "fp64"
///     kPrecisions.from("fp46")            throws: unknown precision 'fp46'. Did you mean 'fp64'? Known: fp32, fp64.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"

namespace tri {

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

}  // namespace tri
