#if defined(TRI_CPU_FIXED_POINT_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_CPU_FIXED_POINT_HPP
#undef TRI_CPU_FIXED_POINT_HPP
#else
#define TRI_CPU_FIXED_POINT_HPP
#endif
/// Conversion of vectors to 64-bit fixed point, once per SIMD target.
///
/// No target below AVX-512 converts float64 to int64, so the kernels add 1.5 * 2^52 to v * scale: in that range float64
/// has steps of exactly 1, the low bits are the rounded integer (ties to even), and subtracting the bits of 1.5 * 2^52
/// as integers leaves it, for |v * scale| < 2^51. scale is a power of two, so the product is exact and a fused
/// multiply-add gives the same bits as a separate one.

#include "hwy/highway.h"
#include "sim/base/platform.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Full-width float64 and int64 vectors, and vectors of Real with as many lanes.
template <class Real>
struct FixedPoint {
  using DWide = hn::ScalableTag<double>;
  using DInt = hn::RebindToSigned<DWide>;
  using D = hn::Rebind<Real, DWide>;
  using V = hn::Vec<D>;
  using VInt = hn::Vec<DInt>;
  using DBits = hn::RebindToSigned<D>;
  using VBits = hn::Vec<DBits>;

  hn::Vec<DWide> scale;

  explicit HWY_INLINE FixedPoint(double s) : scale(hn::Set(DWide{}, s)) {}

  static HWY_INLINE hn::Vec<DWide> widen(V v) {
    if constexpr (sizeof(Real) == 4) {
      return hn::PromoteTo(DWide{}, v);
    } else {
      return v;
    }
  }

  HWY_INLINE VInt operator()(V v) const {
    const DWide d;
    const auto magic = hn::Set(d, 6755399441055744.0);
    const auto shifted = hn::MulAdd(widen(v), scale, magic);
    return hn::Sub(hn::BitCast(DInt{}, shifted), hn::BitCast(DInt{}, magic));
  }

  /// The bits of |v|, which order like the numbers, with infinity and NaN above all of them.
  static HWY_INLINE VBits magnitude_bits(V v) { return hn::BitCast(DBits{}, hn::Abs(v)); }

  static u64 greatest(VBits v) {
    hn::TFromD<DBits> lanes[16];
    hn::StoreU(v, DBits{}, lanes);
    u64 result = 0;
    for (std::size_t lane = 0; lane < hn::Lanes(DBits{}); ++lane) {
      if (static_cast<u64>(lanes[lane]) > result) result = static_cast<u64>(lanes[lane]);
    }
    return result;
  }
};

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
