#pragma once
/// Every map by name of type, for choices made at run time. map_registry.hpp turns them into types and texts.

#include "../base/platform.hpp"

namespace tri {

enum class TriangleMapId : u8 {
  bb,
  lambda,
  lambda_x,
  lambda_n,
  lambda_r,
  lambda_lut,
  lambda_stream,
  fold,
  rb,
  rec,
  h,
  utm,
  utm_block,
  circulant,
};
inline constexpr u32 kTriangleMapCount = 14;

enum class TetraMapId : u8 { bb, tetra, tetra_r, tetra_lut, tetra_stream };
inline constexpr u32 kTetraMapCount = 5;

enum class GasketMapId : u8 { bb, gasket, gasket_digits, gasket_stream };
inline constexpr u32 kGasketMapCount = 4;

/// How the threads of a block find the cells of their tile of the gasket: the three of GASKET III-D, one thread a cell,
/// and `sectors`, ours, for constant writes: one thread 16 bytes of a row of the tile.
enum class GasketPlacement : u8 { subbox, lut, unroll, sectors };

}  // namespace tri
