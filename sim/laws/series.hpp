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

#include <array>

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

/// v^k / k! for all k up to a degree of `order`. to: [terms_to(order)].
template <class V>
constexpr void scaled_powers(const V& x, const V& y, const V& z, u32 order, V* to) {
  to[0] = V(1);
  for (u32 i = 1; i < terms_to(order); ++i) {
    const auto [a, b, c] = kTerms[i];
    if (a > 0) {
      to[i] = to[term_index(a - 1, b, c)] * x * (1.0 / a);
    } else if (b > 0) {
      to[i] = to[term_index(a, b - 1, c)] * y * (1.0 / b);
    } else {
      to[i] = to[term_index(a, b, c - 1)] * z * (1.0 / c);
    }
  }
}

/// Adds the moments of a cloud about a point at `shift` from its own centre (new centre minus old one).
inline void add_shifted_moments(const double* from, const double (&shift)[3], u32 order, double* to) {
  double power[kMaxTerms];
  scaled_powers(shift[0], shift[1], shift[2], order, power);
  for (u32 i = 0; i < terms_to(order); ++i) {
    const auto [x, y, z] = kTerms[i];
    double sum = 0;
    for (u32 a = 0; a <= x; ++a) {
      for (u32 b = 0; b <= y; ++b) {
        for (u32 c = 0; c <= z; ++c) sum += power[term_index(a, b, c)] * from[term_index(x - a, y - b, z - c)];
      }
    }
    to[i] += sum;
  }
}

/// Adds the field L about a point at `shift` from its own centre.
inline void add_shifted_field(const double* from, const double (&shift)[3], u32 order, double* to) {
  double power[kMaxTerms];
  scaled_powers(shift[0], shift[1], shift[2], order, power);
  for (u32 i = 0; i < terms_to(order); ++i) {
    const auto [x, y, z] = kTerms[i];
    double sum = 0;
    for (u32 n = 0; n + kTerms[i].degree() <= order; ++n) {
      for (u32 j = terms_below(n); j < terms_to(n); ++j) {
        sum += power[j] * from[term_index(x + kTerms[j].x, y + kTerms[j].y, z + kTerms[j].z)];
      }
    }
    to[i] += sum;
  }
}

}  // namespace tri::tree
