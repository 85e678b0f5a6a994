#include "sim/scene/scene_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/error.hpp"
#include "sim/suggest.hpp"

namespace tri::scene {

namespace {

/// The whole text as a number of type T.
template <class T>
bool parse(const std::string& text, T& value) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  return error == std::errc() && end == last;
}

}  // namespace

bool Range::holds(double value) const {
  return std::isfinite(value) && (low_itself ? value >= low : value > low) &&
         (high_itself ? value <= high : value < high);
}

std::string Range::text() const {
  const bool has_low = low > -1e300, has_high = high < 1e300;
  std::string text = has_low || has_high ? "" : "a finite number";
  if (has_low) text += fmt::format("{} {}", low_itself ? "at least" : "more than", low);
  if (has_low && has_high) text += " and ";
  if (has_high) text += fmt::format("{} {}", high_itself ? "at most" : "less than", high);
  return text;
}

SceneKeys::SceneKeys(std::string_view scene, std::string_view text) : scene_(scene) {
  if (text.empty()) return;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view part = text.substr(at, comma - at);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw ConfigError(
          fmt::format("scene {}: '{}' is not key=value; write {}:key=value,key=value.", scene_, part, scene_));
    }
    const std::string key(part.substr(0, equals));
    const bool twice = std::any_of(given_.begin(), given_.end(), [&](const auto& pair) { return pair.first == key; });
    if (twice) throw ConfigError(fmt::format("scene {}: key {} is given twice; keep one.", scene_, key));
    given_.emplace_back(key, std::string(part.substr(equals + 1)));
    at = comma + 1;
  }
}

const std::string* SceneKeys::find(std::string_view key) {
  asked_.emplace_back(key);
  const auto found = std::find_if(given_.begin(), given_.end(), [&](const auto& pair) { return pair.first == key; });
  return found == given_.end() ? nullptr : &found->second;
}

void SceneKeys::refuse(std::string_view key, const std::string& value, const std::string& must_be) const {
  throw ConfigError(fmt::format("scene {}: {} = '{}', but it must be {}.", scene_, key, value, must_be));
}

double SceneKeys::real(std::string_view key, double fallback, const Range& range) {
  const std::string* text = find(key);
  if (text == nullptr) return fallback;
  double value = 0;
  if (!parse(*text, value) || !range.holds(value)) refuse(key, *text, range.text());
  return value;
}

u32 SceneKeys::count(std::string_view key, u32 fallback, u32 low, u32 high) {
  const std::string* text = find(key);
  if (text == nullptr) return fallback;
  u32 value = 0;
  if (!parse(*text, value) || value < low || value > high) {
    refuse(key, *text, fmt::format("a whole number from {} to {}", low, high));
  }
  return value;
}

u64 SceneKeys::seed() {
  const std::string* text = find("seed");
  if (text == nullptr) return 42;
  u64 value = 0;
  if (!parse(*text, value)) refuse("seed", *text, "a whole number from 0 to 18446744073709551615");
  return value;
}

std::string SceneKeys::name(std::string_view key, std::string_view fallback,
                            std::initializer_list<std::string_view> names) {
  const std::string* text = find(key);
  if (text == nullptr) return std::string(fallback);
  if (std::find(names.begin(), names.end(), *text) != names.end()) return *text;
  refuse(key, *text, fmt::format("{}", fmt::join(names, " or ")));
}

void SceneKeys::done() const {
  for (const auto& [key, value] : given_) {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) {
      throw ConfigError(unknown_name("key of scene " + scene_, key, asked_));
    }
  }
}

}  // namespace tri::scene
