#pragma once
/// The bin of a side of a triple.

#include "sim/base/platform.hpp"

namespace tri {

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
