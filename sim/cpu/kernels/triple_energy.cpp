// Potential energy and virial of the triples of one tile, always in float64 and with IEEE roots and divisions.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/kernels/triple_energy.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/kernels/simd_math.hpp"
#include "sim/cpu/kernels/tile_common.hpp"
#include "sim/cpu/kernels/triple_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace {

class EnergyTriples {
  using D = hn::ScalableTag<double>;
  using V = hn::Vec<D>;
  using Body = law_space::Body<V>;

 public:
  explicit EnergyTriples(TileEnergy& out) : out_(out), potential_(hn::Zero(D{})), virial_(potential_) {}

  template <class Law>
  static void run(const Law& law, const BodyView<double>& bodies, const TripleTile& t, TileEnergy& out) {
    cut_triple_tile<EnergyTriples>(law, bodies, t, out);
  }

  template <class Law>
  static void piece(const Law& law, const BodyView<double>& bodies, const TripleTile& t, TileEnergy& out) {
    EnergyTriples kernel(out);
    walk_triple_piece(D{}, law, bodies, t, kernel);
  }

  template <bool kMasked, class Law>
  HWY_INLINE void accumulate(const Law& law, const Body& i, const Body& j, const Body& k, std::size_t, std::size_t,
                             std::size_t count) {
    const auto term = law(SimdMath<D, true>{}, i, j, k);
    const auto mask = hn::FirstN(D{}, count);
    // The forces sum to zero, so sum r.F can be taken about body k, whose own term vanishes.
    V dot = hn::Mul(hn::Sub(i.x, k.x), term.fix);
    dot = hn::MulAdd(hn::Sub(i.y, k.y), term.fiy, dot);
    dot = hn::MulAdd(hn::Sub(i.z, k.z), term.fiz, dot);
    dot = hn::MulAdd(hn::Sub(j.x, k.x), term.fjx, dot);
    dot = hn::MulAdd(hn::Sub(j.y, k.y), term.fjy, dot);
    dot = hn::MulAdd(hn::Sub(j.z, k.z), term.fjz, dot);
    potential_ = hn::Add(potential_, hn::IfThenElseZero(mask, term.potential));
    virial_ = hn::Add(virial_, hn::IfThenElseZero(mask, dot));
  }

  HWY_INLINE void layer(u32) {
    const D d;
    out_.potential += hn::GetLane(hn::SumOfLanes(d, potential_));
    out_.virial += hn::GetLane(hn::SumOfLanes(d, virial_));
    potential_ = virial_ = hn::Zero(d);
  }

 private:
  TileEnergy& out_;
  V potential_, virial_;
};

}  // namespace

TRI_TARGET_KERNEL(triple_tile_energy, double, TripleTile, TileEnergy, visit_triple_law, EnergyTriples)

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_DISPATCH_KERNEL(triple_tile_energy, double, TripleTile, TileEnergy)
