#pragma once
/// A member F(k, s) of the family of fractal_family.hpp, chosen at run time: k replicas in s x s (x s) places, in two
/// or three dimensions. It holds no pointers, so a kernel takes it by value.
///
///     digit b of omega in base k  ->  place tau[b]  of level u, s^(u-1) cells wide      (lambda)
///     place of a cell at level u  ->  digit b                                           (nu, the inverse)
///
/// Compact storage packs the k^r cells into k^ceil(r/2) columns and k^floor(r/2) rows: the digits of the odd levels
/// are a cell's column, those of the even levels its row, as in GASKET.
///
/// GasketShape has the same functions for the gasket F(3, 2), computed from the bits of a cell.

#include "fractal_family.hpp"
#include "gasket_base.hpp"

namespace tri {

/// Place of a cell in compact storage.
struct PackedCell {
  u32 x = 0, y = 0;
  friend TRI_HD constexpr bool operator==(const PackedCell& a, const PackedCell& b) { return a.x == b.x && a.y == b.y; }
};

/// Columns and rows of compact storage.
TRI_HD constexpr u64 packed_width(u32 k, u32 levels) { return power_of(k, (levels + 1) / 2); }
TRI_HD constexpr u64 packed_height(u32 k, u32 levels) { return power_of(k, levels / 2); }

/// A cell of a tile of at most 1024 a side in one word: x + 1024 (y + 1024 z).
TRI_HD constexpr FractalCell unpacked_cell(u32 packed) { return {packed & 1023u, packed >> 10 & 1023u, packed >> 20}; }

class FractalShape {
 public:
  static constexpr u32 kMaxPlaces = 64;  ///< s^2 or s^3, so s <= 8 in two dimensions and 4 in three
  static constexpr u8 kEmpty = 255;      ///< digit of a place without a replica

  /// The gasket.
  TRI_HD constexpr FractalShape() : FractalShape(kSierpinskiGasket, 2) {}

  /// Of a member known at compile time.
  template <u32 kReplicas, u32 kScaleOf>
  TRI_HD constexpr FractalShape(const FractalFamily<kReplicas, kScaleOf>& family, u32 dimensions)
      : FractalShape(kReplicas, kScaleOf, dimensions, family.tau) {}

  /// tau: [k] different places below s in each of the dimensions; 1 <= k <= s^dimensions <= kMaxPlaces, s >= 2.
  TRI_HD constexpr FractalShape(u32 k, u32 s, u32 dimensions, const FractalCell* tau)
      : k_(k), s_(s), dimensions_(dimensions) {
    for (u8& digit : digit_of_) digit = kEmpty;
    for (u32 b = 0; b < k; ++b) {
      const u32 place = tau[b].x + s * (tau[b].y + s * tau[b].z);
      place_of_[b] = static_cast<u8>(place);
      digit_of_[place] = static_cast<u8>(b);
    }
  }

  TRI_HD constexpr u32 replicas() const { return k_; }
  TRI_HD constexpr u32 scale() const { return s_; }
  TRI_HD constexpr u32 dimensions() const { return dimensions_; }

  /// The place of replica b.
  TRI_HD constexpr FractalCell tau(u32 b) const {
    const u32 place = place_of_[b];
    return {place % s_, place / s_ % s_, place / s_ / s_};
  }

  /// lambda: the cell number w of the fractal of `levels` levels.
  TRI_HD constexpr FractalCell cell(u64 w, u32 levels) const {
    FractalCell at;
    u32 width = 1, narrow = static_cast<u32>(w);
    const bool wide = w >> 32 != 0;  // a 64-bit division costs a device as much as a map
    for (u32 u = 0; u < levels; ++u, width *= s_) {
      const u32 digit = wide ? static_cast<u32>(w % k_) : narrow % k_;
      w /= wide ? k_ : 1;
      narrow /= k_;
      add(at, digit, width);
    }
    return at;
  }

  /// lambda from compact storage.
  TRI_HD constexpr FractalCell cell(PackedCell packed, u32 levels) const {
    FractalCell at;
    u32 width = 1;
    for (u32 u = 1; u <= levels; ++u, width *= s_) {
      u32& from = (u & 1) ? packed.x : packed.y;
      add(at, from % k_, width);
      from /= k_;
    }
    return at;
  }

