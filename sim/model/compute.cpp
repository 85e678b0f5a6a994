/// Sizes of outputs.

#include "sim/model/compute.hpp"

#include "sim/maps/figurate.hpp"

namespace tri {

u64 distance_count(u64 n, DistanceLayout layout) {
  switch (layout) {
    case DistanceLayout::condensed:
      return n == 0 ? 0 : triangular(n - 1);
    case DistanceLayout::square:
      return n * n;
    case DistanceLayout::lower:
      break;
  }
  return triangular(n);
}

}  // namespace tri
