#if defined(TRI_LAWS_AXILROD_TELLER_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_LAWS_AXILROD_TELLER_HPP
#undef TRI_LAWS_AXILROD_TELLER_HPP
#else
#define TRI_LAWS_AXILROD_TELLER_HPP
#endif
/// The triple-dipole potential of Axilrod and Teller (J. Chem. Phys. 11, 299, 1943):
///
///     E = nu [Q^(-3/2) + (3/8)(a+b-c)(b+c-a)(c+a-b) Q^(-5/2)],    Q = abc
///       = nu (1 + 3 cos cos cos) / (r_ij r_jk r_ki)^3,
///
/// a = |r_ij|^2, b = |r_jk|^2, c = |r_ki|^2. Units: nu is energy x length^9; reduced nu = 0.072 is argon.
///
/// By the law of cosines the three factors are twice the scalar products of neighbouring sides,
///
///     a+b-c = 2U, U = -(r_ij . r_jk);   b+c-a = 2V, V = -(r_jk . r_ki);   c+a-b = 2W, W = -(r_ki . r_ij),
///
/// which keeps the digits that subtracting squares would lose in a flat triangle. With A = 1/a, B = 1/b, C = 1/c, p =
/// (ABC)^(1/2) = Q^(-1/2) and t = UVW p^2 (the product of the cosines, in [-1, 1/8]):
///
///     E         = nu p^3 (1 + 3 t)
///     2 dE/da   = 3 nu p^3 [(VW - UW + UV) p^2 - A (1 + 5 t)],   and cyclic
///     F_i = 2 (E_a r_ij - E_c r_ki),  F_j = 2 (E_b r_jk - E_a r_ij),  F_k = -(F_i + F_j)
///
/// No power beyond p^3 and L^6 occurs, and every division is a reciprocal root of one side. Range in float32, for sides
/// of order L: 5e-4 < L < 2.8e3 with nu of order 1; below it the result itself overflows, above it underflows to
/// denormal numbers and zero. Coincident bodies yield infinity or NaN, which the backends report with the body's index.

#include "sim/laws/law_basics.hpp"
#include "sim/laws/law_region.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/laws/terms.hpp"

TRI_LAWS_BEGIN

template <class Real>
struct AxilrodTeller {
  static constexpr u32 kUses = kPosition;
  static constexpr Sums kSums = Sums::force;
  static constexpr const char* kName = "axilrod-teller";

  Real nu;

  explicit AxilrodTeller(const AxilrodTellerParams& p) : nu(static_cast<Real>(p.nu)) {}

  /// The term of the triple (i, j, k), all different. M is the arithmetic, V its number type.
  template <class M, class V = typename M::Value>
  TRI_HD TRI_INLINE TripleTerm<V> operator()(M, const Body<V>& i, const Body<V>& j, const Body<V>& k) const {
    // Sides, each from the first body to the second: ij, jk, ki.
    const V ijx = j.x - i.x, ijy = j.y - i.y, ijz = j.z - i.z;
    const V jkx = k.x - j.x, jky = k.y - j.y, jkz = k.z - j.z;
    const V kix = i.x - k.x, kiy = i.y - k.y, kiz = i.z - k.z;
    const V ra = M::rsqrt(M::mul_add(ijz, ijz, M::mul_add(ijy, ijy, ijx * ijx)));
    const V rb = M::rsqrt(M::mul_add(jkz, jkz, M::mul_add(jky, jky, jkx * jkx)));
    const V rc = M::rsqrt(M::mul_add(kiz, kiz, M::mul_add(kiy, kiy, kix * kix)));

    // The negatives of U, V, W: the signs cancel in the pairwise products; only t changes sign.
    const V u = M::mul_add(ijz, jkz, M::mul_add(ijy, jky, ijx * jkx));
    const V v = M::mul_add(jkz, kiz, M::mul_add(jky, kiy, jkx * kix));
    const V w = M::mul_add(kiz, ijz, M::mul_add(kiy, ijy, kix * ijx));
    const V uv = u * v, vw = v * w, wu = w * u;

    const V p = (ra * rb) * rc;
    const V p2 = p * p;
    const V t = (uv * w) * p2;  // minus the product of the cosines
    const V strength = (M::set(nu) * p) * p2;
    const V energy = strength * M::neg_mul_add(M::set(3.0), t, M::set(1.0));

    const V strength3 = M::set(3.0) * strength;
    const V q = M::neg_mul_add(M::set(5.0), t, M::set(1.0));
    const V ea = strength3 * M::neg_mul_add(ra * ra, q, ((vw - wu) + uv) * p2);
    const V eb = strength3 * M::neg_mul_add(rb * rb, q, ((wu - uv) + vw) * p2);
    const V ec = strength3 * M::neg_mul_add(rc * rc, q, ((uv - vw) + wu) * p2);

    return {M::neg_mul_add(ec, kix, ea * ijx),
            M::neg_mul_add(ec, kiy, ea * ijy),
            M::neg_mul_add(ec, kiz, ea * ijz),
            M::neg_mul_add(ea, ijx, eb * jkx),
            M::neg_mul_add(ea, ijy, eb * jky),
            M::neg_mul_add(ea, ijz, eb * jkz),
            energy};
  }
};

TRI_LAWS_END
#endif
