#include "app/bench/bench_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "app/bench/presets.hpp"
#include "app/support/axes.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

using K = BenchKernel;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The preset's parts; with --kernel, the parts of those kernels, and defaults for kernels the preset lacks.
std::vector<BenchPart> chosen_parts(const Preset& preset, const std::vector<K>& kernels) {
  if (kernels.empty()) return preset.parts;
  std::vector<BenchPart> parts;
  for (const K kernel : kernels) {
    bool found = false;
    for (const BenchPart& part : preset.parts) {
      if (part.kernel == kernel) parts.push_back(part), found = true;
    }
    if (found) continue;
    if (preset.closed) {
      std::vector<std::string> own;
      for (const BenchPart& part : preset.parts) own.emplace_back(to_string(part.kernel));
      throw ConfigError(fmt::format("--preset {} times {}, and --kernel {} is none of them; leave the preset out.",
                                    preset.name, fmt::join(own, ", "), to_string(kernel)));
    }
    parts.push_back(default_part(kernel));
  }
  return parts;
}

std::vector<K> kernels_of(const std::vector<BenchPart>& parts) {
  std::vector<K> kernels;
  for (const BenchPart& part : parts) {
    if (std::find(kernels.begin(), kernels.end(), part.kernel) == kernels.end()) kernels.push_back(part.kernel);
  }
  return kernels;
}

/// Throws when an option was given that no kernel here reads; `reads` says which do.
template <class Reads>
void need_reader(bool given, const char* option, const std::vector<K>& kernels, const Reads& reads) {
  if (!given || std::any_of(kernels.begin(), kernels.end(), [&](K k) { return reads(info(k)); })) return;
  std::vector<std::string> readers;
  for (const BenchKernelInfo& kernel : bench_kernels()) {
    if (reads(kernel)) readers.emplace_back(kernel.name);
  }
  throw ConfigError(fmt::format("{} is read by --kernel {} only.", option, fmt::join(readers, ", ")));
}

bool reads_law(const BenchKernelInfo& kernel, bool triples) {
  return kernel.has(BenchAxis::law) && (kernel.domain == Domain::tetrahedron) == triples;
}

bool contains_tensor(const std::vector<BenchArithmetic>& list) {
  return std::find(list.begin(), list.end(), BenchArithmetic::tensor) != list.end();
}

/// --law and --triple-law choose the kernel whose law they replace, where none is named.
std::vector<K> kernels_for(const BenchOptions& options) {
  std::vector<K> kernels = options.kernels;
  if (!kernels.empty() || !options.preset.empty()) return kernels;
  for (const BenchKernelInfo& kernel : bench_kernels()) {
    if (!options.law.empty() && reads_law(kernel, false)) kernels.push_back(kernel.id);
    if (!options.triple_law.empty() && reads_law(kernel, true)) kernels.push_back(kernel.id);
  }
  return kernels;
}

void check_readers(const RunConfig& config, const std::vector<K>& kernels) {
  const auto need = [&](bool given, const char* option, BenchAxis axis) {
    need_reader(given, option, kernels, [axis](const BenchKernelInfo& k) { return k.has(axis); });
  };
  need(!config.bench.features.empty(), "--features", BenchAxis::features);
  need_reader(!config.bench.forms.empty(), "--form", kernels,
              [](const BenchKernelInfo& k) { return !k.forms.empty(); });
  need(!config.bench.layouts.empty(), "--layout", BenchAxis::layout);
  need(!config.bench.dimensions.empty(), "--dimensions", BenchAxis::dimensions);
  need(config.bench.rec.has_value(), "--rec", BenchAxis::rec);
  need(!config.bench.placements.empty(), "--placement", BenchAxis::fractal);
  need(!config.bench.fractal.empty(), "--fractal", BenchAxis::fractal);
  need(config.common.precision.has_value(), "--precision", BenchAxis::precision);
  need(config.common.accumulate.has_value(), "--accumulate", BenchAxis::accumulate);
  need(!config.bench.arithmetics.empty(), "--arithmetic", BenchAxis::arithmetic);
  need(config.common.tolerance.has_value(), "--tolerance", BenchAxis::arithmetic);
  need_reader(!config.bench.law.empty(), "--law", kernels,
              [](const BenchKernelInfo& k) { return reads_law(k, false); });
  need_reader(!config.bench.triple_law.empty(), "--triple-law", kernels,
              [](const BenchKernelInfo& k) { return reads_law(k, true); });
  const bool tensor = contains_tensor(config.bench.arithmetics);
  if (tensor && !(config.bench.law.empty() && config.bench.triple_law.empty())) {
    throw ConfigError("--arithmetic tensor is for the built-in laws; use float32 with --law and --triple-law.");
  }
}

