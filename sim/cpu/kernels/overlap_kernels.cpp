// Tiles of sphere overlaps: one row broadcast against vectors of columns. Near pairs are rare, so the list kernel scans
// mask bits only for vectors with one, and decides in float64.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/kernels/overlap_kernels.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/kernels/compute_kernels.hpp"
#include "sim/cpu/kernels/simd_math.hpp"
#include "sim/cpu/kernels/tile_common.hpp"
#include "sim/laws/overlap.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace {

template <class D, class Real = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE hn::Mask<D> overlaps(const law_space::Overlap<Real>& law, const law_space::Body<V>& row,
                                const law_space::Body<V>& column) {
  return law(SimdMath<D, true>{}, row, column);
}

template <class Real>
HWY_INLINE law_space::Body<Real> sphere(const BodyView<Real>& b, u32 i) {
  return {b.x[i], b.y[i], b.z[i], 0, b.r[i], 0, 0, 0, 0};
}

template <class Real>
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
      const auto mask = overlaps<D>(Law{}, one, load_bodies<Law>(d, bodies, t.col0 + c));
      hits = hn::Sub(hits, hn::BitCast(di, hn::VecFromMask(d, mask)));
    }
    if (c < count) {
      const auto mask =
          hn::And(hn::FirstN(d, count - c), overlaps<D>(Law{}, one, load_bodies<Law>(d, bodies, t.col0 + c)));
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

constexpr auto& count_f32 = count_tile<float>;
constexpr auto& count_f64 = count_tile<double>;
constexpr auto& list_f32 = list_tile<float>;
constexpr auto& list_f64 = list_tile<double>;

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tri::cpu {

HWY_EXPORT(count_f32);
HWY_EXPORT(count_f64);
HWY_EXPORT(list_f32);
HWY_EXPORT(list_f64);

u64 overlap_tile_count(const BodyView<float>& bodies, const PairTile& tile) {
  return HWY_DYNAMIC_DISPATCH(count_f32)(bodies, tile);
}

u64 overlap_tile_count(const BodyView<double>& bodies, const PairTile& tile) {
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
