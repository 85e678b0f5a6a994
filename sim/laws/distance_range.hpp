#pragma once
/// Where the squares of a distance leave the range, long before it does: in float32 those of differences below 1e-19
/// and above 1e19. The root of such a sum is doubtful, and is taken anew, of differences that a power of two has
/// brought nearer to 1.

#include "sim/base/platform.hpp"

namespace tri::laws {

template <class Real>
struct DistanceRange {
  static constexpr bool kFloat = sizeof(Real) == 4;
  /// Roots from here on are of sums whose terms, where they vanished, do not matter.
  static constexpr Real kMin = kFloat ? Real(0x1p-48) : Real(0x1p-480);
  static constexpr Real kMax = kFloat ? Real(0x1.fffffep127) : Real(0x1.fffffffffffffp1023);
  static constexpr Real kUp = kFloat ? Real(0x1p100) : Real(0x1p600);
  static constexpr Real kDown = kFloat ? Real(0x1p-100) : Real(0x1p-600);

  static TRI_HD TRI_INLINE bool is_doubtful(Real root) { return !(root >= kMin && root <= kMax); }

  /// What to multiply differences with, and their root with unscale() of it. 0, infinities and NaN stay what they are.
  static TRI_HD TRI_INLINE Real scale(Real root) { return root < Real(1) ? kUp : kDown; }
  static TRI_HD TRI_INLINE Real unscale(Real scale) { return scale > Real(1) ? kDown : kUp; }
};

}  // namespace tri::laws
