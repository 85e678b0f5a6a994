// Tiles of pairs under built-in laws: their sums in either accumulation, and their energy, always in float64. And the
// name of the SIMD target.

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/pair_tiles.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/pair_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace {

/// Slower and simpler than the force kernels: one row at a time, no column sums.
struct EnergyTile {
  using D = hn::ScalableTag<double>;
  using V = hn::Vec<D>;
  using Math = SimdMath<D, false>;

  /// Adds the first `count` lanes' pairs.
  template <class Law>
  static HWY_INLINE void accumulate(const Law& law, const law_space::Body<V>& row, const law_space::Body<V>& column,
                                    std::size_t count, V& potential, V& virial) {
    const auto mask = hn::FirstN(D{}, count);
    const auto term = law(Math{}, row, column);
    V dx = hn::Sub(row.x, column.x), dy = hn::Sub(row.y, column.y), dz = hn::Sub(row.z, column.z);
    law_space::to_nearest(law, Math{}, dx, dy, dz);
    const V dot = hn::MulAdd(dz, term.fz, hn::MulAdd(dy, term.fy, hn::Mul(dx, term.fx)));
    if constexpr (Law::kSums == laws::Sums::acceleration) {
      virial = hn::Add(virial, hn::IfThenElseZero(mask, hn::Mul(dot, hn::Mul(row.m, column.m))));
    } else {
      virial = hn::Add(virial, hn::IfThenElseZero(mask, dot));
    }
    potential = hn::Add(potential, hn::IfThenElseZero(mask, term.potential));
  }

  template <class Law>
  static void run(const Law& law, const BodyView<double>& bodies, const PairTile& t, TileEnergy& out) {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    for (u32 row = t.row0; row < t.row1; ++row) {
      const auto one = broadcast_body<Law>(d, bodies, row);
      const std::size_t count = t.diagonal ? row - t.col0 : t.col1 - t.col0;
      V potential = hn::Zero(d), virial = hn::Zero(d);
      for (std::size_t c = 0; c < count; c += lanes) {
        accumulate(law, one, load_bodies<Law>(d, bodies, t.col0 + c), std::min(lanes, count - c), potential, virial);
      }
      out.potential += hn::GetLane(hn::SumOfLanes(d, potential));
      out.virial += hn::GetLane(hn::SumOfLanes(d, virial));
    }
  }
};

}  // namespace

TRI_TARGET_SUMS(pair, ForceField, PairTile, law_space::visit_pair_law, PairTileForces)
TRI_TARGET_KERNEL(pair_energy, double, ForceField, PairTile, TileEnergy, law_space::visit_pair_law, EnergyTile)

/// Highway calls its targets for AVX-512 AVX3, AVX3_DL and the like, which no processor's data sheet does.
const char* target_name() {
  const char* name = hwy::TargetName(HWY_TARGET);
  return std::strncmp(name, "AVX3", 4) == 0 ? "AVX-512" : name;
}

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_DISPATCH_SUMS(pair, ForceField, PairTile)
TRI_DISPATCH_KERNEL(pair_energy, double, ForceField, PairTile, TileEnergy)

#if HWY_ONCE
namespace tri::cpu {
HWY_EXPORT(target_name);
const char* simd_target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }
}  // namespace tri::cpu
#endif
