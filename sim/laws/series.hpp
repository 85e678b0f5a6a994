#pragma once
/// Series of gravity about the centres of two clouds, in Cartesian coordinates, of any total order up to kMaxOrder.
///
/// A cloud B of masses m_j at b + w_j acts on a body at a + v of a cloud A, R = a - b, through
///
///     sum_j m_j g(R + v - w_j) = sum_k L_k v^k / k!,    L_k = sum_l D_(k+l)(R) M_l,    M_l = sum_j m_j (-w_j)^l / l!
///
/// over multi-indices k and l with |k| + |l| <= order; g(R) = (R.R + eps^2)^(-1/2), and D_k are its derivatives. The
/// acceleration is the gradient of that sum. Since D_k(-R) = (-1)^|k| D_k(R) to the bit, and the sums of both
/// directions end at the same total order, the forces of A on B and of B on A are opposite to rounding (Dehnen 2002, J.
/// Comput. Phys. 179, 27, section 3). Derivatives by the recurrence of Duan and Krasny (2001, J. Comput. Chem. 22,
/// 184), which holds with softening.
///
/// Multi-indices are in order of their degree n = x + y + z, then of falling x, then of falling y. In that order the
/// sums k + l of a fixed k with all l of one degree and one x lie next to each other, so that kernels need no tables.
///
/// Also which clouds are far enough from each other, and which order serves.

#include <array>
#include <cmath>

#include "sim/base/platform.hpp"

namespace tri::tree {

inline constexpr u32 kMaxOrder = 10;

/// Multi-indices of a degree below n.
TRI_HD constexpr u32 terms_below(u32 n) { return n * (n + 1) * (n + 2) / 6; }
/// Multi-indices of a degree of n at most.
TRI_HD constexpr u32 terms_to(u32 n) { return terms_below(n + 1); }
/// Those of the same degree and a larger x, where y and z come to `rest`.
TRI_HD constexpr u32 terms_before(u32 rest) { return rest * (rest + 1) / 2; }

inline constexpr u32 kMaxTerms = terms_to(kMaxOrder);

TRI_HD constexpr u32 term_index(u32 x, u32 y, u32 z) { return terms_below(x + y + z) + terms_before(y + z) + z; }

struct Term {
  u8 x = 0, y = 0, z = 0;
  constexpr u32 degree() const { return u32{x} + y + z; }
};

/// All of them, in their order.
inline constexpr std::array<Term, kMaxTerms> kTerms = [] {
  std::array<Term, kMaxTerms> terms{};
  u32 i = 0;
  for (u32 n = 0; n <= kMaxOrder; ++n) {
    for (u32 rest = 0; rest <= n; ++rest) {
      for (u32 z = 0; z <= rest; ++z) {
        terms[i++] = {static_cast<u8>(n - rest), static_cast<u8>(rest - z), static_cast<u8>(z)};
      }
    }
  }
  return terms;
}();

/// How far two clouds are apart whose series are taken: their radii count less than this share of the distance.
inline constexpr double kFarShare = 0.9;
/// Series of a lower order leave out much that has the same sign in all of them.
inline constexpr u32 kMinOrder = 2;

/// What a series of order p leaves out of the acceleration that one cloud makes in another is about ((|v| + |w|) / R)^p
/// of it, averaged over the bodies at a + v and b + w. That is p! sum_k A_k B_(p-k), where A_k is the mean of
/// (|v| / R)^k / k!. (A bound by radii puts all bodies as far out as the last one. Dehnen 2014, Comput. Astrophys.
/// Cosmol. 1, 1, section 3, goes by moments.)
///
/// to: A_k, k <= kMax. means: [k - 1] is that of (|v| / radius)^k, times alignment(). share: the radius in units of R.
template <u32 kMax, class Real>
TRI_HD constexpr void scale_means(const Real* means, Real share, Real (&to)[kMax + 1]) {
  Real power = to[0] = 1;
  for (u32 k = 1; k <= kMax; ++k) {
    power *= share * (Real(1) / static_cast<Real>(k));
    to[k] = means[k - 1] * power;
  }
}

/// What the means of a cloud on a line or in a plane are multiplied by: there, angles between v, w and R do not average
/// out. x2 to zx: sums of products of the coordinates of its bodies, about its centre.
template <class Real>
TRI_HD constexpr Real alignment(Real x2, Real y2, Real z2, Real xy, Real yz, Real zx) {
  const Real trace = x2 + y2 + z2;
  if (!(trace > 0)) return 1;
  // 0 for a ball, 1/4 for a disc, 1 for a line.
  const Real flat =
      Real(1.5) * (x2 * x2 + y2 * y2 + z2 * z2 + 2 * (xy * xy + yz * yz + zx * zx)) / (trace * trace) - Real(0.5);
  return 1 + flat * (1 + 2 * flat);
}

/// Errors of many pairs of nodes add up, and there are more of them in larger clouds: by how much less the error of
/// each must be than for kShareBodies bodies. (Measured: rms errors grow as n^0.2.)
inline constexpr double kShareBodies = 65536;
inline double share_for(double n) { return n > kShareBodies ? std::pow(n / kShareBodies, -0.2) : 1.0; }

/// The least order from kMinOrder to `highest` <= kMax that leaves out no more than `allowed`, or 0.
template <u32 kMax, class Real>
TRI_HD constexpr u32 least_order(const Real (&a)[kMax + 1], const Real (&b)[kMax + 1], Real allowed, u32 highest) {
  Real factorial = 1;
  for (u32 p = 1; p <= kMax; ++p) {
    factorial *= static_cast<Real>(p);
    Real sum = 0;
    for (u32 k = 0; k <= p; ++k) sum += a[k] * b[p - k];
    if (p >= kMinOrder && p <= highest && factorial * sum <= allowed) return p;
  }
  return 0;
}

}  // namespace tri::tree
