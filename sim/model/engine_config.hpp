#pragma once
/// How the work is done, as opposed to what is computed: any of it may change between two steps.

#include <string>

#include "sim/base/platform.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri {

enum class Precision : u8 { fp32, fp64 };

/// fast: floating-point sums, the order of additions (so the last bits) depends on map, block and threads.
/// ordered: 64-bit fixed-point sums, bit-equal over runs, maps, block sizes and thread counts.
enum class Accumulate : u8 { fast, ordered };

/// Which pairs of spheres are tested for contact; the result is the same. all_pairs: all, along the map. grid: those of
/// neighbouring cells of a uniform grid (broad_phase.hpp), along the map within a cell. automatic: the backend's
/// choice, the faster one for this n.
enum class BroadPhase : u8 { automatic, all_pairs, grid };

struct EngineConfig {
  Precision precision = Precision::fp32;
  Accumulate accumulate = Accumulate::fast;
  TriangleMapId pair_map = TriangleMapId::lambda;
  TetraMapId triple_map = TetraMapId::tetra;
  u32 pair_block = 0;    ///< tile side of pairs in bodies; 0 = the backend's choice for this n
  u32 triple_block = 0;  ///< tile side of triples in bodies; 0 = the backend's choice
  BroadPhase broad_phase = BroadPhase::automatic;
  u32 threads = 0;  ///< host threads of the cpu backend; 0 = as many as the process may use
  /// Longest time that one kernel of the cuda backend may take, in ms, estimated conservatively, so that a display on
  /// the same device can redraw in between. 0 = kDisplaySlice if the device drives a display, else no limit; infinity =
  /// no limit.
  double slice_ms = 0;
};

inline constexpr double kDisplaySlice = 50;

std::string to_string(Precision precision);     ///< "fp32", "fp64"
std::string to_string(Accumulate accumulate);   ///< "fast", "ordered"
std::string to_string(BroadPhase broad_phase);  ///< "auto", "all-pairs", "grid"

Precision precision_from(const std::string& name);     ///< throws ConfigError with the names
Accumulate accumulate_from(const std::string& name);   ///< throws ConfigError with the names
BroadPhase broad_phase_from(const std::string& name);  ///< throws ConfigError with the names

}  // namespace tri
