// Pair tiles of typed laws with floating-point sums.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/typed_pair_fast.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/typed_pair_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {

TRI_TYPED_KERNEL(typed_pair_fast, float, TypedPairs, PairTile, FastSums, TypedPairTile<FastParts<float>>)
TRI_TYPED_KERNEL(typed_pair_fast, double, TypedPairs, PairTile, FastSums, TypedPairTile<FastParts<double>>)

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_TYPED_DISPATCH(typed_pair_fast, float, TypedPairs, PairTile, FastSums)
TRI_TYPED_DISPATCH(typed_pair_fast, double, TypedPairs, PairTile, FastSums)
