#pragma once
/// Benches that have a name. A preset is a list of parts, each with axes of its own; what the user gives has
/// precedence.

#include <string>
#include <string_view>
#include <vector>

#include "app/bench/bench_plan.hpp"

namespace tri::app {

struct PresetInfo {
  const char* name;
  const char* description;
};
const std::vector<PresetInfo>& list_presets();

std::vector<std::string_view> preset_names();

/// The name itself when there is such a preset, else ConfigError with the nearest.
std::string preset_name(std::string_view text);

struct Preset {
  std::string name;
  std::vector<BenchPart> parts;  ///< maps may be {"all"}
  /// Whether it is an experiment with kernels of its own: then --kernel chooses among its parts and adds none.
  bool closed = false;
  u32 samples = BenchPlan{}.samples;
  double warmup_ms = BenchPlan{}.warmup_ms;
  LaunchTiming timing = BenchPlan{}.timing;
};

/// What runs when neither a preset nor a kernel is named.
inline constexpr const char* kDefaultPreset = "default-scene";

/// Of a name of list_presets(), or the empty preset of an empty name.
Preset make_preset(const std::string& name);

/// A kernel that no preset says anything of: every map, at a size that takes some milliseconds on two cores.
BenchPart default_part(BenchKernel kernel);

}  // namespace tri::app
