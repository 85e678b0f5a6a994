// Potential energy and virial of the pairs of one tile under a typed law, always in float64 and with IEEE roots and
// divisions, one row at a time.

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/typed_pair_energy.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/typed_pair_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace {

struct TypedEnergyTile {
  using D = hn::ScalableTag<double>;
  using V = hn::Vec<D>;

  static void run(const TypedPairs& law, const BodyView<double>& bodies, const PairTile& t, TileEnergy& out) {
    cut_pair_tile<TypedEnergyTile>(law, bodies, t, out);
  }

  static void piece(const TypedPairs& law, const BodyView<double>& b, const PairTile& t, TileEnergy& out) {
    const std::size_t cols = t.col1 - t.col0;
    RowBuffers<double> buffers(law.plan, 1, typed_pitch(cols));
    const law_space::NearestImage<double> image(law.box);
    const PairInputs<double> inputs{law.plan, buffers};
    Interpreter<double, true> interpreter(law.plan, buffers);
    inputs.columns(b, t.col0);
    for (u32 row = t.row0; row < t.row1; ++row) {
      const std::size_t count = t.diagonal ? row - t.col0 : cols;
      inputs.row(b, 0, row);
      typed_distances<D, true>(image, b, row, 1, t.col0, count, buffers);
      interpreter.run(1, count);
      add(law, buffers, b, row, t.col0, count, out);
    }
  }

  /// The virial of a pair is d.(-F_i) = -strength r2, times both masses if the strength leaves them out.
  static void add(const TypedPairs& law, const RowBuffers<double>& buffers, const BodyView<double>& b, u32 row,
                  u32 col0, std::size_t count, TileEnergy& out) {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    const auto at = [&](std::size_t place, std::size_t c)
                        HWY_ATTR { return hn::LoadU(d, buffers[place].data + c * buffers[place].columns); };
    const V weight = hn::Set(d, law.weighs ? law.factor * b.m[row] : 1.0);
    V potential = hn::Zero(d), virial = hn::Zero(d);
    for (std::size_t c = 0; c < count; c += lanes) {
      const auto mask = hn::FirstN(d, std::min(lanes, count - c));
      V pair = hn::Mul(hn::Mul(at(law.plan.outputs()[0], c), at(0, c)), weight);
      if (law.weighs) pair = hn::Mul(pair, hn::LoadU(d, b.m + col0 + c));
      virial = hn::Sub(virial, hn::IfThenElseZero(mask, pair));
      potential = hn::Add(potential, hn::IfThenElseZero(mask, at(law.plan.outputs()[1], c)));
    }
    out.potential += lane_sum(d, potential);
    out.virial += lane_sum(d, virial);
  }
};

}  // namespace

TRI_TYPED_KERNEL(typed_pair_energy, double, TypedPairs, PairTile, TileEnergy, TypedEnergyTile)

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_TYPED_DISPATCH(typed_pair_energy, double, TypedPairs, PairTile, TileEnergy)
