#include "app/bench/bench_plan.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {
namespace {

std::vector<std::string> block_space_maps() {
  std::vector<std::string> names;
  for (const MapInfo& map : triangle_maps()) {
    if (map.space == Space::block) names.emplace_back(map.name);
  }
  return names;
}

Preset default_scene() {
  Preset preset;
  BenchPart part = default_part(BenchKernel::gravity);
  part.sizes = {u64{make_scene(kDefaultScene).bodies.size()}};
  part.maps = block_space_maps();
  preset.parts = {part};
  preset.samples = 15;
  return preset;
}

Preset smoke() {
  Preset preset;
  for (const BenchKernelInfo& kernel : bench_kernels()) {
    BenchPart part = default_part(kernel.id);
    part.sizes = {kernel.smoke_n};
    preset.parts.push_back(part);
  }
  preset.samples = 3;
  preset.warmup_ms = 2;
  return preset;
}

/// What a device does at most, and what each kernel makes of it: one size a kernel, large enough that neither launches
/// nor caches count, and the same on all devices of a kind, so that their reports compare. Small and slow devices take
/// fewer rounds.
Preset device_report() {
  struct Sizes {
    BenchKernel kernel;
    u64 cpu, gpu;
  };
  static constexpr Sizes kSizes[] = {
      {BenchKernel::dummy, 8192, 65536},         {BenchKernel::edm, 8192, 32768},
      {BenchKernel::collision, 8192, 262144},    {BenchKernel::gravity, 4096, 65536},
      {BenchKernel::dummy3, 512, 2048},          {BenchKernel::triplet, 192, 2048},
      {BenchKernel::gasket, 1u << 13, 1u << 15},
  };
  Preset preset;
  for (const Sizes& sizes : kSizes) {
    BenchPart part = default_part(sizes.kernel);
    part.sizes = {sizes.cpu};
    part.gpu_sizes = {sizes.gpu};
    preset.parts.push_back(part);
  }
  preset.warmup_ms = 50;
  preset.floors = true;
  preset.budget_s = 200;
  return preset;
}

/// The sizes and blocks of both papers: n from 1024 to 30,720 in blocks of 16 x 16 threads, one thread an element.
BenchPart paper_part(BenchKernel kernel, const std::vector<std::string>& maps) {
  BenchPart part = default_part(kernel);
  part.sizes.clear();
  for (u64 n = 1024; n <= 30720; n += 1024) part.sizes.push_back(n);
  part.blocks = {16};
  part.maps = maps;
  return part;
}

/// As the papers timed: one launch and the wait for its end.
Preset paper(std::vector<BenchPart> parts) {
  Preset preset;
  preset.parts = std::move(parts);
  preset.closed = true;
  preset.warmup_ms = 30;  // hundreds of groups; each map warms up the card for the next
  preset.timing = LaunchTiming::synchronised;
  return preset;
}

/// LTM sections III and IV: the bounding box, lambda by its three square roots and by a table, and the maps it is
/// compared with (rb, rec, utm). Besides these the exact lambda, the map the paper proposes (utm-block), and ours.
Preset paper_ltm() {
  const std::vector<std::string> maps = {"bb", "lambda-x",      "lambda-n",  "lambda-r", "lambda-lut",
                                         "rb", "rec",           "utm",       "lambda",   "fold",
                                         "h",  "lambda-stream", "utm-block", "circulant"};
  BenchPart edm = paper_part(BenchKernel::edm, maps);
  edm.features = {1, 2, 3, 4};
  return paper({paper_part(BenchKernel::dummy, maps), edm});
}

/// TRI section 4: the square roots of lambda against the other maps of that paper, on the map alone, on global memory
/// and on collisions in one dimension and in three.
Preset paper_nonlinear() {
  const std::vector<std::string> maps = {"bb", "lambda-x", "lambda-n", "lambda-r", "lambda", "rb", "rec", "utm"};
  BenchPart collision = paper_part(BenchKernel::collision, maps);
  collision.dimensions = {1, 3};
  return paper({paper_part(BenchKernel::dummy, maps), paper_part(BenchKernel::edm, maps), collision});
}

/// TRI section 6: what the paper analysed of the tetrahedron and did not run, n to 2,048 in blocks of 4^3 and 8^3
/// threads, one thread a triple: the map alone, a store, and the Axilrod-Teller forces.
Preset paper_tetra() {
  BenchPart dummy = default_part(BenchKernel::dummy3);
  dummy.sizes = {128, 256, 512, 768, 1024, 1536, 2048};
  dummy.blocks = {4, 8};
  dummy.forms = {BenchForm::hold, BenchForm::store};
  BenchPart triplet = default_part(BenchKernel::triplet);
  triplet.sizes = dummy.sizes;
  triplet.blocks = dummy.blocks;
  return paper({dummy, triplet});
}

/// GASKET section IV: the constant write at n = 2^0 to 2^16, in every block side and placement, on the bounding box and
/// the paper's map, beside ours; timed as in the paper (100 sub-averages of 10 synchronised launches) and as elsewhere
/// here.
Preset paper_gasket() {
  BenchPart part = default_part(BenchKernel::gasket);
  part.sizes.clear();
  for (u32 r = 0; r <= 16; ++r) part.sizes.push_back(u64{1} << r);
  part.blocks = {1, 2, 4, 8, 16, 32};
  part.placements = {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll};
  part.timings = {LaunchTiming::averaged, LaunchTiming::work};
  Preset preset = paper({part});
  preset.timing = LaunchTiming::averaged;
  preset.samples = 100;
  return preset;
}

}  // namespace

