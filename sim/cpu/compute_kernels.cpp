// Tiles of distances and of overlaps.
//
// Tiles of distances. For every layout one point is broadcast ("outer") against vectors of the others ("inner"), chosen
// so that the results are contiguous in memory:
//
//     lower, square   outer = row i, inner = columns j          out[row start of i + j]
//     square also     outer = column j, inner = rows i          the mirror image, in its own rows
//     condensed       outer = column j (SciPy's first index), inner = rows i, which SciPy counts up along
//     blocks          outer = row i, inner = columns j of one block after the other; on the diagonal also copied to (j,
//     i)
//
// d(i, j) and d(j, i) have the same bits, since a difference enters only as its square. Distances in float32 of points
// in float64 are rounded once.

#include <algorithm>
#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/compute_kernels.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/kernels.hpp"
#include "sim/cpu/tile_common.hpp"
#include "sim/laws/distance.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/triangle_blocks.hpp"

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

  /// The row of a tile in the blocks that it meets.
  static void row_of_blocks(const PointView<Real>& p, u32 i, u32 from, u32 end, const DistancePiece<Out>& to) {
    constexpr u32 b = kDistanceBlock;
    for (u32 j = from; j < end;) {
      const u32 count = std::min(b - j % b, end - j);
      Out* const values = to.values + (blocks_index(i, j, b) - to.origin);
      line(p, i, j, count, values);
      if (i / b == j / b) {
        for (u32 k = 0; k < count; ++k) to.values[blocks_index(j + k, i, b) - to.origin] = values[k];
      }
      j += count;
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
    if (layout == DistanceLayout::blocks) {
      for (u32 i = t.row0; i < t.row1; ++i) row_of_blocks(p, i, t.col0, t.diagonal ? i + 1 : t.col1, to);
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

// Tiles of sphere overlaps: one row broadcast against vectors of columns. Near pairs are rare, so the list kernel scans
// mask bits only for vectors with one, and decides in float64.

#include "sim/laws/overlap.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace {

/// kFlat: of intervals on the x axis.
template <bool kFlat, class D, class Real = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE hn::Mask<D> overlaps(const law_space::Overlap<Real>& law, const law_space::Body<V>& row,
                                const law_space::Body<V>& column) {
  if constexpr (kFlat) return hn::Le(hn::Abs(hn::Sub(column.x, row.x)), hn::Add(row.r, column.r));
  return law(SimdMath<D, true>{}, row, column);
}

template <class Real>
HWY_INLINE law_space::Body<Real> sphere(const BodyView<Real>& b, u32 i) {
  return {b.x[i], b.y[i], b.z[i], 0, b.r[i], 0, 0, 0, 0};
}

template <class Real, bool kFlat>
u64 count_tile(const BodyView<Real>& bodies, const PairTile& t) {
  using Law = law_space::Overlap<Real>;
  using D = hn::ScalableTag<Real>;
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  u64 total = 0;
  for (u32 row = t.row0; row < t.row1; ++row) {
    const auto one = broadcast_body<Law>(d, bodies, row);
    const std::size_t count = t.diagonal ? row - t.col0 : t.col1 - t.col0;
    // A hit is -1 as a mask's integer: subtracting masks counts without leaving the registers.
    const hn::RebindToSigned<D> di;
    auto hits = hn::Zero(di);
    std::size_t c = 0;
    for (; c + lanes <= count; c += lanes) {
      const auto mask = overlaps<kFlat, D>(Law{}, one, load_bodies<Law>(d, bodies, t.col0 + c));
      hits = hn::Sub(hits, hn::BitCast(di, hn::VecFromMask(d, mask)));
    }
    if (c < count) {
      const auto mask =
          hn::And(hn::FirstN(d, count - c), overlaps<kFlat, D>(Law{}, one, load_bodies<Law>(d, bodies, t.col0 + c)));
      hits = hn::Sub(hits, hn::BitCast(di, hn::VecFromMask(d, mask)));
    }
    total += static_cast<u64>(hn::GetLane(hn::SumOfLanes(di, hits)));
  }
  return total;
}

template <class Real>
void list_tile(const BodyView<Real>& bodies, const Box& box, const PairTile& t, std::vector<IndexPair>& pairs) {
  using Law = law_space::Overlap<Real>;
  const Law law{law_space::NearestImage<Real>(box)};
  using D = hn::ScalableTag<Real>;
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  for (u32 row = t.row0; row < t.row1; ++row) {
    const auto one = broadcast_body<Law>(d, bodies, row);
    const std::size_t count = t.diagonal ? row - t.col0 : t.col1 - t.col0;
    for (std::size_t c = 0; c < count; c += lanes) {
      const std::size_t valid = count - c < lanes ? count - c : lanes;
      const auto mask = law.near(SimdMath<D, true>{}, one, load_bodies<Law>(d, bodies, t.col0 + c));
      if (hn::AllFalse(d, mask)) continue;
      u8 bits[16] = {};
      hn::StoreMaskBits(d, mask, bits);
      for (std::size_t lane = 0; lane < valid; ++lane) {
        const u32 column = t.col0 + static_cast<u32>(c + lane);
        if (((bits[lane / 8] >> (lane % 8)) & 1) == 0) continue;
        if (law.touches(sphere(bodies, row), sphere(bodies, column))) pairs.emplace_back(row, column);
      }
    }
  }
}

}  // namespace

constexpr auto& count_f32 = count_tile<float, false>;
constexpr auto& count_f64 = count_tile<double, false>;
constexpr auto& count_flat_f32 = count_tile<float, true>;
constexpr auto& count_flat_f64 = count_tile<double, true>;
constexpr auto& list_f32 = list_tile<float>;
constexpr auto& list_f64 = list_tile<double>;

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tri::cpu {

HWY_EXPORT(count_f32);
HWY_EXPORT(count_f64);
HWY_EXPORT(count_flat_f32);
HWY_EXPORT(count_flat_f64);
HWY_EXPORT(list_f32);
HWY_EXPORT(list_f64);

u64 overlap_tile_count(const BodyView<float>& bodies, const PairTile& tile, bool flat) {
  if (flat) return HWY_DYNAMIC_DISPATCH(count_flat_f32)(bodies, tile);
  return HWY_DYNAMIC_DISPATCH(count_f32)(bodies, tile);
}

u64 overlap_tile_count(const BodyView<double>& bodies, const PairTile& tile, bool flat) {
  if (flat) return HWY_DYNAMIC_DISPATCH(count_flat_f64)(bodies, tile);
  return HWY_DYNAMIC_DISPATCH(count_f64)(bodies, tile);
}

void overlap_tile_list(const BodyView<float>& bodies, const Box& box, const PairTile& tile,
                       std::vector<IndexPair>& pairs) {
  HWY_DYNAMIC_DISPATCH(list_f32)(bodies, box, tile, pairs);
}

void overlap_tile_list(const BodyView<double>& bodies, const Box& box, const PairTile& tile,
                       std::vector<IndexPair>& pairs) {
  HWY_DYNAMIC_DISPATCH(list_f64)(bodies, box, tile, pairs);
}

}  // namespace tri::cpu
#endif
