// Tiles of pairs under a typed law: their sums in either accumulation, and their energy. Pieces, rows, columns and
// masks are those of pair_tile.hpp; what a functor computes there in registers lies in rows of numbers here:
//
//     distances()      r2 of kBatch rows against all columns of the piece       native
//     interpret()      the strength of each                                     a step at a time over all of them
//     add()            strength x (dx, dy, dz) into the sums                    native, kRows rows at once

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/typed_pairs.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/tile_common.hpp"
#include "sim/cpu/typed_tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace {

/// Columns from which a plan's rows start anew: whole vectors of any width.
HWY_INLINE std::size_t typed_pitch(std::size_t columns) { return (columns + 15) / 16 * 16; }

/// What the rows of a piece have beside positions, as the plan reads it.
template <class Real>
struct PairInputs {
  const ProgramPlan& plan;
  RowBuffers<Real>& buffers;

  static constexpr u32 number(expression::PairInput input) { return static_cast<u32>(input); }

  void columns(const BodyView<Real>& b, u32 col0) const {
    using expression::PairInput;
    const auto bind = [&](PairInput input, const Real* column) {
      if (!plan.reads(number(input))) return;
      if (column == nullptr) return buffers.bind_zero(number(input));
      buffers.bind_columns(number(input), column + col0);
    };
    bind(PairInput::mj, b.m), bind(PairInput::rj, b.r), bind(PairInput::qj, b.q);
    for (const PairInput input : {PairInput::mi, PairInput::ri, PairInput::qi}) buffers.bind_rows(number(input));
  }

  void row(const BodyView<Real>& b, std::size_t row, u32 body) const {
    using expression::PairInput;
    const auto set = [&](PairInput input, const Real* column) {
      if (plan.reads(number(input))) buffers.set_row(number(input), row, column != nullptr ? column[body] : Real(0));
    };
    set(PairInput::mi, b.m), set(PairInput::ri, b.r), set(PairInput::qi, b.q);
  }
};

/// r2 of `rows` bodies from `row` on against `columns` from col0 on, to the plan's first input.
template <class D, bool kExact, class Real = hn::TFromD<D>>
void typed_distances(const law_space::NearestImage<Real>& image, const BodyView<Real>& b, u32 row, std::size_t rows,
                     u32 col0, std::size_t columns, const RowBuffers<Real>& buffers) {
  const D d;
  using M = SimdMath<D, kExact>;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto x = hn::Set(d, b.x[row + r]), y = hn::Set(d, b.y[row + r]), z = hn::Set(d, b.z[row + r]);
    Real* const to = buffers[0].data + r * buffers[0].rows;
    for (std::size_t c = 0; c < columns; c += hn::Lanes(d)) {
      auto dx = hn::Sub(hn::LoadU(d, b.x + col0 + c), x), dy = hn::Sub(hn::LoadU(d, b.y + col0 + c), y);
      auto dz = hn::Sub(hn::LoadU(d, b.z + col0 + c), z);
      image(M{}, dx, dy, dz);
      hn::Store(M::mul_add(dz, dz, M::mul_add(dy, dy, hn::Mul(dx, dx))), d, to + c);
    }
  }
}

/// Parts: FastParts or OrderedParts.
template <class Parts>
class TypedPairTile {
  using D = typename Parts::D;
  using DSum = typename Parts::DSum;
  using V = typename Parts::V;
  using VSum = typename Parts::VSum;
  using Total = typename Parts::Total;
  using Sums = typename Parts::Sums;
  using Real = hn::TFromD<D>;
  using DWhole = hn::ScalableTag<Real>;  ///< of what no sum bounds
  using Columns = ColumnSums<DSum, 3>;
  static constexpr bool kExact = std::is_same_v<Sums, OrderedSums>;
  static constexpr u32 kRowsAtOnce = Parts::kRows < 2 || sizeof(Real) == 4 ? Parts::kRows : 2;
  static constexpr u32 kBatch = sizeof(Real) == 4 ? 4 : 2;

 public:
  static void run(const TypedPairs& law, const BodyView<Real>& bodies, const PairTile& t, Sums& sums) {
    cut_pair_tile<TypedPairTile>(law, bodies, t, sums);
  }

