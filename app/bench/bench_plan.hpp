#pragma once
/// What a bench will run: axes of the command line, completed by a preset and defaults; tuning, dry runs. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "app/support/run_config.hpp"
#include "sim/backend/bench.hpp"
#include "sim/fractal/fractal.hpp"

namespace tri::app {

/// One kernel with its axes and maps. An axis without values has that of the plan, or, if the kernel does not read it,
/// the default.
struct BenchPart : BenchAxes {
  BenchKernel kernel = BenchKernel::dummy;
  std::vector<u64> sizes;
  std::vector<std::string> maps;  ///< to be timed; the baseline first when it was added
  std::string law{};              ///< the text of a typed law in the place of the kernel's; empty = none
  std::vector<u32> blocks{0};     ///< 0 = the backend's choice
  bool baseline_added = false;    ///< timed only to be compared with
  bool within_limits = false;     ///< leaves out maps at sizes and blocks that certain_refusal() knows
  std::vector<u64> gpu_sizes{};   ///< in place of sizes on a GPU; empty = the same. See choose_sizes()
};

struct BenchPlan {
  std::string preset;  ///< it was made from; empty = none
  std::vector<BenchPart> parts;
  BenchSpec common;  ///< axes: what all groups have whose part says nothing else, the first of several
  u32 samples = 11;
  double warmup_ms = 100;  ///< wall time each combination runs before its first sample
  std::string baseline = "bb";
  bool energy = false;  ///< after the samples, each map runs on its own for its energy
  bool floors = false;  ///< whether the floors of the device are measured first
  double budget_s = 0;  ///< time after which groups take no more rounds than kMinRounds; 0 = none
};

/// Rounds that each group takes, however long they last: fewer have no interval that covers the median 19 times in 20.
inline constexpr u32 kMinRounds = 6;

/// Throws ConfigError for maps that none of the kernels has and for options that none of the kernels reads.
BenchPlan bench_plan(const RunConfig& config);

/// Puts the sizes for this backend ("cpu", "cuda") in their place. A plan without such sizes stays as it is.
void choose_sizes(BenchPlan& plan, const std::string& backend);

/// For a bench on several ranks or devices: throws ConfigError that names the kernels or the baseline of the plan which
/// they do not share (is_shared()), and for --energy.
void check_shared(const BenchPlan& plan);

/// What is timed in the same rounds: a spec without its map, and the maps.
struct PlannedGroup {
  BenchSpec common;  ///< its map is empty
  std::vector<std::string> maps;
  bool baseline_added = false;
};

/// The groups of a plan in the order they run: part by part, sizes innermost, so that each curve over n is complete
/// before the next begins.
std::vector<PlannedGroup> planned_groups(const BenchPlan& plan);

/// The spec of one map of a group.
BenchSpec spec_of(const BenchSpec& common, const std::string& map);

// Benches with a name. A preset is a list of parts, each with axes of its own; options override them.

struct PresetInfo {
  const char* name;
  const char* description;
};
const std::vector<PresetInfo>& list_presets();

std::vector<std::string_view> preset_names();

struct Preset {
  std::string name;
  std::vector<BenchPart> parts;  ///< maps may be {"all"}
  /// An experiment with kernels of its own: --kernel selects among its parts and adds none. Each of its maps ends at
  /// its limit, unless sizes, maps or blocks are asked for.
  bool closed = false;
  u32 samples = BenchPlan{}.samples;
  double warmup_ms = BenchPlan{}.warmup_ms;
  LaunchTiming timing = BenchSpec{}.timing;
  bool floors = false;  ///< see BenchPlan
  double budget_s = 0;
};

/// Runs when neither a preset nor a kernel is named.
inline constexpr const char* kDefaultPreset = "default-scene";

/// Of a name of list_presets(), or the empty preset of an empty name.
Preset make_preset(const std::string& name);

/// A kernel without a preset: every map, at its usual size.
BenchPart default_part(BenchKernel kernel);

// What `bench --tune` will try. Pure.

/// Throws ConfigError for options that have no meaning with --tune, and for sizes that are not tried.
void check_tune(const RunConfig& config);

/// The numbers of bodies at which tiles are timed, increasing. Throws ConfigError.
std::vector<u64> tune_sizes(const RunConfig& config);

// What a bench would run, without a backend.

/// Every group with its maps and, where they follow from the spec alone, the bytes of its data; each combination that
/// is certain to be skipped, with the reason; and the total. What only the backend knows (its choice of a block, what
/// it lacks, what fits into its memory) shows when the bench runs.
std::string dry_run_text(const BenchPlan& plan, u32 width);

/// Why this combination would be skipped on any backend, as one sentence; empty when that is not certain.
std::string certain_refusal(const BenchSpec& spec);

}  // namespace tri::app
