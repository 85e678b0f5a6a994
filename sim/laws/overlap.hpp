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

#include "sim/laws/law_region.hpp"
#include "sim/laws/nearest_image.hpp"
#include "sim/laws/terms.hpp"
#include "sim/laws/uses.hpp"

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
};

TRI_LAWS_END
#endif
