// Tiles of pairs under built-in laws: their sums in either accumulation; their energy, and gravity with its jerk,
// always in float64. And the name of the SIMD target.

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/pair_tiles.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/pair_tile.hpp"
#include "sim/laws/gravity.hpp"

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

/// Gravity and its jerk. As pair_tile.hpp, with one row at a time: six sums a body leave no registers for more.
/// Parts: FastParts<double> or OrderedParts<double>.
template <class Parts>
class JerkTile {
  using D = typename Parts::D;
  using DSum = typename Parts::DSum;
  using V = typename Parts::V;
  using VSum = typename Parts::VSum;
  using Sums = typename Parts::Sums;
  using Totals = JerkTotals<Sums>;
  using Body = law_space::Body<V>;
  static constexpr u32 kAxes = 6;  ///< of the acceleration, then of the jerk

 public:
  template <class Law>
  static void run(const Law& law, const BodyView<double>& bodies, const PairTile& t, Totals& sums) {
    cut_pair_tile<JerkTile>(law, bodies, t, sums);
  }

  template <class Law>
  static void piece(const Law& law, const BodyView<double>& bodies, const PairTile& t, Totals& sums) {
    const u32 cols = t.col1 - t.col0;
    JerkTile tile(sums, cols);
    for (u32 row = t.row0; row < t.row1; ++row) {
      tile.sweep(law, bodies, row, t.col0, t.diagonal ? row - t.col0 : cols, sums);
    }
    for (u32 k = 0; k < kAxes; ++k) {
      auto* const to = axis_of(sums, k);
      for (u32 c = 0; c < cols; ++c) to[t.col0 + c] += static_cast<typename Parts::Total>(tile.columns_.axis[k][c]);
    }
    tile.finish(sums);
  }

 private:
  JerkTile(const Totals& sums, u32 columns)
      : acceleration_(sums.acceleration),
        jerk_(sums.jerk),
        fall_(hn::Zero(D{})),
        fly_(hn::Zero(D{})),
        columns_(columns) {}

  static auto* axis_of(Totals& sums, u32 k) { return k < 3 ? sums.acceleration.axis[k] : sums.jerk.axis[k - 3]; }

  void finish(Totals& sums) {
    acceleration_.finish(sums.acceleration);
    jerk_.finish(sums.jerk);
    sums.fall = std::max(sums.fall, hn::GetLane(hn::MaxOfLanes(D{}, fall_)));
    sums.fly = std::max(sums.fly, hn::GetLane(hn::MaxOfLanes(D{}, fly_)));
  }

  /// One row against a vector of columns from c on, of which the first `count` lanes count.
  template <class Law>
  HWY_INLINE void accumulate(const Law& law, const Body& row, const Body& column, std::size_t c, std::size_t count,
                             VSum (&sum)[kAxes]) {
    const auto mask = hn::FirstN(D{}, count);
    const auto term = law(typename Parts::Math{}, row, column);
    // A masked lane may hold any number, and 0 * NaN is not 0.
    const V column_mass = hn::IfThenElseZero(mask, column.m);
    const V parts[kAxes] = {term.ax, term.ay, term.az, term.jx, term.jy, term.jz};
#pragma GCC unroll 6
    for (u32 k = 0; k < kAxes; ++k) {
      VSum on_column = hn::Load(DSum{}, columns_.axis[k] + c);
      Parts& to = k < 3 ? acceleration_ : jerk_;
      to.template add_pair<true>(hn::IfThenElseZero(mask, parts[k]), row.m, column_mass, sum[k], on_column);
      hn::Store(on_column, DSum{}, columns_.axis[k] + c);
    }
    fall_ = hn::Max(fall_, hn::IfThenElseZero(mask, term.fall));
    fly_ = hn::Max(fly_, hn::IfThenElseZero(mask, term.fly));
  }

  template <class Law>
  void sweep(const Law& law, const BodyView<double>& bodies, u32 row, u32 col0, std::size_t count, Totals& out) {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    const Body one = broadcast_body<Law>(d, bodies, row);
    const VSum zero = hn::Zero(DSum{});
    VSum sum[kAxes] = {zero, zero, zero, zero, zero, zero};
    for (std::size_t c = 0; c < count; c += lanes) {
      accumulate(law, one, load_bodies<Law>(d, bodies, col0 + c), c, std::min(lanes, count - c), sum);
    }
#pragma GCC unroll 6
    for (u32 k = 0; k < kAxes; ++k) {
      axis_of(out, k)[row] += static_cast<typename Parts::Total>(lane_sum(DSum{}, sum[k]));
    }
  }

  Parts acceleration_, jerk_;
  V fall_, fly_;
  ColumnSums<DSum, kAxes> columns_;
};

}  // namespace

TRI_TARGET_SUMS(pair, ForceField, PairTile, law_space::visit_pair_law, PairTileForces)
TRI_TARGET_KERNEL(pair_energy, double, ForceField, PairTile, TileEnergy, law_space::visit_pair_law, EnergyTile)
TRI_TARGET_KERNEL(jerk_fast, double, ForceField, PairTile, JerkTotals<FastSums>, law_space::visit_jerk_law,
                  JerkTile<FastParts<double>>)
TRI_TARGET_KERNEL(jerk_ordered, double, ForceField, PairTile, JerkTotals<OrderedSums>, law_space::visit_jerk_law,
                  JerkTile<OrderedParts<double>>)

/// Highway calls its targets for AVX-512 AVX3, AVX3_DL and the like, which no processor's data sheet does.
const char* target_name() {
  const char* name = hwy::TargetName(HWY_TARGET);
  return std::strncmp(name, "AVX3", 4) == 0 ? "AVX-512" : name;
}

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_DISPATCH_SUMS(pair, ForceField, PairTile)
TRI_DISPATCH_KERNEL(pair_energy, double, ForceField, PairTile, TileEnergy)
TRI_DISPATCH_KERNEL(jerk_fast, double, ForceField, PairTile, JerkTotals<FastSums>)
TRI_DISPATCH_KERNEL(jerk_ordered, double, ForceField, PairTile, JerkTotals<OrderedSums>)

#if HWY_ONCE
namespace tri::cpu {
HWY_EXPORT(target_name);
const char* simd_target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }
}  // namespace tri::cpu
#endif
