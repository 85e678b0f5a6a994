// Triple tiles with floating-point sums: each triple is computed once and adds to all three of its bodies.
//
// Column sums are in the piece's array (one number per column), row sums in an array of whole vectors (reduced over
// their lanes once, at the end), layer sums in registers.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/kernels/triple_fast.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/kernels/simd_math.hpp"
#include "sim/cpu/kernels/tile_common.hpp"
#include "sim/cpu/kernels/triple_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace {

template <class Real>
class FastTriples {
  using D = hn::ScalableTag<Real>;
  using V = hn::Vec<D>;
  using Body = law_space::Body<V>;
  static constexpr std::size_t kLanes = hn::MaxLanes(D{});

 public:
  template <class Law>
  static void run(const Law& law, const BodyView<Real>& bodies, const TripleTile& t, FastSums& sums) {
    cut_triple_tile<FastTriples>(law, bodies, t, sums);
  }

  template <class Law>
  static void piece(const Law& law, const BodyView<Real>& bodies, const TripleTile& t, FastSums& sums) {
    FastTriples kernel(t, sums);
    walk_triple_piece(D{}, law, bodies, t, kernel);
    kernel.flush(t);
  }

  template <bool kMasked, class Law>
  HWY_INLINE void accumulate(const Law& law, const Body& i, const Body& j, const Body& k, std::size_t column,
                             std::size_t row, std::size_t count) {
    auto term = law(SimdMath<D, false>{}, i, j, k);
    if constexpr (kMasked) {
      const auto mask = hn::FirstN(D{}, count);
      for (V* f : {&term.fix, &term.fiy, &term.fiz, &term.fjx, &term.fjy, &term.fjz}) *f = hn::IfThenElseZero(mask, *f);
    }
    add(columns_[0] + column, term.fix);
    add(columns_[1] + column, term.fiy);
    add(columns_[2] + column, term.fiz);
    add(rows_[0] + row * kLanes, term.fjx);
    add(rows_[1] + row * kLanes, term.fjy);
    add(rows_[2] + row * kLanes, term.fjz);
    x_ = hn::Add(x_, hn::Add(term.fix, term.fjx));
    y_ = hn::Add(y_, hn::Add(term.fiy, term.fjy));
    z_ = hn::Add(z_, hn::Add(term.fiz, term.fjz));
  }

  /// The third body gets the opposite of the other two forces.
  HWY_INLINE void layer(u32 k) {
    const D d;
    sums_.x[k] -= static_cast<double>(hn::GetLane(hn::SumOfLanes(d, x_)));
    sums_.y[k] -= static_cast<double>(hn::GetLane(hn::SumOfLanes(d, y_)));
    sums_.z[k] -= static_cast<double>(hn::GetLane(hn::SumOfLanes(d, z_)));
    x_ = y_ = z_ = hn::Zero(d);
  }

 private:
  FastTriples(const TripleTile& t, FastSums& sums) : sums_(sums), x_(hn::Zero(D{})), y_(x_), z_(x_) {
    for (int axis = 0; axis < 3; ++axis) {
      for (std::size_t c = 0; c < t.x1 - t.x0; c += kLanes) hn::Store(x_, D{}, columns_[axis] + c);
      for (std::size_t r = 0; r < t.y1 - t.y0; ++r) hn::Store(x_, D{}, rows_[axis] + r * kLanes);
    }
  }

  static HWY_INLINE void add(Real* sum, V v) { hn::Store(hn::Add(hn::Load(D{}, sum), v), D{}, sum); }

  void flush(const TripleTile& t) {
    double* const out[3] = {sums_.x, sums_.y, sums_.z};
    for (int axis = 0; axis < 3; ++axis) {
      for (u32 c = 0; c < t.x1 - t.x0; ++c) out[axis][t.x0 + c] += static_cast<double>(columns_[axis][c]);
      for (u32 r = 0; r < t.y1 - t.y0; ++r) {
        const V row = hn::Load(D{}, rows_[axis] + r * kLanes);
        out[axis][t.y0 + r] += static_cast<double>(hn::GetLane(hn::SumOfLanes(D{}, row)));
      }
    }
  }

  FastSums& sums_;
  V x_, y_, z_;  // of the current layer
  alignas(64) Real columns_[3][kTriplePiece + 16];
  alignas(64) Real rows_[3][kTriplePiece * kLanes];
};

}  // namespace

TRI_TARGET_KERNEL(triple_tile_fast, float, TripleTile, FastSums, visit_triple_law, FastTriples<float>)
TRI_TARGET_KERNEL(triple_tile_fast, double, TripleTile, FastSums, visit_triple_law, FastTriples<double>)

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_DISPATCH_KERNEL(triple_tile_fast, float, TripleTile, FastSums)
TRI_DISPATCH_KERNEL(triple_tile_fast, double, TripleTile, FastSums)
