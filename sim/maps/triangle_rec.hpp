#pragma once
/// `rec`: the recursive partition of Ries et al. The triangle of side N = m0 2^k is a diagonal of 2^k small triangles,
/// below them 2^(k-1) squares of side m0, below those 2^(k-2) squares of side 2 m0, and so on, with one launch a level.
///
///     m0 = 1, k = 2, N = 4 (number = pass)      0
///                                               1  0
///                                               2  2  0
///                                               2  2  1  0
///
/// Pass 0: 2^k triangles of side m0 (x = place in the triangle, y = which triangle).
/// Pass l = 1..k: s = m0 2^(l-1), grid s x N/2, q = floor(y/s): row = y + (q+1)s, col = x + 2qs.
///
/// Source: Ries et al. 2009; REC in LTM. Launches: k + 1. A side m that is not m0 2^k is padded, and tiles outside are
/// masked (their positions find nothing). The padding here: none for m < 16 (m0 = m, k = 0); above, m0 in 8..15 and
/// N = m0 2^k the smallest such number >= m, so N - m < m/8 and a power of two is never padded. Idle: T2(N) - T2(m)
/// positions, none when m = m0 2^k. Exact for sides up to 2^31.

#include "triangle_base.hpp"

namespace tri {

class TriangleRec : public TriangleBase {
 public:
  static constexpr MapInfo kInfo{"rec",
                                 Domain::triangle,
                                 Space::block,
                                 "level l: s = m0 2^(l-1), q = floor(y/s): (y + (q+1)s, x + 2qs)",
                                 "Ries et al. 2009",
                                 "rows below 2^31",
                                 kExactTriangleSide,
                                 nullptr,
                                 false};

  TRI_HD TriangleRec(u32 side, Diagonal diagonal) : TriangleBase(side, diagonal) {
    if (rows() >= 16) levels_ = floor_log2(rows()) - 3;
    base_ = static_cast<u32>((u64{rows()} + (u64{1} << levels_) - 1) >> levels_);
    // A base that rounds up to 16: one level more, half the base.
    if (base_ == 16) base_ = 8, ++levels_;
  }

  /// With m0 and k given: side <= m0 2^k (strict: side - 1), everything beyond the side is masked.
  TRI_HD constexpr TriangleRec(u32 side, Diagonal diagonal, u32 m0, u32 k)
      : TriangleBase(side, diagonal), base_(m0), levels_(k) {}

  TRI_HD constexpr u32 base() const { return base_; }
  TRI_HD constexpr u32 levels() const { return levels_; }
  TRI_HD constexpr u32 padded_rows() const { return base_ << levels_; }

  TRI_HD constexpr u32 launch_count() const { return levels_ + 1; }
  TRI_HD constexpr Launch launch(u32 pass) const {
    if (rows() == 0) return {0, 1, 1, pass};
    if (pass == 0) return {triangular_of_row(base_), 1u << levels_, 1, pass};
    return {u64{base_} << (pass - 1), padded_rows() / 2, 1, pass};
  }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    u32 row, col;
    if (p.pass == 0) {
      const RowCol at = triangular_split(p.x);
      row = p.y * base_ + at.row;
      col = p.y * base_ + at.col;
    } else {
      const u32 s = base_ << (p.pass - 1), q = p.y / s;
      row = p.y + (q + 1) * s;
      col = static_cast<u32>(p.x) + 2 * q * s;
    }
    return row < rows() ? found(row, col) : nothing();
  }

 private:
  u32 base_ = 0;
  u32 levels_ = 0;
};

}  // namespace tri
