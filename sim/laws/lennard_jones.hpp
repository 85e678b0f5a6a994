#if defined(TRI_LAWS_LENNARD_JONES_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_LAWS_LENNARD_JONES_HPP
#undef TRI_LAWS_LENNARD_JONES_HPP
#else
#define TRI_LAWS_LENNARD_JONES_HPP
#endif
/// The 12-6 potential of simple liquids (Lennard-Jones 1924), with a plain cut-off:
///
///     U(r) = 4 eps [(s/r)^12 - (s/r)^6] - U_shift    for r < cutoff (everywhere when cutoff = 0), else 0
///     F_i  = -24 eps [2 (s/r)^12 - (s/r)^6] d / r^2,   d = r_j - r_i
///
/// U_shift = U(cutoff) when `shifted`, else 0: the force is the same, and the energy then has no step. Reduced units by
/// default (eps = s = 1). d is to the nearest image if the box is periodic. The minimum of the potential, -eps, is at r
/// = 2^(1/6) s.
///
/// Range: float32 can represent (s/r)^12 down to r = 7e-4 s. Below that, and at r = 0, the term is infinite or NaN,
/// which the backends report with the body's index.

#include <limits>

#include "sim/laws/law_basics.hpp"
#include "sim/laws/law_region.hpp"
#include "sim/laws/nearest_image.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/laws/terms.hpp"

TRI_LAWS_BEGIN

template <class Real>
struct LennardJones {
  static constexpr u32 kUses = kPosition;
  static constexpr Sums kSums = Sums::force;
  static constexpr bool kCentral = true;
  static constexpr const char* kName = "lennard-jones";

  Real sigma2;
  Real epsilon4;  ///< 4 eps
  Real cutoff2;   ///< the largest number if there is none
  Real shift;     ///< U(cutoff), or 0
  NearestImage<Real> image;

  explicit LennardJones(const LennardJonesParams& p, const Box& box = {})
      : sigma2(static_cast<Real>(p.sigma * p.sigma)),
        epsilon4(static_cast<Real>(4.0 * p.epsilon)),
        cutoff2(p.cutoff > 0 ? static_cast<Real>(p.cutoff * p.cutoff) : std::numeric_limits<Real>::max()),
        shift(static_cast<Real>(energy_at_cutoff(p))),
        image(box) {}

  /// The term of the pair (i, j), i != j. M is the arithmetic, V its number type.
  template <class M, class V = typename M::Value>
  TRI_HD TRI_INLINE PairTerm<V> operator()(M, const Body<V>& i, const Body<V>& j) const {
    V dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
    image(M{}, dx, dy, dz);
    const V r2 = M::mul_add(dz, dz, M::mul_add(dy, dy, dx * dx));
    const V inv2 = M::reciprocal(r2);
    const V s2 = M::set(sigma2) * inv2;
    const V s6 = s2 * (s2 * s2);
    const V e6 = M::set(epsilon4) * s6;
    const auto near = M::less(r2, M::set(cutoff2));
    // 24 eps (s6 - 2 s12) / r^2 along d: negative, hence away from j, where the cores overlap.
    const V attraction = e6 * M::neg_mul_add(M::set(12.0), s6, M::set(6.0));
    const V s = M::only_if(near, attraction * inv2);
    const V energy = M::only_if(near, M::mul_add(e6, s6, M::set(0.0) - e6) - M::set(shift));
    return {s * dx, s * dy, s * dz, energy};
  }

  /// The term divided by d, for backends that fuse the products with dx, dy, dz into their sums. d is to the nearest
  /// image.
  template <class M, class V = typename M::Value>
  TRI_HD TRI_INLINE V strength(M, V dx, V dy, V dz) const {
    const V r2 = M::mul_add(dz, dz, M::mul_add(dy, dy, dx * dx));
    const V inv2 = M::reciprocal(r2);
    const V s2 = M::set(sigma2) * inv2;
    const V s6 = s2 * (s2 * s2);
    const V attraction = (M::set(epsilon4) * s6) * M::neg_mul_add(M::set(12.0), s6, M::set(6.0));
    return M::only_if(M::less(r2, M::set(cutoff2)), attraction * inv2);
  }

 private:
  static double energy_at_cutoff(const LennardJonesParams& p) {
    if (!p.shifted || p.cutoff <= 0) return 0.0;
    const double s2 = (p.sigma / p.cutoff) * (p.sigma / p.cutoff);
    const double s6 = s2 * s2 * s2;
    return 4.0 * p.epsilon * (s6 * s6 - s6);
  }
};

TRI_LAWS_END
#endif
