#include "app/support/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"
#include "sim/fractal/automaton.hpp"
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
  const auto maps = domain == Domain::triangle      ? triangle_maps()
                    : domain == Domain::tetrahedron ? tetra_maps()
                                                    : gasket_maps();
  std::vector<std::string_view> names;
  for (const MapInfo& map : maps) names.emplace_back(map.name);
  return names;
}

/// Names of enumerations in the order of their enumerators; literals, so that each ends with a zero.
constexpr std::string_view kForms[] = {"hold", "store", "write", "automaton"};
constexpr std::string_view kGasketForms[] = {"write", "reduce", "automaton", "compact"};
constexpr std::string_view kDimensions[] = {"1", "3"};
constexpr std::string_view kLayouts[] = {"condensed", "square", "lower"};
constexpr std::string_view kRecForms[] = {"launches", "graph", "device"};
constexpr std::string_view kTimings[] = {"work", "synchronised", "averaged"};
constexpr std::string_view kPlacements[] = {"subbox", "lut", "unroll", "sectors"};

template <class Enum>
Enum parse_one(std::string_view option, std::string_view text, std::span<const std::string_view> names) {
  return static_cast<Enum>(choice(option, text, {names.begin(), names.end()}));
}

template <class Enum>
std::vector<Enum> parse_list(std::string_view option, std::string_view text, std::span<const std::string_view> names) {
  std::vector<Enum> values;
  for (const std::string& name : name_list(option, text)) values.push_back(parse_one<Enum>(option, name, names));
  return values;
}

/// The enumerators of those names that are there.
template <class Enum>
std::vector<Enum> known_ones(const std::vector<std::string>& wanted, std::span<const std::string_view> names) {
  std::vector<Enum> values;
  for (const std::string& name : wanted) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) values.push_back(static_cast<Enum>(at - names.begin()));
  }
  return values;
}

template <class Enum>
const char* name_of(Enum value, std::span<const std::string_view> names) {
  return names[static_cast<std::size_t>(value)].data();
}

