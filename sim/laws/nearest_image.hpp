#if defined(TRI_LAWS_NEAREST_IMAGE_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_LAWS_NEAREST_IMAGE_HPP
#undef TRI_LAWS_NEAREST_IMAGE_HPP
#else
#define TRI_LAWS_NEAREST_IMAGE_HPP
#endif
/// The nearest image of a body under periodic walls: subtracts or adds a side of the box if a difference of positions
/// exceeds half a side. Both positions are in the box or next to it, so one side is enough. A difference and its
/// negative have opposite images, bit for bit, so Newton's third law holds as exactly as in open space.
///
/// With other walls a difference is unchanged. The choice is data, tested once per pair: a branch that always goes the
/// same way.

#include "sim/laws/law_basics.hpp"
#include "sim/laws/law_region.hpp"

TRI_LAWS_BEGIN

template <class Real>
struct NearestImage {
  Real side[3] = {0, 0, 0};
  Real half[3] = {0, 0, 0};
  Real slack = 0;  ///< bounds what rounding does to the difference of two positions across a wall
  bool periodic = false;

  NearestImage() = default;
  explicit NearestImage(const Box& box) : periodic(box.boundary == Boundary::periodic) {
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      // As in wrap() (wall.hpp): the box has the rounded walls.
      side[axis] = static_cast<Real>(box.high[a]) - static_cast<Real>(box.low[a]);
      half[axis] = side[axis] / 2;
      const Real rounding = side[axis] * (sizeof(Real) == 4 ? Real(0x1p-22) : Real(0x1p-51));
      if (periodic && rounding > slack) slack = rounding;
    }
  }

  /// M is the arithmetic, V its number type.
  template <class M, class V = typename M::Value>
  TRI_HD TRI_INLINE void operator()(M, V& dx, V& dy, V& dz) const {
    if (!periodic) return;
    dx = nearest(M{}, dx, 0);
    dy = nearest(M{}, dy, 1);
    dz = nearest(M{}, dz, 2);
  }

 private:
  template <class M, class V = typename M::Value>
  TRI_HD TRI_INLINE V nearest(M, V d, int axis) const {
    const V whole = M::set(side[axis]), most = M::set(half[axis]);
    const V above = M::only_if(M::less(most, d), whole);
    const V below = M::only_if(M::less(d, M::set(0.0) - most), whole);
    return (d - above) + below;
  }
};

/// A difference as this law uses it; gravity has no images.
template <class Law, class M, class V = typename M::Value>
TRI_HD TRI_INLINE void to_nearest(const Law& law, M, V& dx, V& dy, V& dz) {
  if constexpr (requires { law.image; }) law.image(M{}, dx, dy, dz);
}

TRI_LAWS_END
#endif
