#pragma once
/// `tetra-r`: the real root of the cubic as printed in TRI, in float32, on the papers' cubic grid. Kept for comparison;
/// exact up to a limit and wrong beyond it.
///
///     side 4: T3(4) = 20 tiles on a grid of 3 x 3 x 3, omega = x + 3y + 9z, 20..26 exit at once
///     layer 0   layer 1   layer 2     layer 3
///       0         1         4           10
///                 2  3      5  6        11 12
///                           7  8  9     13 14 15
///                                       16 17 18 19
///
///     q = sqrt(729 w^2 - 3) + 27 w,   z = floor(q^(1/3) / 3^(2/3) + 1 / (3^(1/3) q^(1/3)) - 1)
///     y = floor(sqrt(2v + 1/4) - 1/2), v = w - T3(z),   x = v - T2(y)
///
/// Source: TRI eq. 15 and 17 (q is not a number at w = 0, which is handled separately here). Launches: one, S x S x S
/// with S = ceil(cbrt(T3(m))). Idle: S^3 - T3(m) positions. The power is powf(q, 1/3): the float32 exponent is a little
/// more than a third and so lifts the root above the whole numbers, while the more accurate cbrtf makes the map wrong
/// before w = 11. Exact to 203 layers on host and device: the last w of layer 203 is taken for layer 204. (Fused
/// multiply-adds can move that to 204 or 208; the products here are pinned.) -use_fast_math replaces powf by a coarser
/// one, which makes the map wrong from w = 10 on: do not compile kernels that run this map with it.

#include "tetra_base.hpp"
#include "triangle_lambda_historical.hpp"

namespace tri {

/// Layer of w as the paper computes it, right or wrong.
TRI_HD inline u32 tetra_r_layer(u64 w) {
  if (w == 0) return 0;
  const float v = static_cast<float>(w);
  const float third = 1.0f / 3.0f, cube_root_3 = 1.44224957f, cube_root_9 = 2.08008382f;
  const float under = rounded::add(rounded::mul(rounded::mul(729.0f, v), v), -3.0f);
  const float q = rounded::add(rounded::sqrt(under), rounded::mul(27.0f, v));
  const float root = ::powf(q, third);
  const float sum = rounded::add(rounded::mul(root, 1.0f / cube_root_9), rounded::mul(1.0f / cube_root_3, 1.0f / root));
  return static_cast<u32>(rounded::add(sum, -1.0f));
}

class TetraR : public TetraBase {
 public:
  static constexpr MapInfo kInfo{"tetra-r",
                                 Domain::tetrahedron,
                                 Space::block,
                                 "z = floor of the real root of z(z+1)(z+2) = 6w as printed, cubic grid",
                                 "TRI eq. 15 and 17",
                                 "203 tiles a side in float32",
                                 203,
                                 "tetra",
                                 true};

  TRI_HD TetraR(u32 side, Diagonal diagonal)
      : TetraBase(side, diagonal), grid_(static_cast<u32>(ceil_cbrt(tile_count()))) {}

  TRI_HD constexpr Launch launch(u32 pass) const { return {grid_, grid_, grid_, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    const u64 w = p.x + u64{grid_} * (p.y + u64{grid_} * p.z);
    if (w >= tile_count()) return nothing();
    const u32 z = tetra_r_layer(w);
    const u64 v = w - tetrahedral(z);
    // Beyond the limit v can be "negative"; its row is then arbitrary, which the checks of the map detect.
    const u32 y = historical_row<HistoricalRoot::x>(v);
    return found(static_cast<u32>(v - triangular_of_row(y)), y, z);
  }

 private:
  u32 grid_;  ///< side of the paper's cubic grid
};

}  // namespace tri