/// Those of `more` that `names` does not have yet.
template <class List>
void add_new(std::vector<std::string_view>& names, const List& more) {
  for (const std::string_view name : more) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string_view> form_names() {
  std::vector<std::string_view> known(std::begin(kForms), std::end(kForms));
  add_new(known, kGasketForms);
  return known;
}
std::vector<std::string_view> layout_names() { return {std::begin(kLayouts), std::end(kLayouts)}; }
std::vector<std::string_view> dimension_names() { return {std::begin(kDimensions), std::end(kDimensions)}; }
std::vector<std::string_view> rec_names() { return {std::begin(kRecForms), std::end(kRecForms)}; }
std::vector<std::string_view> timing_names() { return {std::begin(kTimings), std::end(kTimings)}; }
std::vector<std::string_view> placement_names() { return {std::begin(kPlacements), std::end(kPlacements)}; }

std::vector<std::string> parse_forms(std::string_view text) {
  const std::vector<std::string> names = name_list("--form", text);
  for (const std::string& name : names) choice("--form", name, form_names());
  return names;
}

std::vector<DummyForm> forms_of_dummy(const std::vector<std::string>& names) {
  return known_ones<DummyForm>(names, kForms);
}
std::vector<GasketForm> forms_of_gasket(const std::vector<std::string>& names) {
  return known_ones<GasketForm>(names, kGasketForms);
}
std::vector<DistanceLayout> parse_layouts(std::string_view text) {
  return parse_list<DistanceLayout>("--layout", text, kLayouts);
}
std::vector<u32> parse_dimensions(std::string_view text) {
  std::vector<u32> values;
  for (const std::string& name : name_list("--dimensions", text)) {
    values.push_back(choice("--dimensions", name, dimension_names()) == 0 ? 1 : 3);
  }
  return values;
}
RecForm parse_rec(std::string_view text) { return parse_one<RecForm>("--rec", text, kRecForms); }
LaunchTiming parse_timing(std::string_view text) { return parse_one<LaunchTiming>("--timing", text, kTimings); }
std::vector<GasketPlacement> parse_placements(std::string_view text) {
  return parse_list<GasketPlacement>("--placement", text, kPlacements);
}

const char* to_string(DummyForm form) { return name_of(form, kForms); }
const char* to_string(GasketForm form) { return name_of(form, kGasketForms); }
const char* to_string(DistanceLayout layout) { return name_of(layout, kLayouts); }
const char* to_string(RecForm form) { return name_of(form, kRecForms); }
const char* to_string(LaunchTiming timing) { return name_of(timing, kTimings); }

const std::vector<std::string>& stand_ins(BenchKernel kernel) {
  static const std::vector<std::string> none, plain = {"plain"}, edm = {"fill", "lambda-alone"},
                                              collision = {"lambda-alone"};
  switch (kernel) {
    case BenchKernel::gravity:
    case BenchKernel::triplet:
      return plain;
    case BenchKernel::edm:
      return edm;
    case BenchKernel::collision:
      return collision;
    case BenchKernel::dummy:
    case BenchKernel::dummy3:
    case BenchKernel::gasket:
      return none;
  }
  return none;
}

bool has_blocks(std::string_view map) { return map != "plain" && map != "fill"; }

std::vector<u64> parse_sizes(std::string_view option, std::string_view text) {
  std::vector<u64> values;
  for (const std::string& part : name_list(option, text)) {
    for (const u64 v : parse_range(option, part)) {
      if (std::find(values.begin(), values.end(), v) != values.end()) {
        throw ConfigError(fmt::format("{} holds {} twice in '{}'.", option, v, text));
      }
      // Asked here: each is held against all before it, and a list of long ranges would keep that up for hours.
      if (values.size() == kMaxValues) {
        throw ConfigError(fmt::format("{} {}: more than {} values.", option, text, kMaxValues));
      }
      values.push_back(v);
    }
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

const std::vector<BenchKernel>& all_kernels() {
  static const std::vector<BenchKernel> kernels = {BenchKernel::dummy,   BenchKernel::edm,    BenchKernel::collision,
                                                   BenchKernel::gravity, BenchKernel::dummy3, BenchKernel::triplet,
                                                   BenchKernel::gasket};
  return kernels;
}

std::vector<std::string_view> kernel_names() {
  std::vector<std::string_view> names;
  for (const BenchKernel k : all_kernels()) names.emplace_back(to_string(k));
  return names;
}

std::vector<std::string_view> map_names(const std::vector<Domain>& domains) {
  std::vector<std::string_view> names;
  for (const Domain domain : domains) add_new(names, names_of(domain));
  return names;
}

std::vector<std::string_view> map_names(const std::vector<BenchKernel>& kernels) {
  std::vector<std::string_view> names;
  for (const BenchKernel k : kernels) {
    add_new(names, names_of(domain_of(k)));
    add_new(names, stand_ins(k));
  }
  return names;
}

std::vector<BenchKernel> parse_kernels(std::string_view text) {
  if (text == "all") return all_kernels();
  const std::vector<std::string_view> names = kernel_names();
  std::vector<BenchKernel> kernels;
  for (const std::string& name : name_list("--kernel", text)) {
    kernels.push_back(all_kernels()[choice("--kernel", name, names)]);
  }
  return kernels;
}

std::vector<std::string> maps_of_kernel(BenchKernel kernel, const std::vector<std::string>& wanted) {
  const auto names = names_of(domain_of(kernel));
  if (wanted == std::vector<std::string>{"all"}) return {names.begin(), names.end()};
  std::vector<std::string> maps;
  for (const std::string& name : wanted) {
    const bool map = std::find(names.begin(), names.end(), name) != names.end();
    if (map || contains(stand_ins(kernel), name)) maps.push_back(name);
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
                                    fmt::join(wanted, ","), fmt::join(names_of(domain_of(k)), ", ")));
    }
  }
}

double launch_bound(Domain domain, u64 blocks_a_side) {
  const double b = static_cast<double>(blocks_a_side);
  if (domain == Domain::triangle) return 2 * b / (b + 1);
  if (domain == Domain::tetrahedron) return 6 * b * b / ((b + 1) * (b + 2));
  return std::pow(4.0 / 3.0, std::log2(b));
}

std::optional<double> fractal_bound(const std::string& fractal, u64 n, u32 block) {
  try {
    const FractalShape shape = open_fractal(fractal).shape;
    const auto whole = levels_of_side(shape, n), inner = levels_of_side(shape, block);
    if (!whole || !inner || *inner > *whole) return std::nullopt;
    const u32 levels = *whole - *inner;
    return embedded_cells(shape, levels) / static_cast<double>(fractal_cells(shape, levels));
  } catch (const Error&) {
    return std::nullopt;  // a file that was there when the group ran
  }
}

}  // namespace tri::app
