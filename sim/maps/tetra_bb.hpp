#pragma once
/// `bb`: the bounding box. A cubic grid; blocks outside x <= y <= z exit at once.
///
///     side 4, layer z = 2 of the grid (omega = x + 4y + 16z), dots exit
///       32  .  .  .
///       36 37  .  .
///       40 41 42  .
///        .  .  .  .
///
/// Source: the baseline of TRI. Launches: one, m x m x m. Idle: m^3 - T3(m) positions, nearly five sixths.
/// Exact for sides up to 2,642,244 (where m^3 would pass 2^64).

#include "tetra_base.hpp"

namespace tri {

class TetraBb : public TetraBase {
 public:
  static constexpr MapInfo kInfo{"bb",
                                 Domain::tetrahedron,
                                 Space::block,
                                 "(x, y, z) = position; leaves at once unless x <= y <= z",
                                 "bounding box, the baseline of TRI",
                                 "2,642,244 layers",
                                 kExactTetraSide,
                                 nullptr,
                                 false};
  using TetraBase::TetraBase;

  TRI_HD constexpr Launch launch(u32 pass) const { return {layers(), layers(), layers(), pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    return p.x <= p.y && p.y <= p.z ? found(static_cast<u32>(p.x), p.y, p.z) : nothing();
  }
};

}  // namespace tri
