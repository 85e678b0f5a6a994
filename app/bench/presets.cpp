#include "app/bench/presets.hpp"

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

}  // namespace tri::app
