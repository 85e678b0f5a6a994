#pragma once
/// `tetra-lut`: a succinct table, the m + 1 prefixes T3(0), T3(1), ..., T3(m). A block finds its layer by binary
/// search, its row and column by the map of the triangle.
///
///     prefix  0  1  4  10  20        w = 12: 10 <= 12 < 20, so z = 3, and lambda(2) = (row 1, column 1)
///
///     layer 0   layer 1   layer 2     layer 3
///       0         1         4           10
///                 2  3      5  6        11 12
///                           7  8  9     13 14 15
///                                       16 17 18 19
///
/// Source: TRI section 7 asks for a table of o(T3) entries. Launches: one, T3(m) x 1. None idle; memory 8 (m + 1)
/// bytes. Exact for layers below 2,642,244.
///
/// The map does not own its table, which must stay alive and unchanged, in memory that begin() can read, while the map
/// is in use.

#include <vector>

#include "tetra_base.hpp"

namespace tri {

class TetraLut : public TetraBase {
 public:
  static constexpr MapInfo kInfo{"tetra-lut",
                                 Domain::tetrahedron,
                                 Space::block,
                                 "z by binary search in the m + 1 prefixes T3; (y, x) = lambda(w - T3(z))",
                                 "ours, as TRI section 7 asks",
                                 "layers below 2,642,244",
                                 kExactTetraSide,
                                 nullptr,
                                 false,
                                 [](u64 side) { return (side + 1) * sizeof(u64); }};

  /// The [layers + 1] prefixes of a side; without the diagonals it has two layers less. Host only; throws
  /// std::bad_alloc.
  static std::vector<u64> make_table(u32 side, Diagonal diagonal) {
    const u32 layers = TetraLut(side, diagonal, nullptr).layers();
    std::vector<u64> prefix(u64{layers} + 1);
    for (u32 z = 0; z <= layers; ++z) prefix[z] = tetrahedral(z);
    return prefix;
  }

  /// prefix: [layers + 1] of make_table(side, diagonal), host or device memory.
  TRI_HD constexpr TetraLut(u32 side, Diagonal diagonal, const u64* prefix)
      : TetraBase(side, diagonal), prefix_(prefix) {}

  TRI_HD constexpr Launch launch(u32 pass) const { return {tile_count(), 1, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    u32 low = 0, high = layers();  // prefix_[low] <= w < prefix_[high]
    while (high - low > 1) {
      const u32 middle = low + (high - low) / 2;
      if (prefix_[middle] <= p.x) {
        low = middle;
      } else {
        high = middle;
      }
    }
    const RowCol at = triangular_split(p.x - prefix_[low]);
    return found(at.col, at.row, low);
  }

 private:
  const u64* prefix_;
};

}  // namespace tri
