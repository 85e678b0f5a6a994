#include "app/support/axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app {
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

std::vector<u32> parse_dimensions(std::string_view text) {
  std::vector<u32> values;
  for (const std::string& name : name_list("--dimensions", text)) {
    values.push_back(choice("--dimensions", name, {"1", "3"}) == 0 ? 1 : 3);
  }
  return values;
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
  constexpr u64 kMostSides = 65536;
  std::vector<u64> values;
  for (const std::string& part : name_list(option, text)) {
    const std::size_t dots = part.find("..");
    if (dots == std::string::npos) {
      for (const u64 v : parse_sizes(option, part)) values.push_back(v);
    } else {
      const u64 low = parse_size(option, std::string_view(part).substr(0, dots));
      const u64 high = parse_size(option, std::string_view(part).substr(dots + 2));
      if (low > high) throw ConfigError(fmt::format("{} {}: the range ends before it begins.", option, part));
      if (high - low >= kMostSides)
        throw ConfigError(fmt::format("{} {}: more than {} values.", option, part, kMostSides));
      for (u64 v = low; v <= high; ++v) values.push_back(v);
    }
    if (values.size() > kMostSides)
      throw ConfigError(fmt::format("{} {}: more than {} values.", option, text, kMostSides));
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

}  // namespace tri::app
