#pragma once
/// `fold`: the launch is a full rectangle. Each row of positions holds one row of the lower half of the triangle and,
/// behind it, one row of the upper half. Integers only; tiles stay whole.
///
///     m = 4: e = 1, grid 5 x 2 (omega = x + 5y)          m = 3: e = 0, grid 3 x 2
///       row 3: 0 1 2 3 | row 0: 4                          row 2: 0 1 2
///       row 2: 5 6 7   | row 1: 8 9                        row 1: 3 4   | row 0: 5
///
///         4
///         8  9
///         5  6  7
///         0  1  2  3
///
/// e = 1 - (m & 1), W = m + e; position (c, r): c < m - r ? (m-1-r, c) : (r-1+e, c-(m-r)).
///
/// Source: ours; the fold of Jung & O'Leary 2008 (`rb`), moved from threads to blocks. Launches: one, W x ceil(m/2):
/// the grid itself does the division (r, c) = divmod(omega, W). None idle. Exact for sides up to 2^31.

#include "triangle_base.hpp"

namespace tri {

class TriangleFold : public TriangleBase {
 public:
  static constexpr MapInfo kInfo{"fold",
                                 Domain::triangle,
                                 Space::block,
                                 "e = 1-(m&1): c < m-r ? (m-1-r, c) : (r-1+e, c-(m-r))",
                                 "ours; RB (Jung & O'Leary 2008) lifted to blocks",
                                 "rows below 2^31",
                                 kExactTriangleSide,
                                 nullptr,
                                 false};
  using TriangleBase::TriangleBase;

  TRI_HD constexpr Launch launch(u32 pass) const { return {u64{rows()} + even(), (rows() + 1) / 2, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    const u32 m = rows(), r = p.y;
    const u32 c = static_cast<u32>(p.x);
    return c < m - r ? found(m - 1 - r, c) : found(r + even() - 1, c - (m - r));
  }

 private:
  TRI_HD constexpr u32 even() const { return (rows() & 1) ^ 1u; }
};

}  // namespace tri
