#pragma once
/// `rb`: the rectangular box of Jung & O'Leary, thread by thread: the right part of the triangle is rotated by half a
/// turn and placed on top of the left part.
///
///     n = 4: e = 1, grid 2 x 5            tiles of side 4 (omega = x + 2y)
///       0  1    the right part, rotated     2
///       2 \3                                4  5
///       4  5    the left part, one row      6  7  3
///       6  7    further down                8  9  1  0
///       8  9
///
/// e = 1 - (n & 1); (x, y): y - e >= x ? (y - e, x) : (n-1-y, n-x-e). This form holds for even and odd n. (The
/// printed column n - i - 1, with i the row just found, covers 26 of the 36 cells at n = 8.)
///
/// Source: Jung & O'Leary 2008. Thread space: a position is a thread, the side counts elements. Launches: one,
/// ceil(n/2) x (n + e). Idle: only the padding of the grid to whole blocks. Exact for n up to 2^31.

#include "triangle_base.hpp"

namespace tri {

class TriangleRb : public TriangleBase {
 public:
  static constexpr MapInfo kInfo{"rb",
                                 Domain::triangle,
                                 Space::thread,
                                 "e = 1-(n&1): y-e >= x ? (y-e, x) : (n-1-y, n-x-e)",
                                 "Jung & O'Leary 2008, corrected",
                                 "n up to 2^31",
                                 kExactTriangleSide,
                                 nullptr,
                                 false};
  using TriangleBase::TriangleBase;

  TRI_HD constexpr Launch launch(u32 pass) const { return {(u64{rows()} + 1) / 2, rows() + even(), 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    const u32 n = rows(), e = even(), y = p.y;
    const u32 x = static_cast<u32>(p.x);
    return y >= x + e ? found(y - e, x) : found(n - 1 - y, n - x - e);
  }

 private:
  TRI_HD constexpr u32 even() const { return (rows() & 1) ^ 1u; }
};

}  // namespace tri
