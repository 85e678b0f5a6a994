// Tiles of triples under a typed law: the forces in either accumulation, and the energy, always in float64 and with
// IEEE roots. Pieces, rows and masks are those of triple_tile.hpp. In a layer k the interpreter works on kBatch
// rows j at a time, against all columns i of the piece.

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/typed_triples.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/interpreter.hpp"
#include "sim/cpu/triple_tile.hpp"
#include "sim/cpu/typed_tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace {

constexpr u32 kBatch = 8;

struct TypedPosition {
  static constexpr u32 kUses = laws::kPosition;
};

/// The sides of triples (i, j, k), each from the first body to the second, as the built-in law has them.
template <class V>
struct Sides {
  V ijx, ijy, ijz, jkx, jky, jkz, kix, kiy, kiz;

  HWY_INLINE Sides(const law_space::Body<V>& i, const law_space::Body<V>& j, const law_space::Body<V>& k)
      : ijx(hn::Sub(j.x, i.x)),
        ijy(hn::Sub(j.y, i.y)),
        ijz(hn::Sub(j.z, i.z)),
        jkx(hn::Sub(k.x, j.x)),
        jky(hn::Sub(k.y, j.y)),
        jkz(hn::Sub(k.z, j.z)),
        kix(hn::Sub(i.x, k.x)),
        kiy(hn::Sub(i.y, k.y)),
        kiz(hn::Sub(i.z, k.z)) {}

  /// F_i = 2 (E_a r_ij - E_c r_ki), F_j = 2 (E_b r_jk - E_a r_ij), with a = 2 E_a and so on.
  HWY_INLINE law_space::TripleTerm<V> term(V a, V b, V c) const {
    return {hn::NegMulAdd(c, kix, hn::Mul(a, ijx)),
            hn::NegMulAdd(c, kiy, hn::Mul(a, ijy)),
            hn::NegMulAdd(c, kiz, hn::Mul(a, ijz)),
            hn::NegMulAdd(a, ijx, hn::Mul(b, jkx)),
            hn::NegMulAdd(a, ijy, hn::Mul(b, jky)),
            hn::NegMulAdd(a, ijz, hn::Mul(b, jkz)),
            a};
  }
};

/// Fills the plan's inputs and runs it over the rows of a piece.
template <class Real, bool kExact>
class TripleRows {
  using D = hn::ScalableTag<Real>;
  using V = hn::Vec<D>;

 public:
  TripleRows(const ProgramPlan& plan, const BodyView<Real>& bodies, const TripleTile& t)
      : plan_(plan), b_(bodies), t_(t), buffers_(plan, kBatch, pitch(t)), interpreter_(plan, buffers_) {
    // |r_jk| is the same in a row, |r_ki| in a layer.
    buffers_.bind_rows(1);
    buffers_.bind_columns(2, buffers_[2].data);
  }

  HWY_INLINE std::size_t columns(u32 j) const { return (t_.x0 == t_.y0 ? j : t_.x1) - t_.x0; }
  HWY_INLINE u32 rows_end(u32 k) const { return t_.y0 == t_.z0 ? k : t_.y1; }

  /// Before the rows of layer k.
  void layer(u32 k) { squares(k, t_.x1 - t_.x0, buffers_[2].data); }

  /// The rows j .. j + rows - 1, rows <= kBatch, of layer k.
  void run(u32 j, u32 rows, u32 k) {
    const std::size_t most = columns(j + rows - 1);
    for (u32 r = 0; r < rows; ++r) {
      squares(j + r, most, buffers_[0].data + r * buffers_[0].rows);
      const Real x = b_.x[k] - b_.x[j + r], y = b_.y[k] - b_.y[j + r], z = b_.z[k] - b_.z[j + r];
      using One = hn::CappedTag<Real, 1>;
      const One one;
      const auto vx = hn::Set(one, x), vy = hn::Set(one, y), vz = hn::Set(one, z);
      buffers_.set_row(1, r, hn::GetLane(hn::MulAdd(vz, vz, hn::MulAdd(vy, vy, hn::Mul(vx, vx)))));
    }
    interpreter_.run(rows, most);
  }

