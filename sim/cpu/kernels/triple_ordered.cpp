// Triple tiles with fixed-point sums, bit-equal over maps, tile sides and threads; pair_ordered.cpp explains why, and
// which SIMD targets agree. The forces on the first and second body of a triple are rounded to the quantum; the third
// body gets the opposite of their rounded sum, so that momentum is conserved exactly.

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/kernels/triple_ordered.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/kernels/fixed_point.hpp"
#include "sim/cpu/kernels/simd_math.hpp"
#include "sim/cpu/kernels/tile_common.hpp"
#include "sim/cpu/kernels/triple_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace {

template <class Real>
class OrderedTriples {
  using F = FixedPoint<Real>;
  using D = typename F::D;
  using DInt = typename F::DInt;
  using V = typename F::V;
  using VInt = typename F::VInt;
  using Body = law_space::Body<V>;
  static constexpr std::size_t kLanes = hn::MaxLanes(DInt{});

 public:
  template <class Law>
  static void run(const Law& law, const BodyView<Real>& bodies, const TripleTile& t, OrderedSums& sums) {
    cut_triple_tile<OrderedTriples>(law, bodies, t, sums);
  }

  template <class Law>
  static void piece(const Law& law, const BodyView<Real>& bodies, const TripleTile& t, OrderedSums& sums) {
    OrderedTriples kernel(t, sums);
    walk_triple_piece(D{}, law, bodies, t, kernel);
    kernel.flush(t);
  }

  template <bool kMasked, class Law>
  HWY_INLINE void accumulate(const Law& law, const Body& i, const Body& j, const Body& k, std::size_t column,
                             std::size_t row, std::size_t count) {
    auto term = law(SimdMath<D, true>{}, i, j, k);
    if constexpr (kMasked) {
      const auto mask = hn::FirstN(D{}, count);
      for (V* f : {&term.fix, &term.fiy, &term.fiz, &term.fjx, &term.fjy, &term.fjz}) *f = hn::IfThenElseZero(mask, *f);
    }
    axis(0, term.fix, term.fjx, column, row, x_);
    axis(1, term.fiy, term.fjy, column, row, y_);
    axis(2, term.fiz, term.fjz, column, row, z_);
  }

  HWY_INLINE void layer(u32 k) {
    const DInt di;
    // At most 2 * 32^2 terms of less than 2^51 each: below 2^63.
    sums_.x[k] -= hn::GetLane(hn::SumOfLanes(di, x_));
    sums_.y[k] -= hn::GetLane(hn::SumOfLanes(di, y_));
    sums_.z[k] -= hn::GetLane(hn::SumOfLanes(di, z_));
    x_ = y_ = z_ = hn::Zero(di);
  }

 private:
  OrderedTriples(const TripleTile& t, OrderedSums& sums)
      : sums_(sums), fixed_(sums.scale), largest_(hn::Zero(typename F::DBits{})), x_(hn::Zero(DInt{})), y_(x_), z_(x_) {
    for (int a = 0; a < 3; ++a) {
      for (std::size_t c = 0; c < t.x1 - t.x0; c += kLanes) hn::Store(x_, DInt{}, columns_[a] + c);
      for (std::size_t r = 0; r < t.y1 - t.y0; ++r) hn::Store(x_, DInt{}, rows_[a] + r * kLanes);
    }
  }

  HWY_INLINE void axis(int a, V on_column, V on_row, std::size_t column, std::size_t row, VInt& layer_sum) {
    largest_ = hn::Max(largest_, hn::Max(F::magnitude_bits(on_column), F::magnitude_bits(on_row)));
    const VInt i = fixed_(on_column), j = fixed_(on_row);
    add(columns_[a] + column, i);
    add(rows_[a] + row * kLanes, j);
    layer_sum = hn::Add(layer_sum, hn::Add(i, j));
  }

  static HWY_INLINE void add(i64* sum, VInt v) { hn::Store(hn::Add(hn::Load(DInt{}, sum), v), DInt{}, sum); }

  void flush(const TripleTile& t) {
    Wide* const out[3] = {sums_.x, sums_.y, sums_.z};
    for (int a = 0; a < 3; ++a) {
      for (u32 c = 0; c < t.x1 - t.x0; ++c) out[a][t.x0 + c] += columns_[a][c];
      for (u32 r = 0; r < t.y1 - t.y0; ++r) {
        out[a][t.y0 + r] += hn::GetLane(hn::SumOfLanes(DInt{}, hn::Load(DInt{}, rows_[a] + r * kLanes)));
      }
    }
    sums_.largest = std::max(sums_.largest, F::greatest(largest_));
  }

  OrderedSums& sums_;
  F fixed_;
  typename F::VBits largest_;
  VInt x_, y_, z_;
  alignas(64) i64 columns_[3][kTriplePiece + 16];
  alignas(64) i64 rows_[3][kTriplePiece * kLanes];
};

}  // namespace

TRI_TARGET_KERNEL(triple_tile_ordered, float, TripleTile, OrderedSums, visit_triple_law, OrderedTriples<float>)
TRI_TARGET_KERNEL(triple_tile_ordered, double, TripleTile, OrderedSums, visit_triple_law, OrderedTriples<double>)

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_DISPATCH_KERNEL(triple_tile_ordered, float, TripleTile, OrderedSums)
TRI_DISPATCH_KERNEL(triple_tile_ordered, double, TripleTile, OrderedSums)