  static void piece(const TypedPairs& law, const BodyView<Real>& bodies, const PairTile& t, Sums& sums) {
    TypedPairTile(law, bodies, t, sums).take();
  }

 private:
  struct Sum3 {
    VSum x, y, z;
  };

  TypedPairTile(const TypedPairs& law, const BodyView<Real>& bodies, const PairTile& t, Sums& sums)
      : law_(law),
        b_(bodies),
        t_(t),
        out_(sums),
        parts_(sums),
        columns_(t.col1 - t.col0),
        buffers_(law.plan, std::min(kBatch, t.row1 - t.row0), typed_pitch(t.col1 - t.col0)),
        image_(law.box),
        factor_(static_cast<Real>(law.factor)) {}

  void take() {
    const std::size_t cols = t_.col1 - t_.col0;
    const PairInputs<Real> inputs{law_.plan, buffers_};
    inputs.columns(b_, t_.col0);
    for (u32 row = t_.row0; row < t_.row1; row += kBatch) {
      const u32 rows = std::min(kBatch, t_.row1 - row);
      // Row r has `limit` columns, or on the diagonal r more.
      const std::size_t limit = t_.diagonal ? row - t_.col0 : cols, grow = t_.diagonal ? 1 : 0;
      const std::size_t most = limit + grow * (rows - 1);
      for (u32 r = 0; r < rows; ++r) inputs.row(b_, r, row + r);
      typed_distances<DWhole, kExact>(image_, b_, row, rows, t_.col0, most, buffers_);
      interpret(law_.plan, buffers_, rows, most, kExact);
      if (law_.weighs) {
        add_rows<true>(row, rows, limit, grow);
      } else {
        add_rows<false>(row, rows, limit, grow);
      }
    }
    for (u32 axis = 0; axis < 3; ++axis) {
      for (u32 c = 0; c < cols; ++c) out_.axis[axis][t_.col0 + c] += static_cast<Total>(columns_.axis[axis][c]);
    }
    parts_.finish(out_);
  }

  template <bool kAcceleration>
  HWY_INLINE void add_rows(u32 row, u32 rows, std::size_t limit, std::size_t grow) {
    u32 r = 0;
    for (; r + kRowsAtOnce <= rows; r += kRowsAtOnce) {
      add<kAcceleration, kRowsAtOnce>(row, r, limit + r * grow, grow);
    }
    if constexpr (kRowsAtOnce > 1) {
      for (; r < rows; ++r) add<kAcceleration, 1>(row, r, limit + r * grow, grow);
    }
  }

  /// One vector of columns against kRows rows. kMasked: only the first `limit + r * grow - c` lanes of row r count.
  template <bool kAcceleration, bool kMasked, u32 kRows>
  HWY_INLINE void accumulate(const V (&rows)[kRows][4], const Place<Real>& strength, u32 first, std::size_t c,
                             std::size_t limit, std::size_t grow, Sum3 (&sums)[kRows]) {
    const D d;
    const DSum ds;
    const V x = hn::LoadU(d, b_.x + t_.col0 + c), y = hn::LoadU(d, b_.y + t_.col0 + c);
    const V z = hn::LoadU(d, b_.z + t_.col0 + c), m = kAcceleration ? hn::LoadU(d, b_.m + t_.col0 + c) : x;
    VSum cx = hn::Load(ds, columns_.axis[0] + c), cy = hn::Load(ds, columns_.axis[1] + c);
    VSum cz = hn::Load(ds, columns_.axis[2] + c);
#pragma GCC unroll 4
    for (u32 r = 0; r < kRows; ++r) {
      V dx = hn::Sub(x, rows[r][0]), dy = hn::Sub(y, rows[r][1]), dz = hn::Sub(z, rows[r][2]), mass = m;
      image_(typename Parts::Math{}, dx, dy, dz);
      V s = hn::LoadU(d, strength.data + (first + r) * strength.rows + c * strength.columns);
      if constexpr (kAcceleration) s = hn::Mul(s, hn::Set(d, factor_));
      V fx = hn::Mul(s, dx), fy = hn::Mul(s, dy), fz = hn::Mul(s, dz);
      if constexpr (kMasked) {
        const std::size_t end = limit + r * grow;
        const auto mask = hn::FirstN(d, end > c ? end - c : 0);
        fx = hn::IfThenElseZero(mask, fx), fy = hn::IfThenElseZero(mask, fy), fz = hn::IfThenElseZero(mask, fz);
        // A masked lane may hold any mass, and 0 * NaN is not 0.
        mass = hn::IfThenElseZero(mask, mass);
      }
      parts_.template add_pair<kAcceleration>(fx, rows[r][3], mass, sums[r].x, cx);
      parts_.template add_pair<kAcceleration>(fy, rows[r][3], mass, sums[r].y, cy);
      parts_.template add_pair<kAcceleration>(fz, rows[r][3], mass, sums[r].z, cz);
    }
    hn::Store(cx, ds, columns_.axis[0] + c);
    hn::Store(cy, ds, columns_.axis[1] + c);
    hn::Store(cz, ds, columns_.axis[2] + c);
  }

