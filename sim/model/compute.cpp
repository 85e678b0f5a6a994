/// Sizes of outputs.

#include "sim/model/compute.hpp"

#include "sim/maps/figurate.hpp"

namespace tri {

u64 distance_row_begin(u64 n, DistanceLayout layout, u64 row) {
  switch (layout) {
    case DistanceLayout::condensed:
      return row == 0 ? 0 : row * (2 * n - row - 1) / 2;
    case DistanceLayout::square:
      return row * n;
    case DistanceLayout::lower:
      break;
  }
  return triangular(row);
}

u64 distance_count(u64 n, DistanceLayout layout) { return distance_row_begin(n, layout, n); }

}  // namespace tri
