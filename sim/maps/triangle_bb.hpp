#pragma once
/// `bb`: the bounding box, the baseline. A square grid; blocks above the diagonal exit at once.
///
///     grid 4 x 4, x right, y down        tiles of side 4 (omega = x + 4y)
///                                           0
///       every position launched             4   5
///                                           8   9  10
///                                          12  13  14  15
///
/// Source: the baseline of LTM and TRI. Launches: one, m x m. Idle: m(m-1)/2 of m^2 positions, nearly half.
/// Exact for sides up to 2^31.

#include "triangle_base.hpp"

namespace tri {

class TriangleBb : public TriangleBase {
 public:
  static constexpr MapInfo kInfo{"bb",
                                 Domain::triangle,
                                 Space::block,
                                 "(row, col) = (y, x); leaves at once if x > y",
                                 "bounding box, the baseline of LTM and TRI",
                                 "rows below 2^31",
                                 kExactTriangleSide,
                                 nullptr,
                                 false};
  using TriangleBase::TriangleBase;

  TRI_HD constexpr Launch launch(u32 pass) const { return {rows(), rows(), 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const { return p.x > p.y ? nothing() : found(p.y, static_cast<u32>(p.x)); }
};

}  // namespace tri
