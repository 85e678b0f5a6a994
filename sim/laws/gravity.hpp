#if defined(TRI_LAWS_GRAVITY_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_LAWS_GRAVITY_HPP
#undef TRI_LAWS_GRAVITY_HPP
#else
#define TRI_LAWS_GRAVITY_HPP
#endif
/// Newtonian gravity with Plummer softening:
///
///     a_i += G m_j d / (d.d + eps^2)^(3/2),   U = -G m_i m_j / sqrt(d.d + eps^2),   d = r_j - r_i
///
/// Units are the scene's (G = 1 unless set). With eps = 0 two bodies at the same position yield an infinite term, which
/// the backends report with the body's index.

#include "sim/laws/law_region.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/laws/terms.hpp"
#include "sim/laws/uses.hpp"

TRI_LAWS_BEGIN

template <class Real>
struct Gravity {
  static constexpr u32 kUses = kMass;
  static constexpr Sums kSums = Sums::acceleration;
  static constexpr bool kCentral = true;
  static constexpr const char* kName = "gravity";

  Real G;
  Real eps2;

  explicit Gravity(const GravityParams& p)
      : G(static_cast<Real>(p.G)), eps2(static_cast<Real>(p.softening * p.softening)) {}

  /// Takes G out and returns it, for backends that multiply it into the masses once per body.
  TRI_HD Real take_mass_factor() {
    const Real factor = G;
    G = Real(1);
    return factor;
  }

  /// The term of the pair (i, j), i != j. M is the arithmetic, V its number type.
  template <class M, class V = typename M::Value>
  TRI_HD TRI_INLINE PairTerm<V> operator()(M, const Body<V>& i, const Body<V>& j) const {
    const V dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
    const V r2 = M::mul_add(dz, dz, M::mul_add(dy, dy, M::mul_add(dx, dx, M::set(eps2))));
    const V inv = M::rsqrt(r2);
    const V g_inv = M::set(G) * inv;
    const V s = g_inv * (inv * inv);
    return {s * dx, s * dy, s * dz, (M::set(0.0) - g_inv) * (i.m * j.m)};
  }

  /// The term divided by d, for backends that fuse the products with dx, dy, dz into their sums.
  template <class M, class V = typename M::Value>
  TRI_HD TRI_INLINE V strength(M, V dx, V dy, V dz) const {
    return M::set(G) * M::rsqrt_cubed(M::mul_add(dz, dz, M::mul_add(dy, dy, M::mul_add(dx, dx, M::set(eps2)))));
  }
};

TRI_LAWS_END
#endif
