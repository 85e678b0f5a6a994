#pragma once
/// Finds overlapping spheres of a state as a list in device memory: by tiles of all pairs or through a uniform grid,
/// with the same result. The list has room for a few contacts per body, which is enough for spheres that barely
/// penetrate; the caller handles overflow (grow()).

#include "sim/cuda/kernels/bodies/contact_pairs.hpp"
#include "sim/cuda/kernels/collisions/grid_search.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/prepared_launch.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// Pairs that a list has room for at first, for each body: equal spheres that touch but do not overlap have at most 12
/// neighbours, 6 pairs per body.
inline constexpr u64 kListedPairs = 8;

/// Initial device memory of a search over n bodies on the current device, in bytes.
template <class Real>
u64 overlap_search_bytes(const EngineConfig& config, u64 n);

/// Bound to the device it was created on; use from one host thread at a time.
template <class Real>
class OverlapSearch {
 public:
  /// `share` is for the grid; without it this rank finds all pairs. alone: whether a progress sink may end a search.
  ///
  /// Takes the grid's extent from positions and radii; other positions of the same bodies may follow. Throws
  /// ConfigError (block, the map's reason, a grid for a box too small for one), MemoryError (predicted), CudaError.
  /// Waits for its uploads.
  OverlapSearch(const Bodies& bodies, const Box& box, const EngineConfig& config, cudaStream_t stream,
                const GridShare& share = {}, bool alone = true);

  /// Tile side in bodies; 0 with the grid, which has no tiles.
  u32 block() const { return block_; }
  bool uses_grid() const { return grid_; }
  /// Only with uses_grid().
  const CellGrid<Real>& grid() const { return cells_; }
  /// Whether the list has the pairs of this rank's bodies alone.
  bool is_shared() const { return domain_.size() > 0; }
  /// Whether all pairs are tested in tiles, by the fast kernel.
  bool uses_tiles() const { return tiles_; }
  /// As LawSums::in_slices().
  bool in_slices() const { return slices_ > 1; }
  /// The spheres of the last enqueue(): x, y, z, r.
  Sphere<Real>* spheres() { return spheres_.data(); }

  /// Finds the overlaps of the state's spheres. Asynchronous, no allocation: may be captured.
  void enqueue(cudaStream_t stream, const DeviceState<Real>& state);
  /// The same for spheres() as filled by the caller.
  void enqueue_spheres_as_they_are(cudaStream_t stream);

  OverlapList list() { return {count_.data(), pairs_.data(), pairs_.size()}; }
  /// Overlapping pairs in the last search. Synchronizes.
  u64 found(cudaStream_t stream) const { return count_.download(stream)[0]; }
  /// Pairs tested in the last search: all of them, or those in neighbouring cells, of which ranks that share the search
  /// count a part each. Synchronizes.
  u64 looked_at(cudaStream_t stream) const;
  /// Grows the list to the last search's count plus a quarter, if that is more. Synchronizes; discards the list's
  /// content and invalidates captured work.
  void grow(cudaStream_t stream);

 private:
  void make_grid(const Bodies& bodies, const Box& box);
  void prepare(u64 capacity);

  EngineConfig config_;
  GridShare share_;
  bool alone_;
  u32 n_, block_ = 0;
  bool grid_, tiles_ = false;
  laws::NearestImage<Real> image_;
  DeviceBuffer<Sphere<Real>> spheres_;
  DeviceBuffer<unsigned long long> count_, candidates_;
  DeviceBuffer<uint2> pairs_;
  PreparedLaunch search_;  ///< of all pairs
  u32 slices_ = 1;         ///< of that

  CellGrid<Real> cells_;
  DeviceBuffer<u32> cell_, slot_, begin_, body_, strip_count_;
  DeviceBuffer<Sphere<Real>> sorted_;
  DeviceBuffer<CellStrip> strips_;
  DeviceBuffer<unsigned char> scan_;
  DeviceBuffer<GridDomain> domain_;  ///< empty for one rank
};

extern template class OverlapSearch<float>;
extern template class OverlapSearch<double>;

}  // namespace tri::cuda
