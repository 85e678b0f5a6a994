#pragma once
/// What all tetrahedron maps share. The order is layer z, then row y, then column x, with x <= y <= z:
///
///     layer 0   layer 1   layer 2     layer 3          w = T3(z) + T2(y) + x
///       0         1         4           10
///                 2  3      5  6        11 12
///                           7  8  9     13 14 15
///                                       16 17 18 19
///
/// (Eq. 17 of TRI prints (i, j, k) = (column, row, layer).) Strict triples x < y < z are (x, y + 1, z + 2) of the
/// tetrahedron of side m - 2. Sides 1 and 2 have no strict triple, and every map then launches zero positions.
///
/// Positions given to begin() must lie inside the map's launches; elsewhere its result is undefined.

#include "figurate.hpp"
#include "map_concepts.hpp"

namespace tri {

class TetraBase {
 public:
  using Tile = Tile3;
  using Cursor = OneTile<Tile3>;

  TRI_HD constexpr TetraBase(u32 side, Diagonal diagonal)
      : side_(side), shift_(static_cast<u32>(diagonal == Diagonal::without)) {}

  TRI_HD constexpr u32 side() const { return side_; }
  TRI_HD constexpr Diagonal diagonal() const { return shift_ ? Diagonal::without : Diagonal::with; }
  TRI_HD constexpr u64 tile_count() const { return tetrahedral(layers()); }
  TRI_HD constexpr u32 launch_count() const { return 1; }

 protected:
  /// Layers of the full tetrahedron with as many tiles.
  TRI_HD constexpr u32 layers() const { return side_ > 2 * shift_ ? side_ - 2 * shift_ : 0; }
  TRI_HD constexpr u32 shift() const { return shift_; }
  TRI_HD constexpr Cursor found(u32 x, u32 y, u32 z) const { return {{x, y + shift_, z + 2 * shift_}, true}; }
  TRI_HD static constexpr Cursor nothing() { return {}; }

 private:
  u32 side_;
  u32 shift_;
};

/// Largest side to which products of three indices fit 64 bits (6 T3).
inline constexpr u64 kExactTetraSide = kTetrahedralRootLayers;

}  // namespace tri
