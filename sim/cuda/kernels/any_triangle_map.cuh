#pragma once
/// One type for all block-space triangle maps with one tile a block, for kernels whose tiles are so large that asking
/// costs nothing: a block takes one uniform branch on the map's id for 8,192 pairs or more. lambda-stream, whose blocks
/// walk many tiles, is compiled for itself: a loop over tiles holds registers that one tile does not need. (Kernels of
/// one thread an element are instantiated for each map instead.) Passed to a kernel by value.

#include <cstring>
#include <type_traits>

#include "sim/base/contracts.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {

class AnyTriangleMap {
 public:
  template <class M>
  AnyTriangleMap(TriangleMapId id, const M& map) : id_(id) {
    static_assert(std::is_trivially_copyable_v<M> && sizeof(M) <= sizeof(bytes_));
    static_assert(M::kInfo.space == Space::block && !std::is_same_v<M, TriangleLambdaStream>);
    std::memcpy(bytes_, &map, sizeof(M));
  }

  __device__ __forceinline__ OneTile<Tile2> begin(const Position& p) const {
    switch (id_) {
      case TriangleMapId::bb:
        return as<TriangleBb>().begin(p);
      case TriangleMapId::lambda_x:
        return as<TriangleLambdaX>().begin(p);
      case TriangleMapId::lambda_n:
        return as<TriangleLambdaN>().begin(p);
      case TriangleMapId::lambda_r:
        return as<TriangleLambdaR>().begin(p);
      case TriangleMapId::lambda_lut:
        return as<TriangleLambdaLut>().begin(p);
      case TriangleMapId::fold:
        return as<TriangleFold>().begin(p);
      case TriangleMapId::rec:
        return as<TriangleRec>().begin(p);
      case TriangleMapId::h:
        return as<TriangleH>().begin(p);
      case TriangleMapId::utm_block:
        return as<TriangleUtmBlock>().begin(p);
      case TriangleMapId::circulant:
        return as<TriangleCirculant>().begin(p);
      case TriangleMapId::lambda:
      case TriangleMapId::lambda_stream:
      case TriangleMapId::rb:
      case TriangleMapId::utm:
        break;  // lambda aside, kept out by the constructor
    }
    return as<TriangleLambda>().begin(p);
  }

 private:
  template <class M>
  __device__ __forceinline__ const M& as() const {
    return *reinterpret_cast<const M*>(bytes_);
  }

  TriangleMapId id_;
  alignas(8) unsigned char bytes_[288];
};

/// Calls f(the map as a kernel takes it: AnyTriangleMap or TriangleLambdaStream). Thread-space maps end the program.
template <class M, class F>
void with_kernel_map(TriangleMapId id, const M& map, F&& f) {
  if constexpr (std::is_same_v<M, TriangleLambdaStream>) {
    f(map);
  } else if constexpr (M::kInfo.space == Space::block) {
    f(AnyTriangleMap(id, map));
  } else {
    TRI_UNREACHABLE("a thread-space map in a kernel of tiles");
  }
}

}  // namespace tri::cuda
