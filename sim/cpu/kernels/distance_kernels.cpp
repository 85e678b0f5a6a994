// Tiles of distances. For every layout one point is broadcast ("outer") against vectors of the others ("inner"), chosen
// so that the results are contiguous in memory:
//
//     lower, square   outer = row i, inner = columns j          out[row start of i + j]
//     square also     outer = column j, inner = rows i          the mirror image, in its own rows
//     condensed       outer = column j (SciPy's first index), inner = rows i, which SciPy counts up along
//
// d(i, j) and d(j, i) have the same bits, since a difference enters only as its square. Distances in float32 of points
// in float64 are rounded once.

#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/kernels/distance_kernels.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/kernels/compute_kernels.hpp"
#include "sim/cpu/kernels/simd_math.hpp"
#include "sim/cpu/kernels/tile_common.hpp"
#include "sim/laws/distance.hpp"
#include "sim/laws/distance_range.hpp"
#include "sim/maps/figurate.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace {

template <class Real, class Out = Real>
struct DistanceTile {
  using D = hn::ScalableTag<Real>;
  using V = hn::Vec<D>;
  using Law = law_space::Distance;
  using Math = SimdMath<D, true>;

  using Range = laws::DistanceRange<Real>;

  static HWY_INLINE V distances(const PointView<Real>& p, const V* outer, std::size_t inner) {
    const D d;
    V sum = hn::Zero(d);
    for (u32 f = 0; f < p.features; ++f) {
      sum = Law::add(Math{}, sum, hn::LoadU(d, p.values + f * p.stride + inner), outer[f]);
    }
    const V roots = Law::finish(Math{}, sum);
    const auto sure = hn::And(hn::Ge(roots, hn::Set(d, Range::kMin)), hn::Le(roots, hn::Set(d, Range::kMax)));
    if (HWY_LIKELY(hn::AllTrue(d, sure))) return roots;
    return hn::IfThenElse(sure, roots, again(p, outer, inner, roots));
  }

  /// The roots that are doubtful; others are of no use.
  static HWY_NOINLINE V again(const PointView<Real>& p, const V* outer, std::size_t inner, V roots) {
    const D d;
    const auto small = hn::Lt(roots, hn::Set(d, Real(1)));
    const V up = hn::Set(d, Range::kUp), down = hn::Set(d, Range::kDown);
    const V scale = hn::IfThenElse(small, up, down);
    V sum = hn::Zero(d);
    for (u32 f = 0; f < p.features; ++f) {
      const V a = hn::LoadU(d, p.values + f * p.stride + inner);
      sum = Law::add(Math{}, sum, hn::Mul(hn::Sub(a, outer[f]), scale), hn::Zero(d));
    }
    return hn::Mul(Law::finish(Math{}, sum), hn::IfThenElse(small, down, up));
  }

  static HWY_INLINE void store(V values, Out* to) {
    if constexpr (std::is_same_v<Real, Out>) {
      hn::StoreU(values, D(), to);
    } else {
      const hn::Rebind<Out, D> narrow;
      hn::StoreU(hn::DemoteTo(narrow, values), narrow, to);
    }
  }

  /// to[k] = d(outer, inner0 + k) for k < count. Writes nothing past that: the memory may belong to another thread.
  static void line(const PointView<Real>& p, u32 outer, u32 inner0, std::size_t count, Out* to) {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    V features[Law::kMaxFeatures];
    for (u32 f = 0; f < p.features; ++f) features[f] = hn::Set(d, p.values[f * p.stride + outer]);
    std::size_t k = 0;
    for (; k + lanes <= count; k += lanes) store(distances(p, features, inner0 + k), to + k);
    if (k < count) {
      alignas(64) Out rest[16];
      store(distances(p, features, inner0 + k), rest);
      std::memcpy(to + k, rest, (count - k) * sizeof(Out));
    }
  }

  static void run(const PointView<Real>& p, DistanceLayout layout, const PairTile& t, const DistancePiece<Out>& to,
                  Mirror mirror) {
    const u64 n = p.n;
    const auto at = [&](u64 index) { return to.values + (index - to.origin); };
    if (layout == DistanceLayout::condensed) {
      for (u64 a = t.col0; a < t.col1; ++a) {
        const u64 first = t.diagonal ? a + 1 : t.row0;
        // Pairs (0, *), (1, *), ... (a - 1, *) come first: a (2n - a - 1) / 2 of them.
        if (first >= t.row1) continue;
        line(p, static_cast<u32>(a), static_cast<u32>(first), t.row1 - first,
             at(a * (2 * n - a - 1) / 2 + (first - a - 1)));
      }
      return;
    }
    for (u64 i = t.row0; i < t.row1; ++i) {
      const u64 start = layout == DistanceLayout::lower ? triangular(i) : i * n;
      // A diagonal tile of the square is computed in full and needs no mirror image.
      const bool half = t.diagonal && layout == DistanceLayout::lower;
      line(p, static_cast<u32>(i), t.col0, half ? i + 1 - t.col0 : t.col1 - t.col0, at(start + t.col0));
    }
    if (layout == DistanceLayout::square && !t.diagonal && mirror == Mirror::yes) {
      for (u64 j = t.col0; j < t.col1; ++j) {
        line(p, static_cast<u32>(j), t.row0, t.row1 - t.row0, at(j * n + t.row0));
      }
    }
  }
};

}  // namespace

constexpr auto& distances_f32 = DistanceTile<float>::run;
constexpr auto& distances_f64 = DistanceTile<double>::run;
constexpr auto& distances_f64_to_f32 = DistanceTile<double, float>::run;

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tri::cpu {

HWY_EXPORT(distances_f32);
HWY_EXPORT(distances_f64);
HWY_EXPORT(distances_f64_to_f32);

void distance_tile(const PointView<float>& points, DistanceLayout layout, const PairTile& tile,
                   const DistancePiece<float>& to, Mirror mirror) {
  HWY_DYNAMIC_DISPATCH(distances_f32)(points, layout, tile, to, mirror);
}

void distance_tile(const PointView<double>& points, DistanceLayout layout, const PairTile& tile,
                   const DistancePiece<double>& to, Mirror mirror) {
  HWY_DYNAMIC_DISPATCH(distances_f64)(points, layout, tile, to, mirror);
}

void distance_tile(const PointView<double>& points, DistanceLayout layout, const PairTile& tile,
                   const DistancePiece<float>& to, Mirror mirror) {
  HWY_DYNAMIC_DISPATCH(distances_f64_to_f32)(points, layout, tile, to, mirror);
}

}  // namespace tri::cpu
#endif
