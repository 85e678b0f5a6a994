#pragma once
/// What a bench will do: the user's axes, completed by a preset and by defaults. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "app/run_config.hpp"

namespace tri::app {

/// One kernel with its sizes and maps. The baseline is among the maps.
struct BenchPart {
  BenchKernel kernel = BenchKernel::dummy;
  std::vector<u64> sizes;
  std::vector<std::string> maps;  ///< to be timed, the baseline first when the user did not name it
  std::vector<u32> features{0};   ///< edm only; {0} otherwise
};

struct BenchPlan {
  std::vector<BenchPart> parts;
  std::vector<u32> blocks{0};  ///< 0 = the backend's choice
  u32 samples = 11;
  double warmup_ms = 100;  ///< wall time that each combination runs before its first sample
  std::string baseline = "bb";
  bool baseline_added = false;  ///< it is timed only to be compared with
  Precision precision = Precision::fp32;
  Accumulate accumulate = Accumulate::fast;
  GasketPlacement placement = GasketPlacement::subbox;
  u32 threads = 0;
  u64 seed = 42;
};

/// Throws ConfigError for maps that none of the kernels has and for options that none of the kernels reads.
BenchPlan bench_plan(const RunConfig& config);

struct PresetInfo {
  const char* name;
  const char* description;
};
const std::vector<PresetInfo>& list_presets();

/// The name itself when there is such a preset, else ConfigError with the nearest.
std::string preset_name(std::string_view text);

}  // namespace tri::app
