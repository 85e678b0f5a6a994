#pragma once
/// Benches with a name. A preset is a list of parts, each with axes of its own; options override them.

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

struct Preset {
  std::string name;
  std::vector<BenchPart> parts;  ///< maps may be {"all"}
  /// An experiment with kernels of its own: --kernel selects among its parts and adds none.
  bool closed = false;
  u32 samples = BenchPlan{}.samples;
  double warmup_ms = BenchPlan{}.warmup_ms;
  LaunchTiming timing = BenchPlan{}.timing;
  bool floors = false;  ///< see BenchPlan
  double budget_s = 0;
};

/// Runs when neither a preset nor a kernel is named.
inline constexpr const char* kDefaultPreset = "default-scene";

/// Of a name of list_presets(), or the empty preset of an empty name.
Preset make_preset(const std::string& name);

/// A kernel without a preset: every map, at its usual size.
BenchPart default_part(BenchKernel kernel);

}  // namespace tri::app