bool any_part(const std::vector<BenchPart>& parts, const std::function<bool(const BenchPart&)>& holds) {
  return std::any_of(parts.begin(), parts.end(), holds);
}

std::string form_list(std::span<const BenchForm> forms) {
  std::vector<std::string> names;
  for (const BenchForm form : forms) names.emplace_back(to_string(form));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Each form must be one of some kernel here, and each kernel with forms needs one of its own.
void check_forms(const std::vector<BenchForm>& forms, const std::vector<K>& kernels) {
  for (const BenchForm form : forms) {
    need_reader(true, fmt::format("--form {}", to_string(form)).c_str(), kernels,
                [form](const BenchKernelInfo& k) { return k.has(form); });
  }
  for (const K kernel : kernels) {
    const std::span<const BenchForm> own = info(kernel).forms;
    if (forms.empty() || own.empty() || !forms_of_kernel(kernel, forms).empty()) continue;
    throw ConfigError(
        fmt::format("--kernel {} has none of these forms; its forms are {}.", to_string(kernel), form_list(own)));
  }
}

/// Options that depend on more than the kernel.
void check_part_readers(const RunConfig& config, const std::vector<BenchPart>& parts) {
  if (config.bench.rec && !any_part(parts, [](const BenchPart& p) { return contains(p.maps, "rec"); })) {
    throw ConfigError("--rec is read by the map rec only; add rec to --map.");
  }
  const auto random = [](const BenchPart& p) {
    return std::any_of(p.forms.begin(), p.forms.end(), [&](BenchForm f) { return info(p.kernel).reads_seed(f); });
  };
  if (!config.common.seed || any_part(parts, random)) return;
  std::vector<std::string> readers;
  for (const BenchKernelInfo& kernel : bench_kernels()) {
    std::vector<BenchForm> forms(kernel.forms.begin(), kernel.forms.end());
    std::erase_if(forms, [&](BenchForm form) { return !kernel.reads_seed(form); });
    if (!forms.empty()) readers.push_back(fmt::format("{} --form {}", kernel.name, form_list(forms)));
    if (kernel.forms.empty()) readers.emplace_back(kernel.name);
  }
  throw ConfigError(fmt::format("--seed is read by --kernel {} only.", fmt::join(readers, "; ")));
}

/// Axes from the command line override those of the part.
void apply_axes(BenchPart& part, const BenchOptions& options, const CommonOptions& common) {
  const BenchKernelInfo& kernel = info(part.kernel);
  const auto take = [](auto& axis, const auto& given) {
    if (!given.empty()) axis = given;
  };
  take(part.sizes, options.sizes);
  if (!options.sizes.empty()) part.gpu_sizes.clear();
  take(part.blocks, common.blocks);
  take(part.forms, forms_of_kernel(part.kernel, options.forms));
  if (kernel.has(BenchAxis::fractal)) take(part.placements, options.placements);
  if (kernel.has(BenchAxis::arithmetic)) take(part.arithmetics, options.arithmetics);
  if (reads_law(kernel, false)) part.law = options.law;
  if (reads_law(kernel, true)) part.law = options.triple_law;
  if (kernel.has(BenchAxis::features)) take(part.features, options.features);
  if (kernel.has(BenchAxis::layout)) take(part.layouts, options.layouts);
  if (kernel.has(BenchAxis::dimensions)) take(part.dimensions, options.dimensions);
  if (options.timing) part.timings.clear();
  take(part.maps, common.maps);
  part.maps = maps_of_kernel(part.kernel, part.maps);
}

void add_baseline(BenchPart& part, const std::string& baseline) {
  if (contains(part.maps, baseline)) return;
  if (maps_of_kernel(part.kernel, {baseline}).empty()) {
    check_maps({part.kernel}, {baseline});  // the sentence with the nearest name
  }
  part.maps.insert(part.maps.begin(), baseline);
  part.baseline_added = true;
}

}  // namespace

