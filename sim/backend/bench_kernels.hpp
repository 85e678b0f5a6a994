#pragma once
/// The properties of the bench kernels and of their baselines, one row each. Command line, plans, presets, reports,
/// verify and the panel read them; nothing else there knows a kernel by name.

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "sim/backend/bench_case.hpp"
#include "sim/maps/map_concepts.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri {

/// What a kernel reads besides sizes, blocks, maps and forms; bits of BenchKernelInfo::axes.
enum class BenchAxis : u32 {
  features = 1,
  layout = 2,
  dimensions = 4,
  rec = 8,
  fractal = 16,  ///< and the placement in it
  precision = 32,
  accumulate = 64,
  seed = 128,
  arithmetic = 256,  ///< and the tolerance
  law = 512,
};

struct BenchKernelInfo {
  BenchKernel id = BenchKernel::dummy;
  const char* name = "";                  ///< as typed
  Domain domain = Domain::triangle;       ///< whose maps it takes
  u32 axes = 0;                           ///< of BenchAxis
  std::span<const BenchForm> forms = {};  ///< the first is the default; empty = it has no forms
  std::span<const Baseline> baselines = {};
  u64 usual_n = 0;                                ///< default of --n: some milliseconds a run on two cores
  u64 smoke_n = 500;                              ///< every map in seconds; never a multiple of a block
  std::array<u64, 2> verify_n = {33, 300};        ///< sizes of `verify`
  const char* panel_n = "2^10:2^13";              ///< sizes of the benchmark panel, as --n takes them
  u64 (*data_bytes)(const BenchSpec&) = nullptr;  ///< see data_bytes(); null = always 0
  bool directed_rate = false;                     ///< whether reports also count each pair in both directions
  bool shared = false;                            ///< whether several ranks share its work; see is_shared()

  bool has(BenchAxis axis) const { return (axes & static_cast<u32>(axis)) != 0; }
  bool has(BenchForm form) const;
  bool has(Baseline baseline) const;
  /// Whether random data depend on the seed.
  bool reads_seed(BenchForm form) const;
  BenchForm default_form() const { return forms.empty() ? BenchForm::hold : forms.front(); }
};

/// In the order of the enum.
std::span<const BenchKernelInfo> bench_kernels();
const BenchKernelInfo& info(BenchKernel kernel);
const char* to_string(BenchKernel kernel);

struct BaselineInfo {
  const char* name;     ///< as typed
  const char* backend;  ///< the one that has it
  bool has_blocks;      ///< whether counts of blocks mean anything
};
const BaselineInfo& info(Baseline baseline);
/// Nothing for a name that is no baseline's.
std::optional<Baseline> find_baseline(std::string_view name);
/// False for baselines without the kernel's blocks.
bool has_blocks(const BenchSpec& spec);

/// Whether several ranks share the work: baselines have one rank, whatever the kernel.
bool is_shared(const BenchSpec& spec);

/// What one row of a bench times.
using BenchSubject = std::variant<TriangleMapId, TetraMapId, GasketMapId, Baseline>;
/// From the name in spec.map. Throws ConfigError for a name that is neither a map of the kernel's domain nor one of its
/// baselines, for a baseline that `backend` lacks, and for a form that the kernel lacks.
BenchSubject subject_of(const BenchSpec& spec, std::string_view backend);
/// Throws ConfigError unless the points of edm have 1 to PointSet::kMaxFeatures features.
void check_features(const BenchSpec& spec);

/// Unordered pairs, triples or cells of one run. Throws ConfigError for an unknown fractal.
u64 item_count(const BenchSpec& spec);
/// Bytes of one map's data where they follow from the spec; 0 where they are small or up to the backend. Throws
/// ConfigError for an unknown fractal.
u64 data_bytes(const BenchSpec& spec);
/// T_bb / T_map by launched blocks alone (MAPS.md section 4). With B = ceil(n / block): pairs 2B/(B+1), triples
/// 6B^2/((B+1)(B+2)); fractals (s^d / k)^levels of the tiles. Nothing for a fractal or a side that does not exist.
std::optional<double> launch_bound(const BenchSpec& spec, u32 block);

}  // namespace tri
