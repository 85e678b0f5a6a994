#include "sim/cuda/cuda_engine_impulses.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/cuda/device_memory.hpp"
#include "sim/cuda/kernel_choice.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {
namespace {

/// Equal spheres that touch and do not overlap have at most 12 neighbours, 6 pairs a body.
constexpr u64 kPairsABody = 16;

u64 first_capacity(u64 n) { return std::max<u64>(1, std::min(triangular(n - 1), kPairsABody * n)); }

}  // namespace

template <class Real>
u64 impulse_bytes(u64 n) {
  return n * (sizeof(Sphere<Real>) + sizeof(unsigned long long)) + first_capacity(n) * sizeof(uint2);
}

template <class Real>
Impulses<Real>::Impulses(const EngineConfig& config, const Box& box, u32 n, cudaStream_t stream)
    : config_(config), image_(box), n_(n), spheres_(n), count_(1), turn_(n) {
  const KernelChoice kernel = choose_kernel(config.pair_map, n, config.pair_block, collision_tile_for(n),
                                            {kCollisionTileSmall, kCollisionTileLarge});
  block_ = kernel.block;
  tiles_ = kernel.tiles;
  turn_.fill_bytes(0xff, stream);
  TRI_CUDA(cudaStreamSynchronize(stream));
  prepare(first_capacity(n));
}

template <class Real>
void Impulses<Real>::prepare(u64 capacity) {
  pairs_ = {};
  need_device_memory(capacity * sizeof(uint2), fmt::format("the list of {} overlapping pairs", capacity),
                     "Use fewer bodies or smaller radii");
  pairs_ = DeviceBuffer<uint2>(capacity);
  const CollisionOutput out{count_.data(), nullptr, pairs_.data(), capacity};
  search_ = tiles_ ? prepare_collision_tiles<Real>(config_.pair_map, n_, block_, 3, spheres_.data(), out, image_)
                   : prepare_collision_elements<Real>(config_.pair_map, n_, block_, 3, spheres_.data(), out, image_);
}

template <class Real>
void Impulses<Real>::enqueue(cudaStream_t stream, const StepArrays<Real>& arrays, const laws::ImpulseRule<Real>& rule,
                             u32 segment) {
  count_.fill_bytes(0, stream);
  search_.enqueue(stream);
  enqueue_impulses(stream, arrays, OverlapList{count_.data(), pairs_.data(), pairs_.size(), turn_.data()}, rule,
                   segment);
}

template <class Real>
void Impulses<Real>::grow(cudaStream_t stream) {
  // A quarter more, for the next steps.
  const u64 count = count_.download(stream)[0];
  prepare(std::min(triangular(u64{n_} - 1), count + count / 4));
}

template u64 impulse_bytes<float>(u64);
template u64 impulse_bytes<double>(u64);
template class Impulses<float>;
template class Impulses<double>;

}  // namespace tri::cuda
