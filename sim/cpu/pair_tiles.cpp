// Pair tiles, with fast and with ordered sums.
//
// Pair tiles with floating-point sums, and the name of the SIMD target.

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/pair_tiles.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/pair_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {

TRI_TARGET_KERNEL(pair_fast, float, PairTile, FastSums, visit_pair_law, PairTileForces<FastParts<float>>)
TRI_TARGET_KERNEL(pair_fast, double, PairTile, FastSums, visit_pair_law, PairTileForces<FastParts<double>>)

/// Highway calls its targets for AVX-512 AVX3, AVX3_DL and the like, which no processor's data sheet does.
const char* target_name() {
  const char* name = hwy::TargetName(HWY_TARGET);
  return std::strncmp(name, "AVX3", 4) == 0 ? "AVX-512" : name;
}

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_DISPATCH_KERNEL(pair_fast, float, add_tile, PairTile, FastSums)
TRI_DISPATCH_KERNEL(pair_fast, double, add_tile, PairTile, FastSums)

#if HWY_ONCE
namespace tri::cpu {
HWY_EXPORT(target_name);
const char* simd_target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }
}  // namespace tri::cpu
#endif

// Pair tiles with fixed-point sums: bit-equal over maps, tile sides, threads and runs.

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {

TRI_TARGET_KERNEL(pair_ordered, float, PairTile, OrderedSums, visit_pair_law, PairTileForces<OrderedParts<float>>)
TRI_TARGET_KERNEL(pair_ordered, double, PairTile, OrderedSums, visit_pair_law, PairTileForces<OrderedParts<double>>)

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_DISPATCH_KERNEL(pair_ordered, float, add_tile, PairTile, OrderedSums)
TRI_DISPATCH_KERNEL(pair_ordered, double, add_tile, PairTile, OrderedSums)