  /// Output `o` at columns c .. of row r of the batch.
  template <class DLoad>
  HWY_INLINE hn::Vec<DLoad> output(DLoad d, std::size_t o, std::size_t r, std::size_t c) const {
    const Place<Real>& place = buffers_[plan_.outputs()[o]];
    return hn::LoadU(d, place.data + r * place.rows + c * place.columns);
  }

 private:
  static std::size_t pitch(const TripleTile& t) { return (t.x1 - t.x0 + 15) / 16 * 16; }

  /// Squared distances of a body to `count` columns.
  HWY_INLINE void squares(u32 body, std::size_t count, Real* to) const {
    const D d;
    const V x = hn::Set(d, b_.x[body]), y = hn::Set(d, b_.y[body]), z = hn::Set(d, b_.z[body]);
    for (std::size_t c = 0; c < count; c += hn::Lanes(d)) {
      const V dx = hn::Sub(hn::LoadU(d, b_.x + t_.x0 + c), x), dy = hn::Sub(hn::LoadU(d, b_.y + t_.x0 + c), y);
      const V dz = hn::Sub(hn::LoadU(d, b_.z + t_.x0 + c), z);
      hn::Store(hn::MulAdd(dz, dz, hn::MulAdd(dy, dy, hn::Mul(dx, dx))), d, to + c);
    }
  }

  const ProgramPlan& plan_;
  const BodyView<Real>& b_;
  const TripleTile& t_;
  RowBuffers<Real> buffers_;
  Interpreter<Real, kExact> interpreter_;
};

/// Calls kernel.add(masked?, term, column, row, count, ...) for the vectors of a piece, and kernel.layer(k) at the end
/// of each layer.
template <class D, bool kExact, class Kernel, class Real = hn::TFromD<D>>
HWY_INLINE void walk_typed_piece(const TypedTriples& law, const BodyView<Real>& bodies, const TripleTile& t,
                                 Kernel& kernel) {
  using V = hn::Vec<D>;
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  TripleRows<Real, kExact> rows(law.plan, bodies, t);
  for (u32 k = t.z0; k < t.z1; ++k) {
    const auto body_k = broadcast_body<TypedPosition>(d, bodies, k);
    const u32 end = rows.rows_end(k);
    rows.layer(k);
    for (u32 first = t.y0; first < end; first += kBatch) {
      const u32 batch = std::min(kBatch, end - first);
      rows.run(first, batch, k);
      for (u32 r = 0; r < batch; ++r) {
        const auto body_j = broadcast_body<TypedPosition>(d, bodies, first + r);
        const std::size_t count = rows.columns(first + r), row = first + r - t.y0;
        for (std::size_t c = 0; c < count; c += lanes) {
          const Sides<V> sides(load_bodies<TypedPosition>(d, bodies, t.x0 + c), body_j, body_k);
          kernel.add(sides, rows, r, c, row, std::min(lanes, count - c));
        }
      }
    }
    kernel.layer(k);
  }
}

template <class Parts>
class TypedTripleForces : public CutIntoPieces<TypedTripleForces<Parts>> {
  using D = typename Parts::D;
  using V = typename Parts::V;
  using Sums = typename Parts::Sums;

 public:
  template <class Real>
  static void piece(const TypedTriples& law, const BodyView<Real>& bodies, const TripleTile& t, Sums& sums) {
    TypedTripleForces kernel(t, sums);
    walk_typed_piece<D, std::is_same_v<Sums, OrderedSums>>(law, bodies, t, kernel);
    kernel.sums_.flush(t);
  }