BenchPlan bench_plan(const RunConfig& config) {
  const BenchOptions& options = config.bench;
  const CommonOptions& common = config.common;
  const std::vector<K> named = kernels_for(options);
  const bool bare = options.preset.empty() && named.empty();
  const Preset preset = make_preset(bare ? kDefaultPreset : options.preset);
  BenchPlan plan;
  plan.preset = preset.name;
  plan.parts = chosen_parts(preset, named);
  const std::vector<K> kernels = kernels_of(plan.parts);
  if (!common.maps.empty()) check_maps(kernels, common.maps);
  check_readers(config, kernels);
  check_forms(options.forms, kernels);

  plan.samples = options.samples.value_or(preset.samples);
  plan.warmup_ms = options.warmup_ms.value_or(preset.warmup_ms);
  plan.timing = options.timing.value_or(preset.timing);
  plan.baseline = options.baseline.value_or(plan.baseline);
  plan.energy = options.energy;
  plan.floors = preset.floors, plan.budget_s = preset.budget_s;
  if (!options.placements.empty()) plan.placement = options.placements.front();
  if (!options.fractal.empty()) plan.fractal = open_fractal(options.fractal).name;
  plan.rec = options.rec.value_or(plan.rec);
  plan.precision = common.precision.value_or(plan.precision);
  plan.accumulate = common.accumulate.value_or(plan.accumulate);
  plan.tolerance = common.tolerance.value_or(plan.tolerance);
  plan.threads = common.threads.value_or(0);
  plan.seed = common.seed.value_or(plan.seed);
  for (BenchPart& part : plan.parts) apply_axes(part, options, common), add_baseline(part, plan.baseline);
  check_part_readers(config, plan.parts);
  return plan;
}

namespace {

/// A group for each combination of the remaining axes, sizes innermost.
void add_sizes(PlannedGroup& group, const BenchPart& part, std::vector<PlannedGroup>& groups) {
  BenchSpec& spec = group.common;
  for (const DistanceLayout layout : part.layouts) {
    for (const u32 dimensions : part.dimensions) {
      for (const u32 features : part.features) {
        for (const u32 block : part.blocks) {
          for (const u64 n : part.sizes) {
            spec.layout = layout, spec.dimensions = dimensions, spec.features = features;
            spec.block = block, spec.n = n;
            for (const BenchArithmetic arithmetic : part.arithmetics) {
              spec.arithmetic = arithmetic;
              groups.push_back(group);
            }
          }
        }
      }
    }
  }
}

}  // namespace

std::vector<PlannedGroup> planned_groups(const BenchPlan& plan) {
  std::vector<PlannedGroup> groups;
  for (const BenchPart& part : plan.parts) {
    PlannedGroup group;
    group.maps = part.maps, group.baseline_added = part.baseline_added;
    BenchSpec& spec = group.common;
    spec.map.clear();
    spec.kernel = part.kernel, spec.law = part.law;
    spec.precision = plan.precision, spec.accumulate = plan.accumulate;
    spec.tolerance = plan.tolerance;
    spec.rec = plan.rec, spec.fractal = plan.fractal;
    spec.threads = plan.threads, spec.seed = plan.seed;
    const std::vector<LaunchTiming> timings = part.timings.empty() ? std::vector{plan.timing} : part.timings;
    for (const LaunchTiming timing : timings) {
      for (const BenchForm form : part.forms) {
        for (const GasketPlacement placement : part.placements) {
          spec.timing = timing, spec.form = form, spec.placement = placement;
          add_sizes(group, part, groups);
        }
      }
    }
  }
  return groups;
}

void choose_sizes(BenchPlan& plan, const std::string& backend) {
  for (BenchPart& part : plan.parts) {
    if (backend == "cuda" && !part.gpu_sizes.empty()) part.sizes = part.gpu_sizes;
    part.gpu_sizes.clear();
  }
}

void check_shared(const BenchPlan& plan) {
  std::vector<std::string> alone, shared;
  for (const K kernel : kernels_of(plan.parts)) {
    if (!info(kernel).shared) alone.emplace_back(to_string(kernel));
  }
  for (const BenchKernelInfo& kernel : bench_kernels()) {
    if (kernel.shared) shared.emplace_back(kernel.name);
  }
  if (!alone.empty()) {
    throw ConfigError(
        fmt::format("--kernel {}: several devices or ranks share {} only. Name those, or use one device or process.",
                    fmt::join(alone, ","), fmt::join(shared, " and ")));
  }
  for (const BenchPart& part : plan.parts) {
    for (const std::string& map : part.maps) {
      if (!find_baseline(map)) continue;
      throw ConfigError(
          fmt::format("--map {} is no map, and several devices or ranks share maps only. Leave it out, or use one "
                      "device or process.",
                      map));
    }
  }
  if (plan.energy) throw ConfigError("--energy reads the meters of one device. Leave it out, or use one device.");
}

BenchSpec spec_of(const BenchSpec& common, const std::string& map) {
  BenchSpec spec = common;
  spec.map = map;
  return spec;
}

}  // namespace tri::app
