#pragma once
/// Tetrahedral maps for the device. visit_device_tetra_map() gives each its own type, for kernels whose work is so
/// small that the map is what is timed. AnyTetraMap is one type for all of them, for kernels whose tiles hold thousands
/// of triples: a block takes one uniform branch on the map's id, and its cursor is a run, of one tile for most maps.

#include <cstring>
#include <memory>
#include <type_traits>

#include "sim/cuda/kernels/map_tables.cuh"

namespace tri::cuda {

/// Calls f(map, owner), as visit_device_triangle_map() does.
template <class F>
void visit_device_tetra_map(TetraMapId id, u32 side, Diagonal diagonal, u32 workers, F&& f) {
  if (id == TetraMapId::tetra_lut) {
    const std::vector<u64> prefix = make_tetra_table(side, diagonal);
    auto owner = std::make_shared<DeviceBuffer<u64>>(prefix.size());
    owner->upload(prefix, nullptr);
    f(TetraLut(side, diagonal, owner->data()), std::shared_ptr<const void>(owner));
    return;
  }
  visit_tetra_map(id, side, diagonal, workers, [&](const auto& map) {
    if constexpr (!std::is_same_v<std::decay_t<decltype(map)>, TetraLut>) f(map, std::shared_ptr<const void>());
  });
}

/// The cursor of this block, found by its first thread and told to all: roots and 64-bit products cost a hundred
/// instructions, which warps of one element a thread would each spend anew. The bounding box asks for none. Behind it a
/// barrier; the next call must come behind one too.
template <class M>
__device__ __forceinline__ auto block_cursor(const M& map, const Position& at) {
  using Cursor = decltype(map.begin(at));
  if constexpr (std::is_same_v<M, TetraBb>) {
    return map.begin(at);
  } else {
    __shared__ alignas(8) unsigned char told[sizeof(Cursor)];
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
      *reinterpret_cast<Cursor*>(told) = map.begin(at);
    }
    __syncthreads();
    return *reinterpret_cast<const Cursor*>(told);
  }
}

/// Passed to a kernel by value. Of the whole tetrahedron, its diagonals included.
class AnyTetraMap {
 public:
  template <class M>
  AnyTetraMap(TetraMapId id, const M& map) : id_(id) {
    static_assert(std::is_trivially_copyable_v<M> && sizeof(M) <= sizeof(bytes_));
    TRI_EXPECTS(map.diagonal() == Diagonal::with);
    std::memcpy(bytes_, &map, sizeof(M));
  }

  __device__ __forceinline__ TetraRun begin(const Position& p) const {
    switch (id_) {
      case TetraMapId::bb:
        return run(as<TetraBb>().begin(p));
      case TetraMapId::tetra_r:
        return run(as<TetraR>().begin(p));
      case TetraMapId::tetra_lut:
        return run(as<TetraLut>().begin(p));
      case TetraMapId::tetra_stream:
        return as<TetraStream>().begin(p);
      case TetraMapId::tetra:
        break;
    }
    return run(as<TetraExact>().begin(p));
  }

 private:
  template <class M>
  __device__ __forceinline__ const M& as() const {
    return *reinterpret_cast<const M*>(bytes_);
  }
  static __device__ __forceinline__ TetraRun run(const OneTile<Tile3>& one) {
    return TetraRun({one.at.x, one.at.y, one.at.z}, one.inside ? 1 : 0, 0);
  }

  TetraMapId id_;
  alignas(8) unsigned char bytes_[32];
};

}  // namespace tri::cuda
