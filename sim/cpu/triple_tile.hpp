
#if defined(TRI_CPU_TRIPLE_TILE_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_CPU_TRIPLE_TILE_HPP
#undef TRI_CPU_TRIPLE_TILE_HPP
#else
#define TRI_CPU_TRIPLE_TILE_HPP
#endif
/// Tiles of triples in pieces, and the sums of their forces in either accumulation, once per SIMD target.
///
/// A tile is cut into pieces of at most kTriplePiece per side. In a piece, layer k and row j are broadcast against
/// vectors of columns i, and i < j < k always: a law sees every triple in one orientation.

#include "hwy/highway.h"
#include "sim/cpu/tile_common.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr u32 kTriplePiece = 32;

/// A kernel's run() from its piece(law, bodies, piece, sums), which is called for every piece that contains triples.
template <class Kernel>
struct CutIntoPieces {
  template <class Law, class Real, class Sums>
  static void run(const Law& law, const BodyView<Real>& bodies, const TripleTile& t, Sums& sums) {
    const auto end = [](u32 begin, u32 limit) { return limit - begin < kTriplePiece ? limit : begin + kTriplePiece; };
    for (u32 z = t.z0; z < t.z1; z += kTriplePiece) {
      const u32 z_end = end(z, t.z1);
      const u32 y_limit = t.y0 == t.z0 ? z_end : t.y1;
      for (u32 y = t.y0; y < y_limit; y += kTriplePiece) {
        const u32 y_end = end(y, y_limit);
        const u32 x_limit = t.x0 == t.y0 ? y_end : t.x1;
        for (u32 x = t.x0; x < x_limit; x += kTriplePiece) {
          Kernel::piece(law, bodies, TripleTile{x, end(x, x_limit), y, y_end, z, z_end}, sums);
        }
      }
    }
  }
};

/// The sums of a piece. Each triple is computed once and adds to all three of its bodies; the third gets the opposite
/// of the other two forces, in fixed point of their rounded sum, so that momentum is conserved exactly.
///
/// Column sums are in the piece's array (one number per column), row sums in an array of whole vectors (reduced over
/// their lanes once, at the end), layer sums in registers. Parts: FastParts or OrderedParts.
template <class Parts>
class TripleSums {
  using D = typename Parts::D;
  using DSum = typename Parts::DSum;
  using V = typename Parts::V;
  using VSum = typename Parts::VSum;
  using Body = law_space::Body<V>;
  using Sum = hn::TFromD<DSum>;
  using Total = typename Parts::Total;
  using Sums = typename Parts::Sums;
  static constexpr std::size_t kLanes = hn::MaxLanes(DSum{});

 public:
  TripleSums(const TripleTile& t, Sums& sums) : sums_(sums), parts_(sums), x_(hn::Zero(DSum{})), y_(x_), z_(x_) {
    for (int a = 0; a < 3; ++a) {
      for (std::size_t c = 0; c < t.x1 - t.x0; c += kLanes) hn::Store(x_, DSum{}, columns_[a] + c);
      for (std::size_t r = 0; r < t.y1 - t.y0; ++r) hn::Store(x_, DSum{}, rows_[a] + r * kLanes);
    }
  }

  /// The triples of a vector of columns with a row; kMasked: of its first `count` lanes. column and row are relative to
  /// the piece's corner.
  template <bool kMasked>
  HWY_INLINE void add(law_space::TripleTerm<V> term, const Body&, const Body&, const Body&, std::size_t column,
                      std::size_t row, std::size_t count) {
    if constexpr (kMasked) {
      const auto mask = hn::FirstN(D{}, count);
      for (V* f : {&term.fix, &term.fiy, &term.fiz, &term.fjx, &term.fjy, &term.fjz}) *f = hn::IfThenElseZero(mask, *f);
    }
    add(0, term.fix, term.fjx, column, row, x_);
    add(1, term.fiy, term.fjy, column, row, y_);
    add(2, term.fiz, term.fjz, column, row, z_);
  }

  /// The end of layer k.
  HWY_INLINE void layer(u32 k) {
    const DSum d;
    // In fixed point at most 2 * 32^2 terms of less than 2^51 each: below 2^63.
    sums_.axis[0][k] -= static_cast<Total>(lane_sum(d, x_));
    sums_.axis[1][k] -= static_cast<Total>(lane_sum(d, y_));
    sums_.axis[2][k] -= static_cast<Total>(lane_sum(d, z_));
    x_ = y_ = z_ = hn::Zero(d);
  }

  /// The end of the piece.
  void flush(const TripleTile& t) {
    for (int a = 0; a < 3; ++a) {
      for (u32 c = 0; c < t.x1 - t.x0; ++c) sums_.axis[a][t.x0 + c] += static_cast<Total>(columns_[a][c]);
      for (u32 r = 0; r < t.y1 - t.y0; ++r) {
        const VSum row = hn::Load(DSum{}, rows_[a] + r * kLanes);
        sums_.axis[a][t.y0 + r] += static_cast<Total>(lane_sum(DSum{}, row));
      }
    }
    parts_.finish(sums_);
  }

 private:
  /// One component of the forces on the first and second body.
  HWY_INLINE void add(int a, V on_column, V on_row, std::size_t column, std::size_t row, VSum& layer_sum) {
    parts_.meet(on_column, on_row);
    const VSum i = parts_.part(on_column), j = parts_.part(on_row);
    add(columns_[a] + column, i);
    add(rows_[a] + row * kLanes, j);
    layer_sum = hn::Add(layer_sum, hn::Add(i, j));
  }
  static HWY_INLINE void add(Sum* sum, VSum v) { hn::Store(hn::Add(hn::Load(DSum{}, sum), v), DSum{}, sum); }

  Sums& sums_;
  Parts parts_;
  VSum x_, y_, z_;  // of the current layer
  alignas(64) Sum columns_[3][kTriplePiece + 16];
  alignas(64) Sum rows_[3][kTriplePiece * kLanes];
};

/// The energy and the virial of a piece, in the same way.
class TripleEnergies {
  using D = hn::ScalableTag<double>;
  using V = hn::Vec<D>;
  using Body = law_space::Body<V>;

 public:
  TripleEnergies(const TripleTile&, TileEnergy& out) : out_(out), potential_(hn::Zero(D{})), virial_(potential_) {}

  template <bool kMasked>
  HWY_INLINE void add(const law_space::TripleTerm<V>& term, const Body& i, const Body& j, const Body& k, std::size_t,
                      std::size_t, std::size_t count) {
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

  void flush(const TripleTile&) {}

 private:
  TileEnergy& out_;
  V potential_, virial_;
};

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
