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

constexpr auto kPrecisions = enum_names<Precision>("precision", "fp32", "fp64");
constexpr auto kAccumulations = enum_names<Accumulate>("accumulation", "fast", "ordered");
constexpr auto kBroadPhases = enum_names<BroadPhase>("broad phase", "auto", "all-pairs", "grid");
constexpr auto kArithmetics = enum_names<Arithmetic>("arithmetic", "auto", "float32", "tensor");
constexpr auto kTolerances = enum_names<Tolerance>("tolerance", "auto", "3e-7", "1e-6", "2e-6");

}  // namespace

std::string to_string(Precision precision) { return kPrecisions.text(precision); }
std::string to_string(Accumulate accumulate) { return kAccumulations.text(accumulate); }
std::string to_string(BroadPhase broad_phase) { return kBroadPhases.text(broad_phase); }
std::string to_string(Arithmetic arithmetic) { return kArithmetics.text(arithmetic); }
std::string to_string(Tolerance tolerance) { return kTolerances.text(tolerance); }

Precision precision_from(const std::string& name) { return kPrecisions.from(name); }
Accumulate accumulate_from(const std::string& name) { return kAccumulations.from(name); }
BroadPhase broad_phase_from(const std::string& name) { return kBroadPhases.from(name); }
Arithmetic arithmetic_from(const std::string& name) { return kArithmetics.from(name); }
Tolerance tolerance_from(const std::string& name) { return kTolerances.from(name); }

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
  if constexpr (std::is_same_v<T, Precision>) {
    return precision_from(text);
  } else if constexpr (std::is_same_v<T, Accumulate>) {
    return accumulate_from(text);
  } else if constexpr (std::is_same_v<T, TriangleMapId>) {
    return triangle_map_from(text);
  } else if constexpr (std::is_same_v<T, TetraMapId>) {
    return tetra_map_from(text);
  } else if constexpr (std::is_same_v<T, BroadPhase>) {
    return broad_phase_from(text);
  } else if constexpr (std::is_same_v<T, Arithmetic>) {
    return arithmetic_from(text);
  } else if constexpr (std::is_same_v<T, Tolerance>) {
    return tolerance_from(text);
  } else if constexpr (std::is_same_v<T, double>) {
    const double ms = text == "auto" ? 0 : text == "off" ? kNoLimit : number<double>(text);
    if (!(ms >= 0)) throw ConfigError(fmt::format("'{}' is not a time in ms, auto or off.", text));
    return ms;
  } else {
    return number<T>(text);
  }
}

template std::string engine_text(const Precision&);
template Precision engine_value(const std::string&);
template std::string engine_text(const Accumulate&);
template Accumulate engine_value(const std::string&);
template std::string engine_text(const TriangleMapId&);
template TriangleMapId engine_value(const std::string&);
template std::string engine_text(const TetraMapId&);
template TetraMapId engine_value(const std::string&);
template std::string engine_text(const BroadPhase&);
template BroadPhase engine_value(const std::string&);
template std::string engine_text(const Arithmetic&);
template Arithmetic engine_value(const std::string&);
template std::string engine_text(const Tolerance&);
template Tolerance engine_value(const std::string&);
template std::string engine_text(const u32&);
template u32 engine_value(const std::string&);
template std::string engine_text(const double&);
template double engine_value(const std::string&);

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
