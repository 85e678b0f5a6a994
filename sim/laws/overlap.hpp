#if defined(TRI_LAWS_OVERLAP_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_LAWS_OVERLAP_HPP
#undef TRI_LAWS_OVERLAP_HPP
#else
#define TRI_LAWS_OVERLAP_HPP
#endif
/// Whether two spheres overlap or touch: |d|^2 <= (R_i + R_j)^2. The test of `compute collisions` and of the bench
/// kernel `collision`; it yields a mask and no sum. d is to the nearest image if the box is periodic.
///
/// Every product is rounded separately and the sum taken in the order x, y, z: all backends, maps and tile sides then
/// agree in the same precision, even for spheres that just touch.
///
/// Pairs that are listed pass two tests: near(), in the precision of the bodies, which lets through all that touch and
/// few others, and then touches(), in float64, which decides. So float32 spheres that just touch do (their differences
/// are exact there, and SciPy's query_pairs() agrees), and no square leaves the range.

#include "sim/laws/law_basics.hpp"
#include "sim/laws/law_region.hpp"
#include "sim/laws/nearest_image.hpp"
#include "sim/laws/terms.hpp"

TRI_LAWS_BEGIN

template <class Real>
struct Overlap {
  static constexpr u32 kUses = kRadius;
  static constexpr const char* kName = "overlap";

  NearestImage<Real> image;  ///< open space unless given

  template <class M, class V = typename M::Value>
  TRI_HD TRI_INLINE typename M::Mask operator()(M, const Body<V>& i, const Body<V>& j) const {
    V dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
    image(M{}, dx, dy, dz);
    const V reach = i.r + j.r;
    const V xy = M::mul_rounded(dx, dx) + M::mul_rounded(dy, dy);
    return M::less_equal(xy + M::mul_rounded(dz, dz), M::mul_rounded(reach, reach));
  }

  /// True for every pair that touches(), however its squares round, vanish or overflow.
  template <class M, class V = typename M::Value>
  TRI_HD TRI_INLINE typename M::Mask near(M, const Body<V>& i, const Body<V>& j) const {
    V dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
    image(M{}, dx, dy, dz);
    V reach = i.r + j.r;
    if (image.periodic) reach = reach + M::set(image.slack);
    const V square = M::mul_add(dz, dz, M::mul_add(dy, dy, dx * dx));
    return M::less_equal(square, M::mul_add(reach * reach, M::set(1 + 4e-6), M::set(kMinSquare)));
  }

  /// The decision, for one pair of bodies, or of anything else with a place and a radius.
  template <class I, class J>
  TRI_HD bool touches(const I& i, const J& j) const {
    if constexpr (sizeof(Real) == 4) {  // float64 holds the squares, whatever their size
      double square = squared(difference(i.x, j.x, 0));
      square += squared(difference(i.y, j.y, 1));
      square += squared(difference(i.z, j.z, 2));
      return square <= squared(static_cast<double>(i.r) + static_cast<double>(j.r));
    } else {
      double d[3] = {difference(i.x, j.x, 0), difference(i.y, j.y, 1), difference(i.z, j.z, 2)};
      double reach = i.r + j.r, most = reach;
      for (const double along : d) most = most > size(along) ? most : size(along);
      const double scale = most > 0x1p500 ? 0x1p-600 : most < 0x1p-480 ? 0x1p600 : 1.0;  // exact
      d[0] *= scale, d[1] *= scale, d[2] *= scale, reach *= scale;
      return squared(d[0]) + squared(d[1]) + squared(d[2]) <= squared(reach);
    }
  }

 private:
  /// Some four of the smallest normal numbers, which is what underflow can take from a sum of squares.
  static constexpr double kMinSquare = sizeof(Real) == 4 ? 0x1p-124 : 0x1p-1020;

  static TRI_HD TRI_INLINE double squared(double v) { return rounded::mul(v, v); }
  static TRI_HD TRI_INLINE double size(double v) { return v < 0 ? -v : v; }

  TRI_HD TRI_INLINE double difference(Real a, Real b, int axis) const {
    const double d = static_cast<double>(b) - static_cast<double>(a);
    if (!image.periodic) return d;
    const double side = static_cast<double>(image.side[axis]), half = side / 2;
    return d > half ? d - side : d < -half ? d + side : d;
  }
};

TRI_LAWS_END
#endif
