#include "app/support/option_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/backends.hpp"
#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/text/map_file.hpp"

namespace tri::app {
namespace {

/// Words of other programs for names of ours, wherever such a name can be chosen.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"gpu", "cuda"}, {"float", "fp32"}, {"single", "fp32"}, {"double", "fp64"}, {"lj", "lennard-jones"}};

/// The place of the name that is this number in another spelling: 0.0001 or 1E-4 for 1e-4. Nothing for other words.
std::optional<std::size_t> same_number(std::string_view word, const std::vector<std::string_view>& names) {
  const auto number = [](std::string_view text) -> std::optional<double> {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
    return whole ? std::optional(value) : std::nullopt;
  };
  const std::optional<double> wanted = number(word);
  for (std::size_t k = 0; wanted && k < names.size(); ++k) {
    if (number(names[k]) == wanted) return k;
  }
  return std::nullopt;
}

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
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  if (const auto number = same_number(text, names)) return *number;
  throw ConfigError(fmt::format("{} takes {}; got '{}'.{}", option, fmt::join(names, ", "), text,
                                did_you_mean(text, std::span<const std::string_view>(names))));
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
  // `render` takes all; a film of the window is neither a page nor one picture, and a picture is one.
  const bool output = option == "--output", picture = option == "picture";
  const char* const forms = picture  ? "FILE.png"
                            : output ? "FILE.mp4, FILE.webp, FILE.png, FILE.html, or a folder (with / at its end)"
                                     : "FILE.mp4, FILE.webp, or a folder (with / at its end)";
  if (name.empty() || name == "-") {
    throw ConfigError(fmt::format("{} takes {}; frames go to files.", option, forms));
  }
  const std::string ending = std::filesystem::path(name).extension().string();
  if (ending.empty()) return FrameTarget::folder;  // also for a name that ends in /
  if (ending == ".mp4" || ending == ".webp") return FrameTarget::video;
  if (ending == ".png") return FrameTarget::picture;
  if (ending == ".html" && output) return FrameTarget::page;
  throw ConfigError(fmt::format("{} {}: '{}' is not a recording format. Use {}.", option, name, ending, forms));
}

std::string command_line(const std::vector<std::string>& argv) {
  std::string line;
  for (std::string text : argv) {
    if (line.empty()) text = text.substr(text.find_last_of('/') + 1);
    if (text.empty() || text.find_first_of(" \t\n\"'\\$&|;<>()*?[]{}~#`!") != std::string::npos) {
      std::string quoted = "'";
      for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      text = quoted + "'";
    }
    line += (line.empty() ? "" : " ") + text;
  }
  return line;
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

namespace {

constexpr std::size_t kMaxValues = 4096;
constexpr u64 kLargestSize = u64{1} << 31;

bool is_power_text(std::string_view text) { return text.substr(0, 2) == "2^"; }

u64 parse_size(std::string_view option, std::string_view text) {
  if (is_power_text(text)) return u64{1} << whole_number(option, text.substr(2), 0, 31);
  return whole_number(option, text, 1, kLargestSize);
}

std::vector<u64> parse_range(std::string_view option, std::string_view text) {
  const std::size_t first = text.find(':');
  if (first == std::string_view::npos) return {parse_size(option, text)};
  const std::size_t second = text.find(':', first + 1);
  const std::string_view low_text = text.substr(0, first);
  const std::string_view high_text = text.substr(first + 1, second == text.npos ? text.npos : second - first - 1);
  const u64 low = parse_size(option, low_text), high = parse_size(option, high_text);
  if (low > high) throw ConfigError(fmt::format("{} {}: the range ends before it begins.", option, text));
  std::vector<u64> values;
  if (second == std::string_view::npos) {
    if (!is_power_text(low_text) || !is_power_text(high_text)) {
      throw ConfigError(fmt::format("{} {}: a range needs its step, as in {}:{}:{}, or powers of two, as in 2^10:2^15.",
                                    option, text, low, high, std::max<u64>(1, (high - low) / 4)));
    }
    for (u64 v = low; v <= high; v *= 2) values.push_back(v);
    return values;
  }
  const u64 step = parse_size(option, text.substr(second + 1));
  if ((high - low) / step >= kMaxValues) {
    throw ConfigError(fmt::format("{} {}: more than {} values. Take a larger step.", option, text, kMaxValues));
  }
  for (u64 v = low; v <= high; v += step) values.push_back(v);
  return values;
}

std::vector<std::string_view> names_of(Domain domain) {
  std::vector<std::string_view> names;
  for (const MapInfo& map : maps_of(domain)) names.emplace_back(map.name);
  return names;
}

/// Those of `more` that `names` does not have yet.
template <class List>
void add_new(std::vector<std::string_view>& names, const List& more) {
  for (const std::string_view name : more) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

}  // namespace

std::vector<BenchForm> forms_of_kernel(BenchKernel kernel, std::vector<BenchForm> forms) {
  std::erase_if(forms, [&](BenchForm form) { return !info(kernel).has(form); });
  return forms;
}

std::vector<u64> parse_sizes(std::string_view option, std::string_view text) {
  std::vector<u64> values;
  for (const std::string& part : name_list(option, text)) {
    for (const u64 v : parse_range(option, part)) {
      if (std::find(values.begin(), values.end(), v) != values.end()) {
        throw ConfigError(fmt::format("{} holds {} twice in '{}'.", option, v, text));
      }
      // Checked here: each value is compared with all before it, and a list of long ranges would take hours.
      if (values.size() == kMaxValues) {
        throw ConfigError(fmt::format("{} {}: more than {} values.", option, text, kMaxValues));
      }
      values.push_back(v);
    }
  }
  return values;
}

std::vector<u64> side_list(std::string_view option, std::string_view text) {
  constexpr u64 kMaxSides = 65536;
  std::vector<u64> values;
  for (const std::string& part : name_list(option, text)) {
    const std::size_t dots = part.find("..");
    if (dots == std::string::npos) {
      for (const u64 v : parse_sizes(option, part)) values.push_back(v);
    } else {
      const u64 low = parse_size(option, std::string_view(part).substr(0, dots));
      const u64 high = parse_size(option, std::string_view(part).substr(dots + 2));
      if (low > high) throw ConfigError(fmt::format("{} {}: the range ends before it begins.", option, part));
      if (high - low >= kMaxSides)
        throw ConfigError(fmt::format("{} {}: more than {} values.", option, part, kMaxSides));
      for (u64 v = low; v <= high; ++v) values.push_back(v);
    }
    if (values.size() > kMaxSides)
      throw ConfigError(fmt::format("{} {}: more than {} values.", option, text, kMaxSides));
  }
  return values;
}

std::vector<u32> parse_small_sizes(std::string_view option, std::string_view text, u32 low, u32 high) {
  std::vector<u32> values;
  for (const u64 v : parse_sizes(option, text)) {
    if (v < low || v > high) throw ConfigError(fmt::format("{} takes {} to {}; got {}.", option, low, high, v));
    values.push_back(static_cast<u32>(v));
  }
  return values;
}

std::vector<std::string_view> kernel_names() {
  std::vector<std::string_view> names;
  for (const BenchKernelInfo& kernel : bench_kernels()) names.emplace_back(kernel.name);
  return names;
}

std::span<const MapInfo> maps_of(Domain domain) {
  if (domain == Domain::triangle) return triangle_maps();
  return domain == Domain::tetrahedron ? tetra_maps() : gasket_maps();
}

std::vector<std::string_view> map_names(const std::vector<Domain>& domains) {
  std::vector<std::string_view> names;
  for (const Domain domain : domains) add_new(names, names_of(domain));
  return names;
}

std::vector<std::string_view> map_names(const std::vector<BenchKernel>& kernels) {
  std::vector<std::string_view> names;
  for (const BenchKernel k : kernels) {
    add_new(names, names_of(info(k).domain));
    for (const Baseline b : info(k).baselines) add_new(names, std::array{info(b).name});
  }
  return names;
}

std::vector<BenchKernel> parse_kernels(std::string_view text) {
  const std::vector<std::string_view> names = kernel_names();
  const std::vector<std::string> all(names.begin(), names.end());
  std::vector<BenchKernel> kernels;
  for (const std::string& name : text == "all" ? all : name_list("--kernel", text)) {
    kernels.push_back(static_cast<BenchKernel>(choice("--kernel", name, names)));
  }
  return kernels;
}

std::vector<std::string> maps_of_kernel(BenchKernel kernel, const std::vector<std::string>& wanted) {
  const BenchKernelInfo& row = info(kernel);
  const auto names = names_of(row.domain);
  if (wanted == std::vector<std::string>{"all"}) return {names.begin(), names.end()};
  std::vector<std::string> maps;
  for (const std::string& name : wanted) {
    const bool map = std::find(names.begin(), names.end(), name) != names.end();
    const auto baseline = find_baseline(name);
    if (map || (baseline && row.has(*baseline))) maps.push_back(name);
  }
  return maps;
}

void check_maps(const std::vector<BenchKernel>& kernels, const std::vector<std::string>& wanted) {
  const std::vector<std::string_view> known = map_names(kernels);
  for (const std::string& name : wanted) {
    if (name == "all" && wanted.size() == 1) continue;
    if (name == "all") throw ConfigError("--map all stands alone; it already names every map.");
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw ConfigError(unknown_name("map of these kernels", name, std::span<const std::string_view>(known)));
    }
  }
  for (const BenchKernel k : kernels) {
    if (maps_of_kernel(k, wanted).empty()) {
      throw ConfigError(fmt::format("--kernel {} takes none of --map {}; its maps are {}.", to_string(k),
                                    fmt::join(wanted, ","), fmt::join(names_of(info(k).domain), ", ")));
    }
  }
}

bool is_map_file(std::string_view word) {
  return word.ends_with(".toml") || word.find('/') != std::string_view::npos || mapfile::is_cpp_map(word);
}

std::string open_map(const std::string& path) {
  if (has_ranks()) {
    throw ConfigError(fmt::format("{}: ranks of a launcher have the built-in maps alone; start one process.", path));
  }
  return mapfile::add_map(mapfile::MapFile::open(path)).name;
}

std::vector<std::string> map_list(std::string_view option, std::string_view text) {
  std::vector<std::string> words = name_list(option, text);
  for (std::string& word : words) {
    if (is_map_file(word)) word = open_map(word);
  }
  return words;
}

std::vector<std::string> map_file_list(std::string_view option, std::string_view text) {
  std::vector<std::string> words = name_list(option, text);
  for (std::string& word : words) word = open_map(word);
  return words;
}

}  // namespace tri::app
