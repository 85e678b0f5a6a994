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

/// The preset's parts, or those of the kernels that the user named, each as the preset has it if it has it.
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

/// An option that nothing would read is an error.
void check_readers(const RunConfig& config, const std::vector<K>& kernels) {
  const auto need = [&](bool given, const char* option, std::initializer_list<K> readers) {
    const bool read = std::any_of(kernels.begin(), kernels.end(),
                                  [&](K k) { return std::find(readers.begin(), readers.end(), k) != readers.end(); });
    if (!given || read) return;
    std::vector<std::string> names;
    for (const K k : readers) names.emplace_back(to_string(k));
    throw ConfigError(fmt::format("{} is read by --kernel {} only.", option, fmt::join(names, ", ")));
  };
  need(!config.bench.features.empty(), "--features", {K::edm});
  need(!config.bench.forms.empty(), "--form", {K::dummy, K::dummy3, K::gasket});
  need(!config.bench.layouts.empty(), "--layout", {K::edm});
  need(!config.bench.dimensions.empty(), "--dimensions", {K::collision});
  need(config.bench.rec.has_value(), "--rec", {K::dummy, K::edm, K::collision});
  need(!config.bench.placements.empty(), "--placement", {K::gasket});
  need(!config.bench.fractal.empty(), "--fractal", {K::gasket});
  need(config.common.precision.has_value(), "--precision", {K::edm, K::collision, K::gravity, K::triplet});
  need(config.common.accumulate.has_value(), "--accumulate", {K::gravity, K::triplet});
}

bool any_part(const std::vector<BenchPart>& parts, const std::function<bool(const BenchPart&)>& holds) {
  return std::any_of(parts.begin(), parts.end(), holds);
}

/// A form must be one of some kernel here, and a kernel with forms must be given one of its own.
void check_forms(const std::vector<std::string>& forms, const std::vector<K>& kernels) {
  const auto has = [&](K k) { return std::find(kernels.begin(), kernels.end(), k) != kernels.end(); };
  const bool dummies = has(K::dummy) || has(K::dummy3);
  for (const std::string& form : forms) {
    const bool dummy = !forms_of_dummy({form}).empty(), gasket = !forms_of_gasket({form}).empty();
    if ((dummy && dummies) || (gasket && has(K::gasket))) continue;
    throw ConfigError(fmt::format("--form {} is a form of --kernel {} only.", form, dummy ? "dummy" : "gasket"));
  }
  if (forms.empty()) return;
  if (dummies && forms_of_dummy(forms).empty()) {
    throw ConfigError("--kernel dummy has none of these forms; its forms are hold, store, write and automaton.");
  }
  if (has(K::gasket) && forms_of_gasket(forms).empty()) {
    throw ConfigError("--kernel gasket has none of these forms; its forms are write, reduce, automaton and compact.");
  }
}

/// The same for what depends on more than the kernel.
void check_part_readers(const RunConfig& config, const std::vector<BenchPart>& parts) {
  if (config.bench.rec && !any_part(parts, [](const BenchPart& p) { return contains(p.maps, "rec"); })) {
    throw ConfigError("--rec is read by the map rec only; add rec to --map.");
  }
  const auto random = [](const BenchPart& p) {
    const bool automaton = std::find(p.forms.begin(), p.forms.end(), DummyForm::automaton) != p.forms.end();
    const bool cells = std::any_of(p.gasket_forms.begin(), p.gasket_forms.end(),
                                   [](GasketForm form) { return form != GasketForm::write; });
    return (p.kernel != K::gasket || cells) && p.kernel != K::dummy3 && (p.kernel != K::dummy || automaton);
  };
  if (config.common.seed && !any_part(parts, random)) {
    throw ConfigError(
        "--seed is read by --kernel edm, collision, gravity, triplet, by dummy --form automaton and by gasket --form "
        "reduce, automaton, compact only.");
  }
}

/// What the user gave in place of what the part has.
void apply_axes(BenchPart& part, const BenchOptions& options, const CommonOptions& common) {
  const auto take = [](auto& axis, const auto& given) {
    if (!given.empty()) axis = given;
  };
  take(part.sizes, options.sizes);
  take(part.blocks, common.blocks);
  if (part.kernel == K::dummy || part.kernel == K::dummy3) take(part.forms, forms_of_dummy(options.forms));
  if (part.kernel == K::gasket) {
    take(part.gasket_forms, forms_of_gasket(options.forms)), take(part.placements, options.placements);
  }
  if (options.timing) part.timings.clear();
  if (part.kernel == K::edm) take(part.features, options.features), take(part.layouts, options.layouts);
  if (part.kernel == K::collision) take(part.dimensions, options.dimensions);
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
  const bool bare = options.preset.empty() && options.kernels.empty();
  const Preset preset = make_preset(bare ? kDefaultPreset : options.preset);
  BenchPlan plan;
  plan.preset = preset.name;
  plan.parts = chosen_parts(preset, options.kernels);
  const std::vector<K> kernels = kernels_of(plan.parts);
  if (!common.maps.empty()) check_maps(kernels, common.maps);
  check_readers(config, kernels);
  check_forms(options.forms, kernels);

  plan.samples = options.samples.value_or(preset.samples);
  plan.warmup_ms = options.warmup_ms.value_or(preset.warmup_ms);
  plan.timing = options.timing.value_or(preset.timing);
  plan.baseline = options.baseline.value_or(plan.baseline);
  plan.energy = options.energy;
  if (!options.placements.empty()) plan.placement = options.placements.front();
  if (!options.fractal.empty()) plan.fractal = open_fractal(options.fractal).name;
  plan.rec = options.rec.value_or(plan.rec);
  plan.precision = common.precision.value_or(plan.precision);
  plan.accumulate = common.accumulate.value_or(plan.accumulate);
  plan.threads = common.threads;
  plan.seed = common.seed.value_or(plan.seed);
  for (BenchPart& part : plan.parts) apply_axes(part, options, common), add_baseline(part, plan.baseline);
  check_part_readers(config, plan.parts);
  return plan;
}

namespace {

/// A group for each size, with the axes around it.
void add_sizes(PlannedGroup& group, const BenchPart& part, std::vector<PlannedGroup>& groups) {
  BenchSpec& spec = group.common;
  for (const DistanceLayout layout : part.layouts) {
    for (const u32 dimensions : part.dimensions) {
      for (const u32 features : part.features) {
        for (const u32 block : part.blocks) {
          for (const u64 n : part.sizes) {
            spec.layout = layout, spec.dimensions = dimensions, spec.features = features;
            spec.block = block, spec.n = n;
            groups.push_back(group);
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
    spec.kernel = part.kernel;
    spec.precision = plan.precision, spec.accumulate = plan.accumulate;
    spec.rec = plan.rec, spec.fractal = plan.fractal;
    spec.threads = plan.threads, spec.seed = plan.seed;
    const std::vector<LaunchTiming> timings = part.timings.empty() ? std::vector{plan.timing} : part.timings;
    for (const LaunchTiming timing : timings) {
      for (const DummyForm form : part.forms) {
        for (const GasketForm gasket : part.gasket_forms) {
          for (const GasketPlacement placement : part.placements) {
            spec.timing = timing, spec.dummy = form, spec.gasket = gasket, spec.placement = placement;
            add_sizes(group, part, groups);
          }
        }
      }
    }
  }
  return groups;
}

BenchSpec spec_of(const BenchSpec& common, const std::string& map) {
  BenchSpec spec = common;
  spec.map = map;
  return spec;
}

}  // namespace tri::app
