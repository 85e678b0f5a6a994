#pragma once
/// Tiles of pairs for jobs other than forces: overlaps and distances. SIMD kernels chosen at run time.

#include <utility>
#include <vector>

#include "sim/cpu/kernels/pair_kernels.hpp"
#include "sim/model/compute.hpp"

namespace tri::cpu {

using IndexPair = std::pair<u32, u32>;

/// The number of pairs of the tile that overlap or touch (laws/overlap.hpp) in open space. Uses x, y, z and r.
u64 overlap_tile_count(const BodyView<float>& bodies, const PairTile& tile);
u64 overlap_tile_count(const BodyView<double>& bodies, const PairTile& tile);

/// Appends those pairs as (row, column); uses nearest images if the box is periodic.
void overlap_tile_list(const BodyView<float>& bodies, const Box& box, const PairTile& tile,
                       std::vector<IndexPair>& pairs);
void overlap_tile_list(const BodyView<double>& bodies, const Box& box, const PairTile& tile,
                       std::vector<IndexPair>& pairs);

/// Points by feature: feature f of point i is values[f * stride + i], readable for kPadding elements past the last.
template <class Real>
struct PointView {
  const Real* values = nullptr;
  std::size_t stride = 0;
  u32 n = 0;
  u32 features = 0;
};

/// A contiguous piece of the array of a layout, from the index `origin` on.
template <class Real>
struct DistancePiece {
  Real* values = nullptr;
  u64 origin = 0;
};

/// Whether a tile that is not diagonal is also written as its mirror image, which only `square` has.
enum class Mirror : u8 { no, yes };

/// Writes the distances of the tile's pairs, which are all in the piece. Each distance uses the same IEEE operations
/// wherever it is in a tile, so all maps and tile sides give the same bits. Only diagonal tiles, and those without
/// mirror images, write the diagonal of `square` and `lower`.
void distance_tile(const PointView<float>& points, DistanceLayout layout, const PairTile& tile,
                   const DistancePiece<float>& to, Mirror mirror = Mirror::yes);
void distance_tile(const PointView<double>& points, DistanceLayout layout, const PairTile& tile,
                   const DistancePiece<double>& to, Mirror mirror = Mirror::yes);
/// Computed in float64, and rounded once.
void distance_tile(const PointView<double>& points, DistanceLayout layout, const PairTile& tile,
                   const DistancePiece<float>& to, Mirror mirror = Mirror::yes);

}  // namespace tri::cpu