const std::vector<PresetInfo>& list_presets() {
  static const std::vector<PresetInfo> presets = {
      {kDefaultPreset, "every block-space map on gravity, with the bodies of the default scene"},
      {"smoke", "every kernel on every map at a small size: does it all run and check"},
      {"device-report", "every kernel on every map beside what the device does at most, in less than five minutes"},
      {"paper-ltm", "dummy, and edm of 1 to 4 features, n to 30,720 in blocks of 16 (Navarro & Hitschfeld 2014)"},
      {"paper-nonlinear",
       "dummy, edm, and collision in 1 and 3 dimensions, on the square roots of lambda (Navarro et al. 2016)"},
      {"paper-tetra", "dummy3 and triplet, n to 2,048 in blocks of 4 and 8 (the tetrahedron of Navarro et al. 2016)"},
      {"paper-gasket", "gasket, constant write at n to 65,536 in every block side and placement (Navarro et al. 2017)"},
  };
  return presets;
}

std::vector<std::string_view> preset_names() {
  std::vector<std::string_view> names;
  for (const PresetInfo& p : list_presets()) names.emplace_back(p.name);
  return names;
}

Preset make_preset(const std::string& name) {
  Preset preset;
  if (name == kDefaultPreset) preset = default_scene();
  if (name == "smoke") preset = smoke();
  if (name == "device-report") preset = device_report();
  if (name == "paper-ltm") preset = paper_ltm();
  if (name == "paper-nonlinear") preset = paper_nonlinear();
  if (name == "paper-tetra") preset = paper_tetra();
  if (name == "paper-gasket") preset = paper_gasket();
  preset.name = name;
  return preset;
}

BenchPart default_part(BenchKernel kernel) {
  BenchPart part;
  part.kernel = kernel;
  part.sizes = {info(kernel).usual_n};
  part.forms = {info(kernel).default_form()};
  part.maps = {"all"};
  return part;
}

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

/// The axes of the command line, whichever option gives them.
BenchAxes given_axes(const RunConfig& config) {
  BenchAxes given = config.bench;
  const auto add = [](const auto& value, auto& values) {
    if (value) values = {*value};
  };
  add(config.common.precision, given.precisions);
  add(config.common.accumulate, given.accumulations);
  add(config.common.tolerance, given.tolerances);
  return given;
}

