#pragma once
/// The list of all maps, and an id for each, for choices made at run time.
///
/// One entry here is all that a map needs beside its header, which map_registry.hpp includes: ids, types, names and
/// every switch from an id to a type are generated from these lists. The position in a list is the value of the id.

#include "../base/platform.hpp"

namespace tri {

/// X(id, type)
#define TRI_TRIANGLE_MAPS(X) \
  X(bb, TriangleBb) \
  X(lambda, TriangleLambda) \
  X(lambda_x, TriangleLambdaX) \
  X(lambda_n, TriangleLambdaN) \
  X(lambda_r, TriangleLambdaR) \
  X(lambda_lut, TriangleLambdaLut) \
  X(lambda_stream, TriangleLambdaStream) \
  X(fold, TriangleFold) \
  X(rb, TriangleRb) \
  X(rec, TriangleRec) \
  X(h, TriangleH) \
  X(utm, TriangleUtm) \
  X(utm_block, TriangleUtmBlock) \
  X(circulant, TriangleCirculant) \
  X(lambda_grouped, TriangleLambdaGrouped) \
  X(lambda_longest, TriangleLambdaLongest)

#define TRI_TETRA_MAPS(X) \
  X(bb, TetraBb) \
  X(tetra, TetraExact) \
  X(tetra_r, TetraR) \
  X(tetra_lut, TetraLut) \
  X(tetra_stream, TetraStream) \
  X(tetra_h, TetraH)

#define TRI_GASKET_MAPS(X) \
  X(bb, GasketBb) \
  X(gasket, GasketLambda) \
  X(gasket_digits, GasketDigits) \
  X(gasket_stream, GasketStream)

#define TRI_MAP_ID(id, type) id,
#define TRI_MAP_ONE(id, type) +1

enum class TriangleMapId : u8 { TRI_TRIANGLE_MAPS(TRI_MAP_ID) };
enum class TetraMapId : u8 { TRI_TETRA_MAPS(TRI_MAP_ID) };
enum class GasketMapId : u8 { TRI_GASKET_MAPS(TRI_MAP_ID) };

inline constexpr u32 kTriangleMapCount = TRI_TRIANGLE_MAPS(TRI_MAP_ONE);
inline constexpr u32 kTetraMapCount = TRI_TETRA_MAPS(TRI_MAP_ONE);
inline constexpr u32 kGasketMapCount = TRI_GASKET_MAPS(TRI_MAP_ONE);

#undef TRI_MAP_ID
#undef TRI_MAP_ONE

/// How the threads of a block find the cells of their tile of the gasket: the three placements of GASKET III-D, one
/// thread a cell, and `sectors`, ours, for constant writes: one thread takes 16 bytes of a row of the tile.
enum class GasketPlacement : u8 { subbox, lut, unroll, sectors };

}  // namespace tri
