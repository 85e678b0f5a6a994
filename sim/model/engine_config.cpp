// Names of precisions, accumulations and broad phases, and the fields of EngineConfig as text.

#include "sim/model/engine_config.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

template <class T>
T number(const std::string& text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) {
    throw ConfigError(fmt::format("'{}' is not a number of this kind.", text));
  }
  return value;
}

}  // namespace

template <class T>
std::string engine_text(const T& value) {
  if constexpr (std::is_same_v<T, TriangleMapId> || std::is_same_v<T, TetraMapId>) {
    return info(value).name;
  } else if constexpr (std::is_enum_v<T>) {
    return to_string(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return value == 0 ? "auto" : value == kNoLimit ? "off" : fmt::format("{}", value);
  } else {
    return fmt::format("{}", value);
  }
}

template <class T>
T engine_value(const std::string& text) {
  if constexpr (NamedEnum<T>) {
    return from_name<T>(text);
  } else if constexpr (std::is_same_v<T, TriangleMapId>) {
    return triangle_map_from(text);
  } else if constexpr (std::is_same_v<T, TetraMapId>) {
    return tetra_map_from(text);
  } else if constexpr (std::is_same_v<T, double>) {
    const double ms = text == "auto" ? 0 : text == "off" ? kNoLimit : number<double>(text);
    if (!(ms >= 0)) throw ConfigError(fmt::format("'{}' is not a time in ms, auto or off.", text));
    return ms;
  } else {
    return number<T>(text);
  }
}

#define TRI_ENGINE_VALUE(T) \
  template std::string engine_text(const T&); \
  template T engine_value(const std::string&);
TRI_ENGINE_VALUE(Precision)
TRI_ENGINE_VALUE(Accumulate)
TRI_ENGINE_VALUE(TriangleMapId)
TRI_ENGINE_VALUE(TetraMapId)
TRI_ENGINE_VALUE(BroadPhase)
TRI_ENGINE_VALUE(Arithmetic)
TRI_ENGINE_VALUE(Tolerance)
TRI_ENGINE_VALUE(PairSearch)
TRI_ENGINE_VALUE(u32)
TRI_ENGINE_VALUE(double)
#undef TRI_ENGINE_VALUE

double tree_tolerance(const EngineConfig& config) {
  if (config.tolerance != Tolerance::automatic) return number<double>(to_string(config.tolerance));
  return config.precision == Precision::fp32 ? 3e-7 : 1e-7;
}

// Look-up of map names in the registry.

namespace {

template <class Found>
auto found_or_throw(Found found, std::string_view domain, const std::string& name, std::span<const MapInfo> maps) {
  if (found) return *found;
  std::vector<std::string_view> names;
  for (const MapInfo& map : maps) names.emplace_back(map.name);
  throw ConfigError(unknown_name(std::string("map of the ") + std::string(domain), name, names));
}

}  // namespace

TriangleMapId triangle_map_from(const std::string& name) {
  return found_or_throw(find_triangle_map(name), "triangle", name, triangle_maps());
}

TetraMapId tetra_map_from(const std::string& name) {
  return found_or_throw(find_tetra_map(name), "tetrahedron", name, tetra_maps());
}

GasketMapId gasket_map_from(const std::string& name) {
  return found_or_throw(find_gasket_map(name), "gasket", name, gasket_maps());
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