  /// What level u, from 1, of a packed position adds to its cell.
  TRI_HD constexpr FractalCell level(PackedCell packed, u32 u) const {
    const u32 from = (u & 1) ? packed.x : packed.y;
    FractalCell at;
    add(at, from / static_cast<u32>(power_of(k_, (u - 1) / 2)) % k_, static_cast<u32>(power_of(s_, u - 1)));
    return at;
  }

  /// Whether a cell below s^levels belongs to the fractal.
  TRI_HD constexpr bool holds(FractalCell at, u32 levels) const {
    for (u32 u = 0; u < levels; ++u) {
      if (digit_of_[lowest_place(at)] == kEmpty) return false;
      at = {at.x / s_, at.y / s_, at.z / s_};
    }
    return true;
  }

  /// nu: the place of a cell in compact storage. below: levels inside a tile of s^below cells a side, where `at` is a
  /// tile; the result is then the place of the tile's corner.
  TRI_HD constexpr PackedCell pack(FractalCell at, u32 levels, u32 below = 0) const {
    PackedCell packed;
    u32 width = static_cast<u32>(power_of(k_, below / 2));
    for (u32 u = below + 1; u <= below + levels; ++u) {
      const u32 digit = digit_of_[lowest_place(at)];
      // The digit of an odd level goes to the column, that of the next level to the row, both with the same power of k.
      if (u & 1) {
        packed.x += digit * width;
      } else {
        packed.y += digit * width;
        width *= k_;
      }
      at = {at.x / s_, at.y / s_, at.z / s_};
    }
    return packed;
  }

  friend constexpr bool operator==(const FractalShape& a, const FractalShape& b) {
    bool same = a.k_ == b.k_ && a.s_ == b.s_ && a.dimensions_ == b.dimensions_;
    for (u32 i = 0; i < kMaxPlaces; ++i) same = same && a.digit_of_[i] == b.digit_of_[i];
    return same;
  }

 private:
  TRI_HD constexpr u32 lowest_place(const FractalCell& at) const {
    return at.x % s_ + s_ * (at.y % s_ + (dimensions_ == 3 ? s_ * (at.z % s_) : 0));
  }
  TRI_HD constexpr void add(FractalCell& at, u32 digit, u32 width) const {
    const FractalCell step = tau(digit);
    at.x += step.x * width;
    at.y += step.y * width;
    at.z += step.z * width;
  }

  u32 k_, s_, dimensions_;
  u8 place_of_[kMaxPlaces] = {};
  u8 digit_of_[kMaxPlaces] = {};
};

/// The gasket as a shape: FractalShape() computed from the bits of x and y.
class GasketShape {
 public:
  TRI_HD static constexpr u32 replicas() { return 3; }
  TRI_HD static constexpr u32 scale() { return 2; }
  TRI_HD static constexpr u32 dimensions() { return 2; }

  TRI_HD static constexpr FractalCell cell(u64 w, u32 levels) {
    FractalCell at;
    u32 narrow = static_cast<u32>(w);
    const bool wide = w >> 32 != 0;
    for (u32 level = 0; level < levels; ++level) {
      const u32 digit = wide ? static_cast<u32>(w % 3) : narrow % 3;
      w /= wide ? 3 : 1;
      narrow /= 3;
      at.x |= (digit >> 1) << level;
      at.y |= ((digit + 1) >> 1) << level;
    }
    return at;
  }
  TRI_HD static constexpr bool holds(FractalCell at, u32) { return in_gasket(at.x, at.y); }
  TRI_HD static constexpr PackedCell pack(FractalCell at, u32 levels, u32 below = 0) {
    PackedCell packed;
    u32 width = static_cast<u32>(power_of(3, below / 2));
    for (u32 u = below + 1; u <= below + levels; ++u) {
      const u32 digit = (at.x & 1) + (at.y & 1);
      if (u & 1) {
        packed.x += digit * width;
      } else {
        packed.y += digit * width;
        width *= 3;
      }
      at.x >>= 1;
      at.y >>= 1;
    }
    return packed;
  }
};

}  // namespace tri
