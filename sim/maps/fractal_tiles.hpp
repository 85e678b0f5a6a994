#pragma once
/// The maps of the gasket for any FractalShape, under the same four names, chosen at run time.
///
///     bb             a grid of s^rb positions a side; those off the fractal exit at once
///     gasket         a grid of k^ceil(rb/2) x k^floor(rb/2), as compact storage
///     gasket-digits  a line of k^rb positions
///     gasket-stream  a persistent grid with a run of that line a position
///
/// Source: GASKET's open question, see fractal_family.hpp. Launches: one. Idle: bb launches (s^d / k)^rb positions a
/// tile. Exact while s^rb fits 31 bits and k^rb 62.

#include "fractal_shape.hpp"
#include "map_ids.hpp"
#include "worker_share.hpp"

namespace tri {

class FractalTiles {
 public:
  using Tile = FractalCell;
  static constexpr MapInfo kInfo{"fractal",
                                 Domain::gasket,
                                 Space::block,
                                 "base-k digits of w, each adds tau[b] s^(u-1)",
                                 "ours, for the family GASKET leaves open",
                                 "s^r below 2^31, k^r below 2^62",
                                 u64{1} << 31,
                                 nullptr,
                                 false};

  /// A run of tiles; for the maps with one tile a position, at most one tile. Valid as long as its map.
  class Cursor {
   public:
    TRI_HD constexpr Cursor(const FractalTiles* map, FractalCell at, u64 w, u64 left)
        : map_(map), at_(at), w_(w), left_(left) {}
    TRI_HD constexpr bool valid() const { return left_ != 0; }
    TRI_HD constexpr FractalCell tile() const { return at_; }
    TRI_HD constexpr void next() {
      if (--left_ != 0) at_ = map_->shape_.cell(++w_, map_->levels_);
    }

   private:
    const FractalTiles* map_;
    FractalCell at_;
    u64 w_, left_;
  };

  /// workers: positions of gasket-stream, as for TriangleLambdaStream; the others ignore it.
  TRI_HD constexpr FractalTiles(GasketMapId id, const FractalShape& shape, u32 levels, u32 workers)
      : shape_(shape), id_(id), levels_(levels), workers_(worker_count(tile_count(), workers)) {}

  TRI_HD constexpr u32 side() const { return static_cast<u32>(power_of(shape_.scale(), levels_)); }
  TRI_HD constexpr u64 tile_count() const { return power_of(shape_.replicas(), levels_); }
  TRI_HD constexpr u32 launch_count() const { return 1; }
  TRI_HD constexpr Launch launch(u32 pass) const {
    const u32 k = shape_.replicas();
    switch (id_) {
      case GasketMapId::bb:
        return {side(), side(), shape_.dimensions() == 3 ? side() : 1, pass};
      case GasketMapId::gasket:
        return {packed_width(k, levels_), static_cast<u32>(packed_height(k, levels_)), 1, pass};
      case GasketMapId::gasket_digits:
        return {tile_count(), 1, 1, pass};
      case GasketMapId::gasket_stream:
        break;
    }
    return {workers_, 1, 1, pass};
  }

  TRI_HD constexpr Cursor begin(Position p) const {
    switch (id_) {
      case GasketMapId::bb: {
        const FractalCell at{static_cast<u32>(p.x), p.y, p.z};
        return {this, at, 0, shape_.holds(at, levels_) ? u64{1} : u64{0}};
      }
      case GasketMapId::gasket:
        return {this, shape_.cell(PackedCell{static_cast<u32>(p.x), p.y}, levels_), 0, 1};
      case GasketMapId::gasket_digits:
        return {this, shape_.cell(p.x, levels_), 0, 1};
      case GasketMapId::gasket_stream:
        break;
    }
    const Share share = share_of(tile_count(), workers_, p.x);
    return {this, shape_.cell(share.first, levels_), share.first, share.length};
  }

  TRI_HD constexpr const FractalShape& shape() const { return shape_; }
  TRI_HD constexpr u32 levels() const { return levels_; }
  TRI_HD constexpr GasketMapId id() const { return id_; }

 private:
  FractalShape shape_;
  GasketMapId id_;
  u32 levels_;
  u32 workers_;
};

}  // namespace tri
