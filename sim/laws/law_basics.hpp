#pragma once
/// What laws are written with: bodies, boxes, arithmetic, layouts of distances.
///
/// What a law reads of a body beyond its position, and what its sums mean.

#include <array>

#include "sim/base/platform.hpp"

namespace tri::laws {

enum Uses : u32 { kPosition = 0, kMass = 1, kRadius = 2, kVelocity = 4, kCharge = 8 };

/// What a backend sums for a law: accelerations (each term times the other body's mass) or forces.
enum class Sums : u8 { acceleration, force };

}  // namespace tri::laws

// The box of a scene and what its walls do.

namespace tri {

enum class Boundary : u8 { open, reflecting, periodic };

/// Axis-parallel box. Reflecting walls act like the scene's contact law: by spring and dashpot or by impulse
/// under PairLaw::contact, otherwise as mirrors on the body's centre.
///
/// Periodic: space repeats with the box. What leaves on one side comes in on the other, positions lie in [low, high),
/// and a pair acts between nearest images. That is the whole truth only for laws that end within half a side: contact
/// with diameters up to half of the shortest side, lennard-jones with a cut-off up to it, no law at all. check()
/// refuses the others.
struct Box {
  std::array<double, 3> low{0, 0, 0};
  std::array<double, 3> high{1, 1, 1};
  Boundary boundary = Boundary::open;
};

}  // namespace tri

// The arithmetic of the laws, for one number at a time, on host and device.
// The cpu backend has the same names over Highway vectors (sim/cpu/tile_common.hpp): set, mul_rounded, mul_add,
// neg_mul_add, sqrt, rsqrt, rsqrt_cubed, reciprocal, less, less_equal, select, only_if, min, max, and + - * of two
// values. Comparisons with a NaN are false. A law may use nothing else.

namespace tri::laws {

template <class Real>
struct ScalarMath {
  using Value = Real;
  using Mask = bool;

  static TRI_HD TRI_INLINE Real set(double v) { return static_cast<Real>(v); }
  /// a*b, rounded separately: never fused with a following sum.
  static TRI_HD TRI_INLINE Real mul_rounded(Real a, Real b) { return rounded::mul(a, b); }
  /// a*b + c; the compiler may fuse it.
  static TRI_HD TRI_INLINE Real mul_add(Real a, Real b, Real c) { return a * b + c; }
  /// c - a*b
  static TRI_HD TRI_INLINE Real neg_mul_add(Real a, Real b, Real c) { return c - a * b; }
  static TRI_HD TRI_INLINE Real sqrt(Real a) { return std::sqrt(a); }
  static TRI_HD TRI_INLINE Real rsqrt(Real a) { return Real(1) / std::sqrt(a); }
  /// a^(-3/2)
  static TRI_HD TRI_INLINE Real rsqrt_cubed(Real a) {
    const Real inv = rsqrt(a);
    return inv * (inv * inv);
  }
  static TRI_HD TRI_INLINE Real reciprocal(Real a) { return Real(1) / a; }
  static TRI_HD TRI_INLINE Mask less(Real a, Real b) { return a < b; }
  static TRI_HD TRI_INLINE Mask less_equal(Real a, Real b) { return a <= b; }
  static TRI_HD TRI_INLINE Real select(Mask m, Real yes, Real no) { return m ? yes : no; }
  /// v where m, else 0 (even if v is NaN).
  static TRI_HD TRI_INLINE Real only_if(Mask m, Real v) { return m ? v : Real(0); }
  static TRI_HD TRI_INLINE Real min(Real a, Real b) { return a < b ? a : b; }
  static TRI_HD TRI_INLINE Real max(Real a, Real b) { return a < b ? b : a; }
};

// Where the squares of a distance leave the range, long before it does: in float32 those of differences below 1e-19
// and above 1e19. The root of such a sum is doubtful, and is taken anew, of differences that a power of two has
// brought nearer to 1.

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

// The order of all-pairs distances in memory.

namespace tri {

/// condensed: [n(n-1)/2], exactly SciPy's pdist order. square: [n, n], symmetric, zero diagonal.
/// lower: [n(n+1)/2], the lower triangle with the diagonal, row by row.
/// blocks: [b(b+1)/2, 32, 32] with b = ceil(n/32), the lower triangle of blocks (sim/maps/triangle_blocks.hpp), those
/// on the diagonal symmetric, the padding 0.
enum class DistanceLayout : u8 { condensed, square, lower, blocks };
inline constexpr DistanceLayout kDistanceLayouts[] = {DistanceLayout::condensed, DistanceLayout::square,
                                                      DistanceLayout::lower, DistanceLayout::blocks};

/// Side of a block: a row of one is a warp's.
inline constexpr u32 kDistanceBlock = 32;

// The bin of a side of a triple.

/// The bin of a side outside all bins, and of an invalid pair.
inline constexpr u8 kNoBin = 255;

/// squares: of the edges, [bins + 1].
TRI_HD inline u8 side_bin(const double* squares, u32 bins, double square) {
  if (!(square >= squares[0] && square < squares[bins])) return kNoBin;
  u32 low = 0, high = bins;  // squares[low] <= square < squares[high]
  while (high - low > 1) {
    const u32 middle = (low + high) / 2;
    (square >= squares[middle] ? low : high) = middle;
  }
  return static_cast<u8>(low);
}

}  // namespace tri
