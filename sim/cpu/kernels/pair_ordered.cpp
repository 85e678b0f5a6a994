// Pair tiles with fixed-point sums: bit-equal over maps, tile sides, threads and runs.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/kernels/pair_ordered.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/kernels/pair_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {

TRI_TARGET_KERNEL(pair_ordered, float, PairTile, OrderedSums, visit_pair_law, PairTileForces<OrderedParts<float>>)
TRI_TARGET_KERNEL(pair_ordered, double, PairTile, OrderedSums, visit_pair_law, PairTileForces<OrderedParts<double>>)

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_DISPATCH_KERNEL(pair_ordered, float, add_tile, PairTile, OrderedSums)
TRI_DISPATCH_KERNEL(pair_ordered, double, add_tile, PairTile, OrderedSums)