  template <class Rows>
  HWY_INLINE void add(const Sides<V>& sides, const Rows& rows, std::size_t r, std::size_t c, std::size_t row,
                      std::size_t count) {
    const D d;
    const auto term = sides.term(rows.output(d, 0, r, c), rows.output(d, 1, r, c), rows.output(d, 2, r, c));
    if (count == hn::Lanes(d)) return sums_.template add<false>(term, c, row, count);
    sums_.template add<true>(term, c, row, count);
  }

  HWY_INLINE void layer(u32 k) { sums_.layer(k); }

 private:
  TypedTripleForces(const TripleTile& t, Sums& sums) : sums_(t, sums) {}

  TripleSums<Parts> sums_;
};

class TypedTripleEnergy : public CutIntoPieces<TypedTripleEnergy> {
  using D = hn::ScalableTag<double>;
  using V = hn::Vec<D>;

 public:
  static void piece(const TypedTriples& law, const BodyView<double>& bodies, const TripleTile& t, TileEnergy& out) {
    TypedTripleEnergy kernel(out);
    walk_typed_piece<D, true>(law, bodies, t, kernel);
  }

  template <class Rows>
  HWY_INLINE void add(const Sides<V>& s, const Rows& rows, std::size_t r, std::size_t c, std::size_t,
                      std::size_t count) {
    const D d;
    const auto term = s.term(rows.output(d, 0, r, c), rows.output(d, 1, r, c), rows.output(d, 2, r, c));
    const auto mask = hn::FirstN(d, count);
    // The forces sum to zero, so sum r.F can be taken about body k, whose own term vanishes.
    V dot = hn::Mul(s.kix, term.fix);
    dot = hn::MulAdd(s.kiy, term.fiy, dot);
    dot = hn::MulAdd(s.kiz, term.fiz, dot);
    dot = hn::NegMulAdd(s.jkx, term.fjx, dot);
    dot = hn::NegMulAdd(s.jky, term.fjy, dot);
    dot = hn::NegMulAdd(s.jkz, term.fjz, dot);
    potential_ = hn::Add(potential_, hn::IfThenElseZero(mask, rows.output(d, 3, r, c)));
    virial_ = hn::Add(virial_, hn::IfThenElseZero(mask, dot));
  }

  HWY_INLINE void layer(u32) {
    out_.potential += lane_sum(D{}, potential_);
    out_.virial += lane_sum(D{}, virial_);
    potential_ = virial_ = hn::Zero(D{});
  }

 private:
  explicit TypedTripleEnergy(TileEnergy& out) : out_(out), potential_(hn::Zero(D{})), virial_(potential_) {}

  TileEnergy& out_;
  V potential_, virial_;
};

}  // namespace

TRI_TYPED_KERNEL(typed_triple_fast, float, TypedTriples, TripleTile, FastSums, TypedTripleForces<FastParts<float>>)
TRI_TYPED_KERNEL(typed_triple_fast, double, TypedTriples, TripleTile, FastSums, TypedTripleForces<FastParts<double>>)
TRI_TYPED_KERNEL(typed_triple_ordered, float, TypedTriples, TripleTile, OrderedSums,
                 TypedTripleForces<OrderedParts<float>>)
TRI_TYPED_KERNEL(typed_triple_ordered, double, TypedTriples, TripleTile, OrderedSums,
                 TypedTripleForces<OrderedParts<double>>)
TRI_TYPED_KERNEL(typed_triple_energy, double, TypedTriples, TripleTile, TileEnergy, TypedTripleEnergy)

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_TYPED_DISPATCH(typed_triple_fast, float, TypedTriples, TripleTile, FastSums)
TRI_TYPED_DISPATCH(typed_triple_fast, double, TypedTriples, TripleTile, FastSums)
TRI_TYPED_DISPATCH(typed_triple_ordered, float, TypedTriples, TripleTile, OrderedSums)
TRI_TYPED_DISPATCH(typed_triple_ordered, double, TypedTriples, TripleTile, OrderedSums)
TRI_TYPED_DISPATCH(typed_triple_energy, double, TypedTriples, TripleTile, TileEnergy)
