#pragma once
/// One type for all block-space triangle maps, for kernels whose tiles are so large that asking costs nothing: a block
/// takes one uniform branch on the map's id for 16,384 pairs or more. (Kernels of one thread an element are
/// instantiated for each map instead.) Passed to a kernel by value.

#include <cstring>
#include <type_traits>

#include "sim/contracts.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {

class AnyTriangleMap {
 public:
  template <class M>
  AnyTriangleMap(TriangleMapId id, const M& map) : id_(id) {
    static_assert(std::is_trivially_copyable_v<M> && sizeof(M) <= sizeof(bytes_));
    TRI_EXPECTS(M::kInfo.space == Space::block);
    std::memcpy(bytes_, &map, sizeof(M));
  }

  __device__ __forceinline__ TriangleRun begin(const Position& p) const {
    switch (id_) {
      case TriangleMapId::bb:
        return run(as<TriangleBb>().begin(p));
      case TriangleMapId::lambda_x:
        return run(as<TriangleLambdaX>().begin(p));
      case TriangleMapId::lambda_n:
        return run(as<TriangleLambdaN>().begin(p));
      case TriangleMapId::lambda_r:
        return run(as<TriangleLambdaR>().begin(p));
      case TriangleMapId::lambda_lut:
        return run(as<TriangleLambdaLut>().begin(p));
      case TriangleMapId::lambda_stream:
        return as<TriangleLambdaStream>().begin(p);
      case TriangleMapId::fold:
        return run(as<TriangleFold>().begin(p));
      case TriangleMapId::rec:
        return run(as<TriangleRec>().begin(p));
      case TriangleMapId::h:
        return run(as<TriangleH>().begin(p));
      case TriangleMapId::utm_block:
        return run(as<TriangleUtmBlock>().begin(p));
      case TriangleMapId::circulant:
        return run(as<TriangleCirculant>().begin(p));
      case TriangleMapId::lambda:
      case TriangleMapId::rb:
      case TriangleMapId::utm:
        break;  // the thread-space ones are kept out by the constructor
    }
    return run(as<TriangleLambda>().begin(p));
  }

 private:
  template <class M>
  __device__ __forceinline__ const M& as() const {
    return *reinterpret_cast<const M*>(bytes_);
  }
  static __device__ __forceinline__ TriangleRun run(const OneTile<Tile2>& one) {
    return {{one.at.row, one.at.col}, one.inside ? 1u : 0u, 0};
  }

  TriangleMapId id_;
  alignas(8) unsigned char bytes_[288];
};

}  // namespace tri::cuda
