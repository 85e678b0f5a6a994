#if defined(TRI_LAWS_CONTACT_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_LAWS_CONTACT_HPP
#undef TRI_LAWS_CONTACT_HPP
#else
#define TRI_LAWS_CONTACT_HPP
#endif
/// Soft contact of spheres of any radii and masses: the linear spring-dashpot of Cundall and Strack 1979,
///
///     h = R_i + R_j - |d|  (overlap),  n = d / |d|,  u = v_j - v_i,  u_n = u.n,     d = r_j - r_i
///     F_i = -(k h - c u_n) n + g (u - u_n n)     for h > 0, else 0;      U = k h^2 / 2
///
/// k stiffness, c normal damping, g tangential (shear) damping. The dashpot acts as long as the spheres overlap, so it
/// may pull just before they separate; a head-on contact then has exactly the restitution of the damped oscillator. d
/// is to the nearest image if the box is periodic.
/// Spheres do not spin: with g > 0 energy and angular momentum decrease; momentum is conserved.
///
/// With |d| = 0 there is no normal: the spring and the normal dashpot then yield no force (the energy is still k h^2 /
/// 2), and all of u counts as tangential. This applies to |d| whose square is below the smallest normal number: 1e-19
/// in float32, 1e-154 in float64.
///
/// Under `impulse` the law yields zero; see contact_impulse.hpp. Backends need not sum it then.

#include "sim/laws/law_basics.hpp"
#include "sim/laws/law_region.hpp"
#include "sim/laws/nearest_image.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/laws/terms.hpp"

TRI_LAWS_BEGIN

template <class Real>
struct Contact {
  static constexpr u32 kUses = kRadius | kVelocity;
  static constexpr Sums kSums = Sums::force;
  static constexpr bool kCentral = false;  ///< the dashpots also act across d
  static constexpr const char* kName = "contact";

  Real stiffness;
  Real damping;
  Real shear;
  NearestImage<Real> image;

  explicit Contact(const ContactParams& p, const Box& box = {})
      : stiffness(static_cast<Real>(p.impulse ? 0.0 : p.stiffness)),
        damping(static_cast<Real>(p.impulse ? 0.0 : p.damping)),
        shear(static_cast<Real>(p.impulse ? 0.0 : p.shear)),
        image(box) {}

  /// The term of the pair (i, j), i != j. M is the arithmetic, V its number type.
  template <class M, class V = typename M::Value>
  TRI_HD TRI_INLINE PairTerm<V> operator()(M, const Body<V>& i, const Body<V>& j) const {
    V dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
    image(M{}, dx, dy, dz);
    const V r2 = M::mul_add(dz, dz, M::mul_add(dy, dy, dx * dx));
    const V reach = i.r + j.r;
    // Compares squares, not |d| with the reach: consistent for spheres that only touch, and needs no root.
    const auto overlap = M::less(r2, reach * reach);

    // Kept off zero, so that n is 0 and not NaN for coincident centres.
    const V inv = M::rsqrt(M::max(r2, M::set(kMinSquare)));
    const V nx = dx * inv, ny = dy * inv, nz = dz * inv;
    const V h = reach - r2 * inv;

    const V ux = j.vx - i.vx, uy = j.vy - i.vy, uz = j.vz - i.vz;
    const V un = M::mul_add(uz, nz, M::mul_add(uy, ny, ux * nx));
    const V g = M::set(shear);
    const V kh = M::set(stiffness) * h;
    // -(k h - c u_n) n + g (u - u_n n) = g u + ((c - g) u_n - k h) n
    const V along = M::mul_add(M::set(damping) - g, un, M::set(0.0) - kh);
    return {M::only_if(overlap, M::mul_add(along, nx, g * ux)), M::only_if(overlap, M::mul_add(along, ny, g * uy)),
            M::only_if(overlap, M::mul_add(along, nz, g * uz)), M::only_if(overlap, M::set(0.5) * (kh * h))};
  }

 private:
  static constexpr double kMinSquare = sizeof(Real) == 4 ? 0x1p-126 : 0x1p-1022;
};

TRI_LAWS_END
#endif