  /// Rows first .. first + kRows - 1 of the batch whose first is `row`.
  template <bool kAcceleration, u32 kRows>
  HWY_INLINE void add(u32 row, u32 first, std::size_t limit, std::size_t grow) {
    const D d;
    const DSum ds;
    const std::size_t lanes = hn::Lanes(d);
    const Place<Real> strength = buffers_[law_.plan.outputs()[0]];
    V rows[kRows][4];
    Sum3 sums[kRows];
#pragma GCC unroll 4
    for (u32 r = 0; r < kRows; ++r) {
      const u32 body = row + first + r;
      rows[r][0] = hn::Set(d, b_.x[body]), rows[r][1] = hn::Set(d, b_.y[body]), rows[r][2] = hn::Set(d, b_.z[body]);
      rows[r][3] = kAcceleration ? hn::Set(d, b_.m[body]) : hn::Zero(d);
      sums[r] = {hn::Zero(ds), hn::Zero(ds), hn::Zero(ds)};
    }
    std::size_t c = 0;
    for (; c + lanes <= limit; c += lanes) {
      accumulate<kAcceleration, false>(rows, strength, first, c, limit, grow, sums);
    }
    for (const std::size_t end = limit + (kRows - 1) * grow; c < end; c += lanes) {
      accumulate<kAcceleration, true>(rows, strength, first, c, limit, grow, sums);
    }
    // In fixed point at most kPairPiece terms of less than 2^51 each: no overflow before the wide sum.
#pragma GCC unroll 4
    for (u32 r = 0; r < kRows; ++r) {
      out_.axis[0][row + first + r] += static_cast<Total>(lane_sum(ds, sums[r].x));
      out_.axis[1][row + first + r] += static_cast<Total>(lane_sum(ds, sums[r].y));
      out_.axis[2][row + first + r] += static_cast<Total>(lane_sum(ds, sums[r].z));
    }
  }

  const TypedPairs& law_;
  const BodyView<Real>& b_;
  const PairTile& t_;
  Sums& out_;
  Parts parts_;
  Columns columns_;
  RowBuffers<Real> buffers_;
  law_space::NearestImage<Real> image_;
  Real factor_;
};

/// Potential energy and virial, always in float64 and with IEEE roots and divisions, one row at a time.
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
    inputs.columns(b, t.col0);
    for (u32 row = t.row0; row < t.row1; ++row) {
      const std::size_t count = t.diagonal ? row - t.col0 : cols;
      inputs.row(b, 0, row);
      typed_distances<D, true>(image, b, row, 1, t.col0, count, buffers);
      interpret(law.plan, buffers, 1, count, true);
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

TRI_TARGET_SUMS(typed_pair, TypedPairs, PairTile, visit_typed_law, TypedPairTile)
TRI_TARGET_KERNEL(typed_pair_energy, double, TypedPairs, PairTile, TileEnergy, visit_typed_law, TypedEnergyTile)

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_DISPATCH_SUMS(typed_pair, TypedPairs, PairTile)
TRI_DISPATCH_KERNEL(typed_pair_energy, double, TypedPairs, PairTile, TileEnergy)
