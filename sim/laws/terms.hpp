#if defined(TRI_LAWS_TERMS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_LAWS_TERMS_HPP
#undef TRI_LAWS_TERMS_HPP
#else
#define TRI_LAWS_TERMS_HPP
#endif
/// Input and output of a law. V is a number: float, double, or a vector of them.

#include "sim/base/platform.hpp"
#include "sim/laws/law_region.hpp"

TRI_LAWS_BEGIN

/// A body as a law sees it. A backend fills only what the law uses (kUses); the rest is zero.
template <class V>
struct Body {
  V x, y, z;     ///< position
  V m;           ///< mass
  V r;           ///< radius
  V vx, vy, vz;  ///< velocity
  V q;           ///< charge
};

/// The term of a pair. (fx, fy, fz) acts on body i, its opposite on body j, each times the law's weight: for gravity
/// the other body's mass (the sum is an acceleration), otherwise 1 (the sum is a force).
template <class V>
struct PairTerm {
  V fx, fy, fz;
  V potential;  ///< energy of the pair
};

/// The term of a triple: forces on i and j; k gets the opposite of their sum.
template <class V>
struct TripleTerm {
  V fix, fiy, fiz;
  V fjx, fjy, fjz;
  V potential;
};

TRI_LAWS_END
#endif
