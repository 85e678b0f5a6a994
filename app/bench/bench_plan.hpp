#pragma once
/// What a bench will do: the user's axes, completed by a preset and by defaults. Pure.

#include <string>
#include <vector>

#include "app/support/run_config.hpp"
#include "sim/fractal/fractal.hpp"

namespace tri::app {

/// One kernel with its axes and maps. An axis that the kernel does not read holds its one default value.
struct BenchPart {
  BenchKernel kernel = BenchKernel::dummy;
  std::vector<u64> sizes;
  std::vector<std::string> maps;                  ///< to be timed, the baseline first when nobody named it
  std::vector<u32> features{4};                   ///< edm
  std::vector<DummyForm> forms{DummyForm::hold};  ///< dummy
  std::vector<DistanceLayout> layouts{DistanceLayout::condensed};    ///< edm
  std::vector<u32> dimensions{3};                                    ///< collision
  std::vector<GasketForm> gasket_forms{GasketForm::write};           ///< gasket
  std::vector<GasketPlacement> placements{GasketPlacement::subbox};  ///< gasket
  std::vector<LaunchTiming> timings{};                               ///< where the part has its own; empty = the plan's
  std::vector<u32> blocks{0};                                        ///< 0 = the backend's choice
  bool baseline_added = false;                                       ///< it is timed only to be compared with
};

struct BenchPlan {
  std::string preset;  ///< that it began as; empty = none
  std::vector<BenchPart> parts;
  u32 samples = 11;
  double warmup_ms = 100;  ///< wall time that each combination runs before its first sample
  std::string baseline = "bb";
  bool energy = false;  ///< after the samples, each map runs on its own for its energy
  Precision precision = Precision::fp32;
  Accumulate accumulate = Accumulate::fast;
  GasketPlacement placement = GasketPlacement::subbox;  ///< the first of those asked for
  std::string fractal = kDefaultFractal;                ///< gasket
  RecForm rec = RecForm::launches;
  LaunchTiming timing = LaunchTiming::work;
  u32 threads = 0;
  u64 seed = 42;
};

/// Throws ConfigError for maps that none of the kernels has and for options that none of the kernels reads.
BenchPlan bench_plan(const RunConfig& config);

/// What is timed together, in the same rounds: everything of a spec but the map, and the maps.
struct PlannedGroup {
  BenchSpec common;  ///< its map is empty
  std::vector<std::string> maps;
  bool baseline_added = false;
};

/// The groups of a plan in the order in which they run: part by part, the sizes innermost, so that each curve over n is
/// finished before the next begins.
std::vector<PlannedGroup> planned_groups(const BenchPlan& plan);

/// The spec of one map of a group.
BenchSpec spec_of(const BenchSpec& common, const std::string& map);

}  // namespace tri::app
