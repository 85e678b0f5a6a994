// Tiles of triples: the forces in either accumulation, and the energy, always in float64 and with IEEE roots.
//
// In a piece (triple_tile.hpp):
//
//     for k in layers, for j in rows (below k), for i in columns (below j), a vector at a time
//
// "Below" matters only where two ranges are equal: faces, edges and corners of the tetrahedron of tiles. There the last
// vector of a row is masked.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/kernels/triple_tiles.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/kernels/triple_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace {

/// Calls kernel.accumulate(masked?, i vector, j, k, column, row, count) for the vectors of one piece, and
/// kernel.layer(k) at the end of each layer. column and row are relative to the piece's corner.
template <class Law, class Kernel, class D, class Real = hn::TFromD<D>>
HWY_INLINE void walk_piece(D d, const Law& law, const BodyView<Real>& bodies, const TripleTile& t, Kernel& kernel) {
  const std::size_t lanes = hn::Lanes(d);
  for (u32 k = t.z0; k < t.z1; ++k) {
    const auto body_k = broadcast_body<Law>(d, bodies, k);
    const u32 rows_end = t.y0 == t.z0 ? k : t.y1;
    for (u32 j = t.y0; j < rows_end; ++j) {
      const auto body_j = broadcast_body<Law>(d, bodies, j);
      const std::size_t count = (t.x0 == t.y0 ? j : t.x1) - t.x0, row = j - t.y0;
      std::size_t c = 0;
      for (; c + lanes <= count; c += lanes) {
        kernel.template accumulate<false>(law, load_bodies<Law>(d, bodies, t.x0 + c), body_j, body_k, c, row, lanes);
      }
      if (c < count) {
        kernel.template accumulate<true>(law, load_bodies<Law>(d, bodies, t.x0 + c), body_j, body_k, c, row, count - c);
      }
    }
    kernel.layer(k);
  }
}

template <class Parts>
class TripleForces : public CutIntoPieces<TripleForces<Parts>> {
  using D = typename Parts::D;
  using Body = law_space::Body<typename Parts::V>;
  using Sums = typename Parts::Sums;

 public:
  template <class Law, class Real>
  static void piece(const Law& law, const BodyView<Real>& bodies, const TripleTile& t, Sums& sums) {
    TripleForces kernel(t, sums);
    walk_piece(D{}, law, bodies, t, kernel);
    kernel.sums_.flush(t);
  }

  template <bool kMasked, class Law>
  HWY_INLINE void accumulate(const Law& law, const Body& i, const Body& j, const Body& k, std::size_t column,
                             std::size_t row, std::size_t count) {
    sums_.template add<kMasked>(law(typename Parts::Math{}, i, j, k), column, row, count);
  }

  HWY_INLINE void layer(u32 k) { sums_.layer(k); }

 private:
  TripleForces(const TripleTile& t, Sums& sums) : sums_(t, sums) {}

  TripleSums<Parts> sums_;
};

class TripleEnergy : public CutIntoPieces<TripleEnergy> {
  using D = hn::ScalableTag<double>;
  using V = hn::Vec<D>;
  using Body = law_space::Body<V>;

 public:
  template <class Law>
  static void piece(const Law& law, const BodyView<double>& bodies, const TripleTile& t, TileEnergy& out) {
    TripleEnergy kernel(out);
    walk_piece(D{}, law, bodies, t, kernel);
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
    out_.potential += lane_sum(D{}, potential_);
    out_.virial += lane_sum(D{}, virial_);
    potential_ = virial_ = hn::Zero(D{});
  }

 private:
  explicit TripleEnergy(TileEnergy& out) : out_(out), potential_(hn::Zero(D{})), virial_(potential_) {}

  TileEnergy& out_;
  V potential_, virial_;
};

}  // namespace

TRI_TARGET_KERNEL(triple_fast, float, TripleTile, FastSums, visit_triple_law, TripleForces<FastParts<float>>)
TRI_TARGET_KERNEL(triple_fast, double, TripleTile, FastSums, visit_triple_law, TripleForces<FastParts<double>>)
TRI_TARGET_KERNEL(triple_ordered, float, TripleTile, OrderedSums, visit_triple_law, TripleForces<OrderedParts<float>>)
TRI_TARGET_KERNEL(triple_ordered, double, TripleTile, OrderedSums, visit_triple_law, TripleForces<OrderedParts<double>>)
TRI_TARGET_KERNEL(triple_energy, double, TripleTile, TileEnergy, visit_triple_law, TripleEnergy)

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_DISPATCH_KERNEL(triple_fast, float, add_tile, TripleTile, FastSums)
TRI_DISPATCH_KERNEL(triple_fast, double, add_tile, TripleTile, FastSums)
TRI_DISPATCH_KERNEL(triple_ordered, float, add_tile, TripleTile, OrderedSums)
TRI_DISPATCH_KERNEL(triple_ordered, double, add_tile, TripleTile, OrderedSums)
TRI_DISPATCH_KERNEL(triple_energy, double, add_tile, TripleTile, TileEnergy)
