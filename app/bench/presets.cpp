#include "app/bench/presets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/bench/axes.hpp"
#include "app/option_values.hpp"
#include "sim/error.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {
namespace {

constexpr const char* kDefaultPreset = "default-scene";
constexpr u32 kDefaultFeatures = 4;

/// A size that takes some milliseconds on two cores.
u64 default_size(BenchKernel kernel) {
  switch (kernel) {
    case BenchKernel::dummy:
      return 8192;
    case BenchKernel::edm:
      return 4096;
    case BenchKernel::collision:
      return 8192;
    case BenchKernel::gravity:
      return 4096;
    case BenchKernel::triplet:
      return 192;
    case BenchKernel::gasket:
      return 1024;
  }
  return 1024;
}

/// Small enough for every kernel on every map in seconds, and never a multiple of a block.
u64 smoke_size(BenchKernel kernel) {
  switch (kernel) {
    case BenchKernel::triplet:
      return 45;
    case BenchKernel::gasket:
      return 128;
    default:
      return 500;
  }
}

std::vector<std::string> block_space_maps() {
  std::vector<std::string> names;
  for (const MapInfo& map : triangle_maps()) {
    if (map.space == Space::block) names.emplace_back(map.name);
  }
  return names;
}

bool any_kernel(const std::vector<BenchKernel>& kernels, std::initializer_list<BenchKernel> readers) {
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](BenchKernel k) { return std::find(readers.begin(), readers.end(), k) != readers.end(); });
}

/// An option that nothing would read is an error.
void check_readers(const RunConfig& config, const std::vector<BenchKernel>& kernels) {
  const auto need = [&](bool given, const char* option, std::initializer_list<BenchKernel> readers) {
    if (!given || any_kernel(kernels, readers)) return;
    std::vector<std::string> names;
    for (const BenchKernel k : readers) names.emplace_back(to_string(k));
    throw ConfigError(fmt::format("{} is read by --kernel {} only.", option, fmt::join(names, ", ")));
  };
  using K = BenchKernel;
  need(!config.bench.features.empty(), "--features", {K::edm});
  need(config.bench.placement.has_value(), "--placement", {K::gasket});
  need(config.common.precision.has_value(), "--precision", {K::edm, K::collision, K::gravity, K::triplet});
  need(config.common.accumulate.has_value(), "--accumulate", {K::gravity, K::triplet});
  need(config.common.seed.has_value(), "--seed", {K::edm, K::collision, K::gravity, K::triplet});
}

void check_baseline(const BenchPlan& plan) {
  for (const BenchPart& part : plan.parts) {
    if (maps_of_kernel(part.kernel, {plan.baseline}).empty()) {
      check_maps({part.kernel}, {plan.baseline});  // the sentence with the nearest name
    }
  }
}

}  // namespace

const std::vector<PresetInfo>& list_presets() {
  static const std::vector<PresetInfo> presets = {
      {kDefaultPreset, "every block-space map on gravity, with the bodies of the default scene"},
      {"smoke", "every kernel on every map at a small size: does it all run and check"},
  };
  return presets;
}

std::string preset_name(std::string_view text) {
  std::vector<std::string_view> names;
  for (const PresetInfo& p : list_presets()) names.emplace_back(p.name);
  return std::string(names[choice("--preset", text, names)]);
}

BenchPlan bench_plan(const RunConfig& config) {
  const BenchOptions& options = config.bench;
  const CommonOptions& common = config.common;
  BenchPlan plan;
  std::vector<BenchKernel> kernels = options.kernels;
  std::vector<std::string> maps = common.maps;
  const std::string preset = options.preset.empty() && kernels.empty() ? kDefaultPreset : options.preset;
  u64 (*size_of)(BenchKernel) = default_size;
  if (preset == kDefaultPreset) {
    if (kernels.empty()) kernels = {BenchKernel::gravity};
    if (maps.empty() && kernels == std::vector<BenchKernel>{BenchKernel::gravity}) maps = block_space_maps();
    plan.samples = 15;
    size_of = [](BenchKernel k) {
      return k == BenchKernel::gravity ? u64{make_scene(kDefaultScene).bodies.size()} : default_size(k);
    };
  } else if (preset == "smoke") {
    if (kernels.empty()) kernels = all_kernels();
    plan.samples = 3;
    plan.warmup_ms = 2;
    size_of = smoke_size;
  }
  if (maps.empty()) maps = {"all"};
  check_maps(kernels, maps);
  check_readers(config, kernels);

  plan.samples = options.samples.value_or(plan.samples);
  plan.baseline = options.baseline.value_or(plan.baseline);
  plan.placement = options.placement.value_or(plan.placement);
  plan.precision = common.precision.value_or(plan.precision);
  plan.accumulate = common.accumulate.value_or(plan.accumulate);
  plan.threads = common.threads;
  plan.seed = common.seed.value_or(plan.seed);
  if (!common.blocks.empty()) plan.blocks = common.blocks;
  for (const BenchKernel kernel : kernels) {
    BenchPart part{kernel, options.sizes, maps_of_kernel(kernel, maps), {0}};
    if (part.sizes.empty()) part.sizes = {size_of(kernel)};
    if (kernel == BenchKernel::edm) {
      part.features = options.features.empty() ? std::vector<u32>{kDefaultFeatures} : options.features;
    }
    if (std::find(part.maps.begin(), part.maps.end(), plan.baseline) == part.maps.end()) {
      part.maps.insert(part.maps.begin(), plan.baseline);
      plan.baseline_added = true;
    }
    plan.parts.push_back(std::move(part));
  }
  check_baseline(plan);
  return plan;
}

}  // namespace tri::app
