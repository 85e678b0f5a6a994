#pragma once
/// `tetra`: the default. A one-dimensional grid with exactly as many blocks as the tetrahedron has tiles; a block finds
/// its layer by a cube root repaired in integers, then its row and column by the map of the triangle.
///
///     w = x;  z = floor(cbrt(6w)), repaired;  (y, x) = lambda(w - T3(z))
///
///     layer 0   layer 1   layer 2     layer 3
///       0         1         4           10
///                 2  3      5  6        11 12
///                           7  8  9     13 14 15
///                                       16 17 18 19
///
/// Source: the map of TRI (order of eq. 17); cbrt for the closed root of eq. 15 and the repair are ours. Launches: one,
/// T3(m) x 1 (one grid up to m = 2343). None idle. Exact for layers below 2,642,244 under any compiler flag.

#include "tetra_base.hpp"

namespace tri {

/// Place in the tetrahedron of a linear index.
struct TetraPlace {
  u32 x = 0, y = 0, z = 0;
};
TRI_HD TRI_INLINE TetraPlace tetrahedral_split(u64 w) {
  const u32 z = tetrahedral_root(w);
  const RowCol at = triangular_split(w - tetrahedral_of_layer(z));
  return {at.col, at.row, z};
}

class TetraExact : public TetraBase {
 public:
  static constexpr MapInfo kInfo{"tetra",
                                 Domain::tetrahedron,
                                 Space::block,
                                 "z = floor(cbrt(6w)), two conditional decrements; (y, x) = lambda(w - T3(z))",
                                 "TRI eq. 17; root and repair ours",
                                 "layers below 2,642,244",
                                 kExactTetraSide,
                                 nullptr,
                                 false};
  using TetraBase::TetraBase;

  TRI_HD constexpr Launch launch(u32 pass) const { return {tile_count(), 1, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    const TetraPlace at = tetrahedral_split(p.x);
    return found(at.x, at.y, at.z);
  }

  /// Position of a tile in the launch, the inverse of begin().
  TRI_HD constexpr u64 position_of(Tile3 t) const {
    return tetrahedral_of_layer(t.z - 2 * shift()) + triangular_of_row(t.y - shift()) + t.x;
  }
};

}  // namespace tri
