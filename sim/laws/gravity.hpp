
#if defined(TRI_LAWS_GRAVITY_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_LAWS_GRAVITY_HPP
#undef TRI_LAWS_GRAVITY_HPP
#else
#define TRI_LAWS_GRAVITY_HPP
#endif
/// Gravity, and gravity with its jerk.
///
/// Newtonian gravity with Plummer softening:
///
///     a_i += G m_j d / (d.d + eps^2)^(3/2),   U = -G m_i m_j / sqrt(d.d + eps^2),   d = r_j - r_i
///
/// Units are the scene's (G = 1 unless set). With eps = 0 two bodies at the same position yield an infinite term, which
/// the backends report with the body's index.

#include "sim/laws/law_basics.hpp"
#include "sim/laws/law_region.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/laws/terms.hpp"

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
  TRI_HD Real extract_mass_factor() {
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

#if defined(TRI_LAWS_GRAVITY_JERK_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_LAWS_GRAVITY_JERK_HPP
#undef TRI_LAWS_GRAVITY_JERK_HPP
#else
#define TRI_LAWS_GRAVITY_JERK_HPP
#endif
/// Newtonian gravity with Plummer softening and its time derivative, the jerk (Makino and Aarseth 1992, PASJ 44, 141,
/// eqs. 1 and 2):
///
///     a_i += G m_j d / s^3,   j_i += G m_j [w / s^3 - 3 (d.w) d / s^5],   s^2 = d.d + eps^2,  d = r_j - r_i,  w = v_j
///     - v_i
///
/// and two squared rates of the pair, whose largest values bound the time step: that of its fall, G (m_i + m_j) / s^3,
/// and that of a passage, w.w / s^2 of a pair with mass.

#include "sim/laws/law_region.hpp"
#include "sim/laws/terms.hpp"

TRI_LAWS_BEGIN

/// (ax, ay, az) and (jx, jy, jz) times the mass of j act on body i, their opposites times the mass of i on body j.
template <class V>
struct JerkTerm {
  V ax, ay, az;
  V jx, jy, jz;
  V fall, fly;  ///< squared rates, >= 0
};

template <class Real>
struct GravityJerk {
  static constexpr u32 kUses = kMass | kVelocity;
  static constexpr Sums kSums = Sums::acceleration;
  static constexpr bool kCentral = false;  // the jerk is not along d
  static constexpr const char* kName = "gravity with jerk";

  Real G;
  Real pull;  ///< |G|
  Real eps2;

  explicit GravityJerk(const GravityParams& p)
      : G(static_cast<Real>(p.G)),
        pull(static_cast<Real>(p.G < 0 ? -p.G : p.G)),
        eps2(static_cast<Real>(p.softening * p.softening)) {}

  /// The term of the pair (i, j), i != j. M is the arithmetic, V its number type.
  template <class M, class V = typename M::Value>
  TRI_HD TRI_INLINE JerkTerm<V> operator()(M, const Body<V>& i, const Body<V>& j) const {
    const V dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
    const V wx = j.vx - i.vx, wy = j.vy - i.vy, wz = j.vz - i.vz;
    const V s2 = M::mul_add(dz, dz, M::mul_add(dy, dy, M::mul_add(dx, dx, M::set(eps2))));
    const V w2 = M::mul_add(wz, wz, M::mul_add(wy, wy, wx * wx));
    const V dw = M::mul_add(dz, wz, M::mul_add(dy, wy, dx * wx));
    const V inv = M::rsqrt(s2);
    const V inv2 = inv * inv;
    const V cube = inv * inv2;
    const V strength = M::set(G) * cube;
    const V along = (M::set(3.0) * dw) * inv2;
    const V jx = M::neg_mul_add(along, dx, wx), jy = M::neg_mul_add(along, dy, wy), jz = M::neg_mul_add(along, dz, wz);
    return {strength * dx,
            strength * dy,
            strength * dz,
            strength * jx,
            strength * jy,
            strength * jz,
            (M::set(pull) * cube) * (i.m + j.m),
            M::only_if(M::less(M::set(0.0), i.m + j.m), w2 * inv2)};
  }
};

/// Calls f(law), as visit_pair_law() does, with gravity and its jerk.
template <class Real, class F>
void visit_jerk_law(const ForceField& field, const F& f) {
  f(GravityJerk<Real>(field.gravity));
}

TRI_LAWS_END
#endif