void check_readers(const BenchOptions& options, const BenchAxes& given, const std::vector<K>& kernels) {
  describe_axes([&](const BenchAxisInfo& axis, auto, auto values) {
    need_reader(!(given.*values).empty(), fmt::format("--{}", axis.key).c_str(), kernels,
                [&](const BenchKernelInfo& k) { return k.has(axis.read_by); });
  });
  need_reader(!options.law.empty(), "--law", kernels, [](const BenchKernelInfo& k) { return reads_law(k, false); });
  need_reader(!options.triple_law.empty(), "--triple-law", kernels,
              [](const BenchKernelInfo& k) { return reads_law(k, true); });
  const std::vector<BenchArithmetic>& units = given.arithmetics;
  const bool tensor = std::find(units.begin(), units.end(), BenchArithmetic::tensor) != units.end();
  const bool tree = std::find(given.pairs.begin(), given.pairs.end(), BenchPairs::tree) != given.pairs.end();
  if (!given.tolerances.empty() && !tensor && !tree) {
    throw ConfigError(
        "--tolerance is of gravity on tensor cores or by a tree, and here is neither; leave it out, or add "
        "--arithmetic tensor or --pairs tree.");
  }
  if (tree && !options.law.empty()) {
    throw ConfigError("--pairs tree is of gravity, and --law replaces it; leave one of them out.");
  }
  if (tensor && !(options.law.empty() && options.triple_law.empty())) {
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
  if (!config.bench.recs.empty() && !any_part(parts, [](const BenchPart& p) { return contains(p.maps, "rec"); })) {
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
void apply_axes(BenchPart& part, const BenchAxes& given, const BenchOptions& options, const CommonOptions& common) {
  const BenchKernelInfo& kernel = info(part.kernel);
  const auto override_by = [](auto& axis, const auto& values) {
    if (!values.empty()) axis = values;
  };
  override_by(part.sizes, options.sizes);
  if (!options.sizes.empty()) part.gpu_sizes.clear();
  override_by(part.blocks, common.blocks);
  describe_axes([&](const BenchAxisInfo& axis, auto, auto values) {
    if (axis.loop != 0 && axis.read_by != BenchAxis::form && kernel.has(axis.read_by))
      override_by(part.*values, given.*values);
  });
  override_by(part.forms, forms_of_kernel(part.kernel, given.forms));
  if (reads_law(kernel, false)) part.law = options.law;
  if (reads_law(kernel, true)) part.law = options.triple_law;
  override_by(part.maps, common.maps);
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
  const BenchAxes given = given_axes(config);
  check_readers(options, given, kernels);
  check_forms(options.forms, kernels);

  plan.samples = options.samples.value_or(preset.samples);
  plan.warmup_ms = options.warmup_ms.value_or(preset.warmup_ms);
  plan.common.timing = preset.timing;
  plan.baseline = options.baseline.value_or(plan.baseline);
  plan.energy = options.energy;
  plan.floors = preset.floors, plan.budget_s = preset.budget_s;
  describe_axes([&](const BenchAxisInfo&, auto field, auto values) {
    if (!(given.*values).empty()) plan.common.*field = (given.*values).front();
  });
  if (!given.fractals.empty()) plan.common.fractal = open_fractal(plan.common.fractal).name;
  plan.common.threads = common.threads.value_or(0);
  plan.common.seed = common.seed.value_or(plan.common.seed);
  const bool own_sizes = options.sizes.empty() && common.maps.empty() && common.blocks.empty();
  for (BenchPart& part : plan.parts) {
    apply_axes(part, given, options, common), add_baseline(part, plan.baseline);
    part.within_limits = preset.closed && own_sizes;
  }
  check_part_readers(config, plan.parts);
  return plan;
}

namespace {

/// How much memory a table may take is up to the backend.
constexpr u64 kAnyMemory = ~u64{0};

/// Null for a baseline.
const MapInfo* find_map(const BenchSpec& spec) {
  for (const MapInfo& map : maps_of(info(spec.kernel).domain)) {
    if (spec.map == map.name) return &map;
  }
  return nullptr;
}

}  // namespace

std::string certain_refusal(const BenchSpec& spec) {
  const MapInfo* map = find_map(spec);
  if (map == nullptr) return {};
  if (map->domain == Domain::gasket && spec.fractal != kDefaultFractal) {
    try {
      fractal_grid(open_fractal(spec.fractal), spec.n, spec.block != 0 ? spec.block : 1);
      return {};
    } catch (const ConfigError& refused) {
      return refused.what();
    }
  }
  if (map->space == Space::thread || spec.block != 0) return refusal(*map, spec.n, spec.block, kAnyMemory);
  // The backend chooses the block; the gasket's side must be a power of two whatever the block.
  const bool power = (spec.n & (spec.n - 1)) == 0;
  return map->domain == Domain::gasket && !power ? refusal(*map, spec.n, 1, kAnyMemory) : std::string();
}

namespace {

/// Each group once for each value of a field, values innermost.
template <class T>
void split(std::vector<PlannedGroup>& groups, T BenchSpec::*field, const std::vector<T>& values) {
  std::vector<PlannedGroup> all;
  for (const PlannedGroup& group : groups) {
    for (const T& value : values) all.push_back(group), all.back().common.*field = value;
  }
  groups = std::move(all);
}

std::vector<PlannedGroup> groups_of(const BenchPart& part, const BenchPlan& plan) {
  const BenchKernelInfo& kernel = info(part.kernel);
  std::vector<PlannedGroup> groups{{plan.common, part.maps, part.baseline_added}};
  BenchSpec& common = groups.front().common;
  common.map.clear(), common.kernel = part.kernel, common.law = part.law;
  const auto add_loop = [&](u8 loop) {
    describe_axes([&](const BenchAxisInfo& axis, auto field, auto values) {
      if (axis.loop != loop) return;
      if (!kernel.has(axis.read_by)) return split(groups, field, {BenchSpec{}.*field});
      if (!(part.*values).empty()) split(groups, field, part.*values);
    });
  };
  for (u8 loop = 1; loop < kInnermostLoop; ++loop) add_loop(loop);
  split(groups, &BenchSpec::block, part.blocks), split(groups, &BenchSpec::n, part.sizes);
  add_loop(kInnermostLoop);
  return groups;
}

}  // namespace

std::vector<PlannedGroup> planned_groups(const BenchPlan& plan) {
  std::vector<PlannedGroup> groups;
  for (const BenchPart& part : plan.parts) {
    for (PlannedGroup& group : groups_of(part, plan)) {
      if (part.within_limits) {
        std::erase_if(group.maps,
                      [&](const std::string& map) { return !certain_refusal(spec_of(group.common, map)).empty(); });
      }
      if (!group.maps.empty()) groups.push_back(std::move(group));
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

namespace {

constexpr u64 kMin = 256, kMax = u64{1} << 20;

std::vector<u64> usual_sizes() {
  std::vector<u64> sizes;
  for (u64 n = 1024; n <= 262144; n *= 2) sizes.push_back(n);
  return sizes;
}

}  // namespace

std::vector<u64> tune_sizes(const RunConfig& config) {
  std::vector<u64> sizes = config.bench.sizes.empty() ? usual_sizes() : config.bench.sizes;
  std::sort(sizes.begin(), sizes.end());
  if (sizes.front() < kMin || sizes.back() > kMax) {
    throw ConfigError(fmt::format("--tune: sizes from {} to {} are tried; --n has {}.", kMin, kMax,
                                  sizes.front() < kMin ? sizes.front() : sizes.back()));
  }
  return sizes;
}

void check_tune(const RunConfig& config) {
  for (const std::string& option : config.given) {
    const auto allowed = {"--tune", "--n", "--precision", "--backend", "--device", "--output", "--quiet", "--verbose"};
    if (std::find(allowed.begin(), allowed.end(), option) != allowed.end()) continue;
    throw ConfigError(
        fmt::format("--tune times every tile on the map lambda by itself; leave {} out. It takes --n, "
                    "--precision, --backend, --device and -o.",
                    option));
  }
  tune_sizes(config);
}

}  // namespace tri::app
