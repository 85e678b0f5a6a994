#pragma once
/// Output of the fast sums of triples: forces and energy by one vector addition, to this block's copy.

#include "sim/cuda/kernels/pairs/pair_bodies.cuh"
#include "sim/cuda/kernels/triples/triple_copies.hpp"

namespace tri::cuda {

/// Neighbouring blocks use different copies.
template <u32 kCopies, class Real>
__device__ __forceinline__ Vec4<Real>* copy_of_block(Vec4<Real>* copies, u32 n) {
  const u32 copy = (blockIdx.x + 5 * blockIdx.y + 3 * blockIdx.z) % kCopies;
  return copies + u64{copy} * n;
}

__device__ __forceinline__ void add_with_energy(Vec4<float>* out, const Sum3<float>& s, float energy) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (atomicAdd(reinterpret_cast<float4*>(out), make_float4(s.x, s.y, s.z, energy));),
                    (add_fast(out, s); atomicAdd(&out->w, energy);))
}

__device__ __forceinline__ void add_with_energy(Vec4<double>* out, const Sum3<double>& s, double energy) {
  add_fast(out, s);
  atomicAdd(&out->w, energy);
}

}  // namespace tri::cuda
