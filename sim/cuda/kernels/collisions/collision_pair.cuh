#pragma once
/// The test of one pair, and the recording of a pair that overlaps. Shared by both collision kernels.

#include "sim/cuda/kernels/collisions/sphere.hpp"
#include "sim/laws/overlap.hpp"
#include "sim/laws/scalar_math.hpp"

namespace tri::cuda {

/// The law's two tests. Intervals have no images.
template <u32 kDimensions, class Real>
__device__ __forceinline__ bool touches(const Sphere<Real>& a, const Sphere<Real>& b,
                                        const laws::NearestImage<Real>& image = {}) {
  const Real zero = 0;
  if constexpr (kDimensions == 1) {
    const laws::Body<Real> p{a.x, zero, zero, zero, a.r, zero, zero, zero, zero};
    const laws::Body<Real> q{b.x, zero, zero, zero, b.r, zero, zero, zero, zero};
    const laws::Overlap<Real> law{};
    return law.near(laws::ScalarMath<Real>{}, p, q) && law.touches(p, q);
  } else {
    const laws::Body<Real> p{a.x, a.y, a.z, zero, a.r, zero, zero, zero, zero};
    const laws::Body<Real> q{b.x, b.y, b.z, zero, b.r, zero, zero, zero, zero};
    const laws::Overlap<Real> law{image};
    return law.near(laws::ScalarMath<Real>{}, p, q) && law.touches(p, q);
  }
}

/// Records a pair in every requested output. The caller adds to the total, unless pairs are listed: then the list index
/// is the count.
__device__ __forceinline__ void record(const CollisionOutput& out, u32 i, u32 j) {
  if (out.per_body != nullptr) {
    atomicAdd(&out.per_body[i], 1u);
    atomicAdd(&out.per_body[j], 1u);
  }
  const unsigned long long position = atomicAdd(out.count, 1ull);
  if (out.pairs != nullptr && position < out.capacity) out.pairs[position] = make_uint2(i, j);
}

}  // namespace tri::cuda
