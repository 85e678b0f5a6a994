#pragma once
/// The bodies of a simulation in the kernels' layout: two 16- or 32-byte vectors per body, so that one load fetches
/// what a pair law needs; and where its sums go. What kernels read that are compiled at run time, too (sim/cuda/jit).

#include "sim/base/platform.hpp"
#include "sim/cuda/kernels/pairs/vec4.hpp"

namespace tri::cuda {

/// Places of bodies in an array, high excluded.
struct BodyRange {
  u32 low = 0, high = 0;
};

/// Views of device memory, [n] each; not owned. Must stay valid as long as enqueued work reads them.
template <class Real>
struct DeviceState {
  const Vec4<Real>* position = nullptr;  ///< x, y, z, m
  const Vec4<Real>* velocity = nullptr;  ///< vx, vy, vz, r; laws of position and mass alone never read it
  u32 n = 0;
  /// [n] charges in the order of the bodies; null: 0 everywhere. What sorts bodies for itself (the grid of contacts and
  /// its domains, gravity and triples on tensor cores) leaves them alone: no law that reads charges runs there.
  const Real* charge = nullptr;
};

/// Where kernels add the sums of bodies, device memory. fast: `out`, zeroed by the caller. ordered: the three others,
/// zero before the first launch and left zero by finish_ordered_sums() (pair_tiles.hpp).
template <class Real>
struct PairSums {
  Vec4<Real>* out = nullptr;           ///< [n]
  unsigned long long* bins = nullptr;  ///< [ordered_bins(precision), 3, n]
  u32* broken = nullptr;               ///< [n] nonzero: a term was out of range
};

}  // namespace tri::cuda
