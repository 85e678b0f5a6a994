#pragma once
/// The bodies of a simulation as kernels read them: two 16- or 32-byte vectors a body, so that one load fetches what a
/// pair law needs of it.

#include "sim/cuda/kernels/pairs/distances.hpp"

namespace tri::cuda {

/// Views of device memory, [n] each; not owned. Must stay put as long as enqueued work reads them.
template <class Real>
struct DeviceState {
  const Vec4<Real>* position = nullptr;  ///< x, y, z, m
  const Vec4<Real>* velocity = nullptr;  ///< vx, vy, vz, r; laws of position and mass alone never read it
  u32 n = 0;
};

}  // namespace tri::cuda
