#include "sim/scene/scene_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "sim/base/error.hpp"
#include "sim/base/memory.hpp"
#include "sim/base/suggest.hpp"
#include "sim/base/whole_number.hpp"

namespace tri::scene {

namespace {

/// The columns of Bodies, here and in an engine.
constexpr u64 kBytesPerBody = 2 * 8 * sizeof(double);

/// The whole text as a number.
bool parse(const std::string& text, double& value) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  return error == std::errc() && end == last;
}

}  // namespace

std::vector<Setting> settings_from(std::string_view scene, std::string_view text) {
  std::vector<Setting> settings;
  if (text.empty()) return settings;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view part = text.substr(at, comma - at);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos && !settings.empty() && settings.back().key == "units") {
      settings.back().value += fmt::format(",{}", part);  // "kpc, 1e10 Msun, km/s"
      at = comma + 1;
      continue;
    }
    if (equals == std::string_view::npos || equals == 0) {
      throw ConfigError(
          fmt::format("scene {}: '{}' is not key=value; write {}:key=value,key=value.", scene, part, scene));
    }
    const std::string key(part.substr(0, equals));
    const bool twice = std::any_of(settings.begin(), settings.end(), [&](const Setting& s) { return s.key == key; });
    if (twice) throw ConfigError(fmt::format("scene {}: key {} is given twice; keep one.", scene, key));
    settings.push_back({key, std::string(part.substr(equals + 1)), ""});
    at = comma + 1;
  }
  return settings;
}

std::vector<std::string> key_names(std::string_view keys) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < keys.size();) {
    const std::size_t end = std::min(keys.find(", ", at), keys.size());
    names.emplace_back(keys.substr(at, std::min(keys.find('=', at), end) - at));
    at = end + 2;
  }
  return names;
}

void fail_setting(const std::string& scene, const Setting& setting, const std::string& what) {
  if (!setting.place.empty()) throw FileError(fmt::format("{}: {}", setting.place, what));
  throw ConfigError(fmt::format("scene {}: {}", scene, what));
}

const Setting* SceneKeys::find(std::string_view key) {
  known_.emplace_back(key);
  const auto found = std::find_if(given_.begin(), given_.end(), [&](const Setting& s) { return s.key == key; });
  return found == given_.end() ? nullptr : &*found;
}

bool SceneKeys::has(std::string_view key) const {
  return std::any_of(given_.begin(), given_.end(), [&](const Setting& s) { return s.key == key; });
}

void SceneKeys::refuse(const Setting& s, const std::string& must_be) const {
  fail_setting(scene_, s, fmt::format("{} = '{}', but it must be {}.", s.key, s.value, must_be));
}

double SceneKeys::real(std::string_view key, double fallback, const Range& range) {
  const Setting* given = find(key);
  if (given == nullptr) return fallback;
  double value = 0;
  if (!parse(given->value, value) || !range.holds(value)) refuse(*given, range.text());
  return value;
}

u32 SceneKeys::count(std::string_view key, u32 fallback, u32 low, u32 high) {
  const Setting* given = find(key);
  if (given == nullptr) return fallback;
  const std::optional<u64> value = whole_number_of(given->value);
  if (!value || *value < low || *value > high) refuse(*given, fmt::format("an integer from {} to {}", low, high));
  if (key == "n") {
    const auto bytes = [](u64 n) { return kBytesPerBody * n; };
    require_memory(static_cast<double>(bytes(*value)), fmt::format("scene {} with n = {}", scene_, *value),
                   size_hint("Use n = ", largest_that_fits(bytes, available_memory()), " or less"));
  }
  return static_cast<u32>(*value);
}

u64 SceneKeys::seed() {
  const Setting* given = find("seed");
  if (given == nullptr) return 42;
  const std::optional<u64> value = whole_number_of(given->value);
  if (!value) refuse(*given, "an integer from 0 to 18446744073709551615");
  return *value;
}

std::string SceneKeys::name(std::string_view key, std::string_view fallback,
                            const std::vector<std::string_view>& names) {
  const Setting* given = find(key);
  if (given == nullptr) return std::string(fallback);
  if (std::find(names.begin(), names.end(), given->value) != names.end()) return given->value;
  refuse(*given, fmt::format("{}", fmt::join(names, " or ")));
}

std::string SceneKeys::text(std::string_view key, const char* what) {
  const Setting* given = find(key);
  if (given == nullptr) throw ConfigError(fmt::format("scene {}: it needs {} = {}.", scene_, key, what));
  if (given->value.empty()) refuse(*given, what);
  return given->value;
}

void SceneKeys::refuse_idle(std::string_view key, const char* why) {
  if (const Setting* given = find(key)) fail_setting(scene_, *given, fmt::format("{} {}", key, why));
}

void SceneKeys::done() const {
  for (const Setting& s : given_) {
    if (std::find(known_.begin(), known_.end(), s.key) != known_.end()) continue;
    if (s.place.empty()) throw ConfigError(unknown_name("key of scene " + scene_, s.key, known_));
    throw FileError(fmt::format("{}: {}", s.place, unknown_name("key", s.key, known_)));
  }
}

}  // namespace tri::scene
