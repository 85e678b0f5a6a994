#pragma once
/// How an engine works: precision, sums, maps, tiles, tunings.
///
/// How the work is done, as opposed to what is computed. All but the precision may change between two steps.

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/base/user_values.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri {

enum class Precision : u8 { fp32, fp64 };
constexpr auto enum_table(Precision) { return enum_names<Precision>("precision", "fp32", "fp64"); }
/// Of numbers of this type.
template <class Real>
inline constexpr Precision kPrecisionOf = sizeof(Real) == 4 ? Precision::fp32 : Precision::fp64;

/// fast: floating-point sums, the order of additions (so the last bits) depends on map, block and threads.
/// ordered: 64-bit fixed-point sums, bit-equal over runs, maps, block sizes and thread counts.
enum class Accumulate : u8 { fast, ordered };
constexpr auto enum_table(Accumulate) { return enum_names<Accumulate>("accumulation", "fast", "ordered"); }

/// What sums gravity in fp32 over all pairs on a GPU: its float32 units, or its tensor cores, which are faster for many
/// bodies and about as accurate. automatic: the backend's choice. Everything else has plain arithmetic.
enum class Arithmetic : u8 { automatic, float32, tensor };
constexpr auto enum_table(Arithmetic) { return enum_names<Arithmetic>("arithmetic", "auto", "float32", "tensor"); }

/// How accurate gravity is where not every pair is summed in plain arithmetic: names of bounds of the rms error,
/// relative to the rms acceleration. Tensor cores know close, middle and loose, in clouds of 65,536 bodies and more
/// (docs/tensor.md), and automatic, about as accurate as float32; the tree knows all (docs/tree.md).
enum class Tolerance : u8 { automatic, e_9, e_8, e_7, close, middle, loose, e_5, e_5x3, e_4, e_4x3, e_3 };
constexpr auto enum_table(Tolerance) {
  return enum_names<Tolerance>("tolerance", "auto", "1e-9", "1e-8", "1e-7", "3e-7", "1e-6", "2e-6", "1e-5", "3e-5",
                               "1e-4", "3e-4", "1e-3");
}

/// How gravity meets its pairs. all: one by one, along the map. tree: near pairs one by one, far ones together, by
/// series (sim/cpu/tree.hpp). automatic: the backend's choice.
enum class PairSearch : u8 { automatic, all, tree };
constexpr auto enum_table(PairSearch) { return enum_names<PairSearch>("pairs", "auto", "all", "tree"); }

/// Which pairs of spheres are tested for contact; the result is the same. all_pairs: all, along the map. grid: those of
/// neighbouring cells of a uniform grid (broad_phase.hpp), along the map within a cell. automatic: the backend's
/// choice, the faster one for this n.
enum class BroadPhase : u8 { automatic, all_pairs, grid };
constexpr auto enum_table(BroadPhase) { return enum_names<BroadPhase>("broad phase", "auto", "all-pairs", "grid"); }

struct EngineConfig {
  Precision precision = Precision::fp32;
  Accumulate accumulate = Accumulate::fast;
  Arithmetic arithmetic = Arithmetic::automatic;
  Tolerance tolerance = Tolerance::automatic;
  PairSearch pairs = PairSearch::automatic;
  TriangleMapId pair_map = TriangleMapId::lambda;
  TetraMapId triple_map = TetraMapId::tetra;
  u32 pair_block = 0;    ///< tile side of pairs in bodies; 0 = the backend's choice for this n
  u32 triple_block = 0;  ///< tile side of triples in bodies; 0 = the backend's choice
  BroadPhase broad_phase = BroadPhase::automatic;
  u32 threads = 0;  ///< host threads of the cpu backend; 0 = as many as the process may use
  /// Longest time that one kernel of the cuda backend may take, in ms, estimated conservatively, so that a display on
  /// the same device can redraw in between, and Ctrl-C ends a step. 0 = kDisplaySlice if the device drives a display,
  /// else 200; infinity = no limit.
  double slice_ms = 0;

  friend bool operator==(const EngineConfig&, const EngineConfig&) = default;
};

inline constexpr double kDisplaySlice = 50;

/// The rms error that the tree may make. automatic: 3e-7 in fp32, about as accurate as sums over all pairs there, and
/// 1e-7 in fp64.
double tree_tolerance(const EngineConfig& config);

/// Fields of EngineConfig that somebody asked for, by name or in a file; the others stay as they are.
struct EngineOverrides {
  std::optional<Precision> precision;
  std::optional<Accumulate> accumulate;
  std::optional<Arithmetic> arithmetic;
  std::optional<Tolerance> tolerance;
  std::optional<PairSearch> pairs;
  std::optional<TriangleMapId> pair_map;
  std::optional<TetraMapId> triple_map;
  std::optional<u32> pair_block, triple_block;
  std::optional<BroadPhase> broad_phase;
  std::optional<u32> threads;
  std::optional<double> slice_ms;
};

/// Names of a field of EngineConfig.
struct EngineField {
  const char* key;        ///< of the command line and of session texts
  const char* attribute;  ///< of snapshots
  u64 since = 1;          ///< the first layout of snapshots that has it
};

/// Calls visit(EngineField, field...) once per field, in the order in which snapshots hash them, with that field of
/// each argument: EngineConfig or EngineOverrides. The one place that lists the fields.
template <class Visit, class... Configs>
void describe_engine(Visit&& visit, Configs&&... c) {
  visit(EngineField{"precision", "precision"}, c.precision...);
  visit(EngineField{"accumulate", "accumulate"}, c.accumulate...);
  visit(EngineField{"map", "pair_map"}, c.pair_map...);
  visit(EngineField{"triple-map", "triple_map"}, c.triple_map...);
  visit(EngineField{"broad-phase", "broad_phase"}, c.broad_phase...);
  visit(EngineField{"block", "pair_block"}, c.pair_block...);
  visit(EngineField{"triple-block", "triple_block"}, c.triple_block...);
  visit(EngineField{"threads", "threads"}, c.threads...);
  visit(EngineField{"slice-ms", "slice_ms"}, c.slice_ms...);
  visit(EngineField{"arithmetic", "arithmetic", 4}, c.arithmetic...);
  visit(EngineField{"tolerance", "tolerance", 4}, c.tolerance...);
  visit(EngineField{"pairs", "pairs", 5}, c.pairs...);
}

/// Sets the fields that `given` has, in a configuration or in other overrides.
template <class Config>
void apply_overrides(const EngineOverrides& given, Config& to) {
  describe_engine(
      [](EngineField, const auto& value, auto& field) {
        if (value) field = *value;
      },
      given, to);
}

/// A field's value as text and back: names as typed, 0 threads and blocks as "0", slices as "auto", "off" or ms;
/// numbers with all their digits. engine_value() is defined for the types of the fields; throws ConfigError.
template <class T>
std::string engine_text(const T& value);
template <class T>
T engine_value(const std::string& text);

// Converts a map's name to its id. Throws ConfigError with the nearest name and the list of all names of that domain
// for an unknown name.

TriangleMapId triangle_map_from(const std::string& name);
TetraMapId tetra_map_from(const std::string& name);
GasketMapId gasket_map_from(const std::string& name);

// Results of a tuner for a device: the fastest choice by number of bodies. Stored in a file, so that no device's
// measurements are hard-wired.

/// What is tuned. The choice is a tile side in bodies; for `grid`, 1 means that contacts are found through it; for
/// `tree`, k that gravity by it is faster than all pairs at tolerances of 10^-k and more, and 0 that it never is.
enum class TunedWork : u8 { gravity, lennard_jones, overlaps, grid, tree };
constexpr auto enum_table(TunedWork) {
  return enum_names<TunedWork>("tuned work", "gravity", "lennard-jones", "overlaps", "grid", "tree");
}

struct TuningRow {
  TunedWork work = TunedWork::gravity;
  Precision precision = Precision::fp32;
  u64 n = 0;       ///< valid from this n up to the next row
  u32 choice = 0;  ///< the fastest
  friend bool operator==(const TuningRow&, const TuningRow&) = default;
};

/// The tuning of one device; rows of one work and precision are contiguous, n ascending.
struct Tuning {
  std::string device;  ///< as reported by the driver
  std::vector<TuningRow> rows;

  /// The choice for n bodies; below the first row, that of the first. Empty for a work without rows.
  std::optional<u32> choice(TunedWork work, Precision precision, u64 n) const;
  /// n of the first row.
  std::optional<u64> first(TunedWork work, Precision precision) const;
};

/// Input of a tuner, and how it reports results.
struct TuneRequest {
  std::vector<u64> sizes;  ///< ascending
  std::vector<Precision> precisions;
  const std::atomic<bool>* stop = nullptr;  ///< stops after the current size
};
struct TuneStep {
  TunedWork work = TunedWork::gravity;
  Precision precision = Precision::fp32;
  u64 n = 0;
  std::vector<std::pair<u32, double>> times;  ///< choice and median ms of one evaluation
  u32 chosen = 0;                             ///< for grid 0 or 1
  double difference = 0;  ///< the largest between two choices, relative to the rms: must be rounding error
};
using TuneListener = std::function<void(const TuneStep&)>;

/// A change of choice that gains less than this is noise and is ignored.
inline constexpr double kTuningNoise = 0.015;

/// The fastest of the times, or `before` if that is within kTuningNoise of it.
u32 fastest(const std::vector<std::pair<u32, double>>& times, std::optional<u32> before);

}  // namespace tri
