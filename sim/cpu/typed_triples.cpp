// Tiles of triples under a typed law: the forces in either accumulation, and the energy, always in float64 and with
// IEEE roots. Pieces, rows and masks are those of triple_tile.hpp. In a layer k the interpreter works on kBatch
// rows j at a time, against all columns i of the piece.

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/typed_triples.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
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
      : plan_(plan), b_(bodies), t_(t), buffers_(plan, kBatch, pitch(t)) {
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
    interpret(plan_, buffers_, rows, most, kExact);
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
};

/// As TripleKernel (triple_tiles.cpp).
template <class Sink, class D, bool kExact>
class TypedTripleKernel : public CutIntoPieces<TypedTripleKernel<Sink, D, kExact>> {
 public:
  template <class Real, class Sums>
  static void piece(const TypedTriples& law, const BodyView<Real>& bodies, const TripleTile& t, Sums& sums) {
    Sink sink(t, sums);
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
            const auto body_i = load_bodies<TypedPosition>(d, bodies, t.x0 + c);
            const auto term = term_of(rows, body_i, body_j, body_k, r, c);
            if (c + lanes <= count) {
              sink.template add<false>(term, body_i, body_j, body_k, c, row, lanes);
            } else {
              sink.template add<true>(term, body_i, body_j, body_k, c, row, count - c);
            }
          }
        }
      }
      sink.layer(k);
    }
    sink.flush(t);
  }

 private:
  using V = hn::Vec<D>;
  using Body = law_space::Body<V>;

  template <class Rows>
  static HWY_INLINE law_space::TripleTerm<V> term_of(const Rows& rows, const Body& i, const Body& j, const Body& k,
                                                     std::size_t r, std::size_t c) {
    const D d;
    const Sides<V> sides(i, j, k);
    auto term = sides.term(rows.output(d, 0, r, c), rows.output(d, 1, r, c), rows.output(d, 2, r, c));
    if constexpr (std::is_same_v<Sink, TripleEnergies>) term.potential = rows.output(d, 3, r, c);
    return term;
  }
};

template <class Parts>
using TypedTripleForces =
    TypedTripleKernel<TripleSums<Parts>, typename Parts::D, std::is_same_v<typename Parts::Sums, OrderedSums>>;
using TypedTripleEnergy = TypedTripleKernel<TripleEnergies, hn::ScalableTag<double>, true>;

}  // namespace

TRI_TARGET_SUMS(typed_triple, TypedTriples, TripleTile, visit_typed_law, TypedTripleForces)
TRI_TARGET_KERNEL(typed_triple_energy, double, TypedTriples, TripleTile, TileEnergy, visit_typed_law, TypedTripleEnergy)

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_DISPATCH_SUMS(typed_triple, TypedTriples, TripleTile)
TRI_DISPATCH_KERNEL(typed_triple_energy, double, TypedTriples, TripleTile, TileEnergy)
