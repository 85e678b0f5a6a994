#pragma once
/// Which spheres of a state overlap, as a list in device memory: by tiles of all pairs or through a uniform grid, with
/// the same answer. The list has room for a few contacts a body, which no scene of spheres that have not run into each
/// other passes; what is done where one does is the caller's (grow()).

#include "sim/cuda/kernels/bodies/contact_pairs.hpp"
#include "sim/cuda/kernels/pairs/grid_search.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/prepared_launch.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// Device memory that a search over n bodies takes at first on the current device, in bytes.
template <class Real>
u64 overlap_search_bytes(const EngineConfig& config, u64 n);

/// On the device it was made on, from one host thread at a time.
template <class Real>
class OverlapSearch {
 public:
  /// Positions and radii are what the grid is cut by; other positions of the same bodies may follow. Throws ConfigError
  /// (block, map's refusal, a grid asked for where the box is too small for one), MemoryError (predicted), CudaError.
  /// Waits for its uploads.
  OverlapSearch(const Bodies& bodies, const Box& box, const EngineConfig& config, cudaStream_t stream);

  /// Tile side in bodies; 0 with the grid, which has none.
  u32 block() const { return block_; }
  bool uses_grid() const { return grid_; }
  /// Where enqueue() has what it searched: x, y, z, r.
  Sphere<Real>* spheres() { return spheres_.data(); }

  /// Finds the overlaps of the state's spheres. No wait, no allocation: may be captured.
  void enqueue(cudaStream_t stream, const DeviceState<Real>& state);
  /// The same of spheres() as the caller has filled them.
  void enqueue_spheres_as_they_are(cudaStream_t stream);

  OverlapList list() { return {count_.data(), pairs_.data(), pairs_.size()}; }
  /// Pairs that overlapped in the last search. Waits.
  u64 found(cudaStream_t stream) const { return count_.download(stream)[0]; }
  /// Pairs that the last search looked at: all of them, or those in cells next to each other. Waits.
  u64 looked_at(cudaStream_t stream) const;
  /// Makes the list as long as the last search asks for, and a quarter more. Waits; the list's old content is lost,
  /// and what was captured before is void.
  void grow(cudaStream_t stream);

 private:
  void make_grid(const Bodies& bodies, const Box& box);
  void prepare(u64 capacity);

  EngineConfig config_;
  u32 n_, block_ = 0;
  bool grid_, tiles_ = false;
  laws::NearestImage<Real> image_;
  DeviceBuffer<Sphere<Real>> spheres_;
  DeviceBuffer<unsigned long long> count_, candidates_;
  DeviceBuffer<uint2> pairs_;
  PreparedLaunch search_;  ///< of all pairs

  CellGrid<Real> cells_;
  DeviceBuffer<u32> cell_, slot_, begin_, body_, strip_count_;
  DeviceBuffer<Sphere<Real>> sorted_;
  DeviceBuffer<CellStrip> strips_;
  DeviceBuffer<unsigned char> scan_;
};

extern template class OverlapSearch<float>;
extern template class OverlapSearch<double>;

}  // namespace tri::cuda
