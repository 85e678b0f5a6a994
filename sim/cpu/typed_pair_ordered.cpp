// Pair tiles of typed laws with fixed-point sums.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/typed_pair_ordered.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/typed_pair_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {

TRI_TYPED_KERNEL(typed_pair_ordered, float, TypedPairs, PairTile, OrderedSums, TypedPairTile<OrderedParts<float>>)
TRI_TYPED_KERNEL(typed_pair_ordered, double, TypedPairs, PairTile, OrderedSums, TypedPairTile<OrderedParts<double>>)

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_TYPED_DISPATCH(typed_pair_ordered, float, TypedPairs, PairTile, OrderedSums)
TRI_TYPED_DISPATCH(typed_pair_ordered, double, TypedPairs, PairTile, OrderedSums)
