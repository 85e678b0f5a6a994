#pragma once
/// The device's side of runtime/early_launch.hpp.

#include <nv/target>

namespace tri::cuda {

/// Waits until all work ahead of this kernel on its stream is done, and lets the next kernel start early in turn. Does
/// nothing in code for devices before 9.0, where launches are in order anyway.
__device__ __forceinline__ void await_earlier() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("griddepcontrol.wait;" ::
                                                    : "memory");
                                   asm volatile("griddepcontrol.launch_dependents;" ::
                                                    : "memory");))
}

}  // namespace tri::cuda
