#include "app/support/option_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"
#include "sim/base/whole_number.hpp"

namespace tri::app {
namespace {

/// Words of other programs for names of ours, wherever such a name can be chosen.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"gpu", "cuda"}, {"float", "fp32"}, {"single", "fp32"}, {"double", "fp64"}, {"lj", "lennard-jones"}};

}  // namespace

u64 whole_number(std::string_view option, std::string_view text, u64 low, u64 high) {
  const std::optional<u64> value = whole_number_of(text);
  if (!value || *value < low || *value > high) {
    throw ConfigError(high == ~u64{0}
                          ? fmt::format("{} takes a whole number of at least {}; got '{}'.", option, low, text)
                          : fmt::format("{} takes a whole number from {} to {}; got '{}'.", option, low, high, text));
  }
  return *value;
}

double finite_number(std::string_view option, std::string_view text) {
  double value = 0;
  const char* begin = text.data() + (text.substr(0, 1) == "+" ? 1 : 0);
  const char* stop = text.data() + text.size();
  const auto [end, error] = std::from_chars(begin, stop, value);
  if (error != std::errc() || end != stop || begin == stop || !std::isfinite(value)) {
    throw ConfigError(fmt::format("{} takes a finite number; got '{}'.", option, text));
  }
  return value;
}

double positive_number(std::string_view option, std::string_view text) {
  const double value = finite_number(option, text);
  if (!(value > 0)) throw ConfigError(fmt::format("{} takes a number greater than 0; got '{}'.", option, text));
  return value;
}

double non_negative_number(std::string_view option, std::string_view text) {
  const double value = finite_number(option, text);
  if (!(value >= 0)) throw ConfigError(fmt::format("{} takes a number of at least 0; got '{}'.", option, text));
  return value;
}

double duration(std::string_view option, std::string_view text) {
  constexpr std::string_view kUnits = "smhd";
  constexpr double kSeconds[] = {1, 60, 3600, 86400};
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  const bool has_unit = unit != std::string_view::npos;
  double seconds = 0;
  try {
    seconds = positive_number(option, has_unit ? text.substr(0, text.size() - 1) : text);
  } catch (const ConfigError&) {
    throw ConfigError(fmt::format("{} takes a time greater than 0, as 90s, 15m, 1.5h or 2d; got '{}'.", option, text));
  }
  return has_unit ? seconds * kSeconds[unit] : seconds;
}

std::size_t choice(std::string_view option, std::string_view text, const std::vector<std::string_view>& names) {
  auto at = std::find(names.begin(), names.end(), text);
  for (const auto& [word, name] : kSynonyms) {
    if (at == names.end() && text == word) at = std::find(names.begin(), names.end(), name);
  }
  if (at == names.end()) {
    throw ConfigError(fmt::format("{} takes {}; got '{}'.{}", option, fmt::join(names, ", "), text,
                                  did_you_mean(text, std::span<const std::string_view>(names))));
  }
  return static_cast<std::size_t>(at - names.begin());
}

std::pair<u32, u32> picture_size(std::string_view option, std::string_view text, u64 least) {
  constexpr u64 kLargestSide = 16384;
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) {
    throw ConfigError(fmt::format("{0} {1}: it takes WIDTHxHEIGHT in pixels, as in {0} 1920x1080.", option, text));
  }
  return {static_cast<u32>(whole_number(option, text.substr(0, cross), least, kLargestSide)),
          static_cast<u32>(whole_number(option, text.substr(cross + 1), least, kLargestSide))};
}

FrameTarget frame_target(std::string_view option, const std::string& name) {
  if (name.empty() || name == "-") {
    throw ConfigError(fmt::format("{} needs the name of a folder, FILE.mp4 or FILE.png; frames go to files.", option));
  }
  const std::string ending = std::filesystem::path(name).extension().string();
  if (ending.empty()) return FrameTarget::folder;  // also for a name that ends in /
  if (ending == ".mp4") return FrameTarget::video;
  if (ending == ".png") return FrameTarget::picture;
  throw ConfigError(
      fmt::format("{} {}: '{}' is not a recording format. Use FILE.mp4, FILE.png, or a folder (with / at its end).",
                  option, name, ending));
}

std::vector<std::string> name_list(std::string_view option, std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    std::string part(text.substr(begin, comma - begin));
    if (part.empty()) throw ConfigError(fmt::format("{} takes names parted by commas; got '{}'.", option, text));
    if (std::find(parts.begin(), parts.end(), part) != parts.end()) {
      throw ConfigError(fmt::format("{} names '{}' twice in '{}'.", option, part, text));
    }
    parts.push_back(std::move(part));
    begin = comma + 1;
  }
  return parts;
}

std::vector<int> device_list(std::string_view option, std::string_view text) {
  if (text == "all") return {kAllDevices};
  std::vector<int> devices;
  for (const std::string& part : name_list(option, text)) {
    devices.push_back(static_cast<int>(whole_number(option, part, 0, 255)));
  }
  return devices;
}

}  // namespace tri::app
