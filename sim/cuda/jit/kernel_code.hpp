#pragma once
/// From the text of a kernel to its code. Needs no device, and no CUDA to be built.

#include <string>
#include <string_view>
#include <vector>

#include "sim/cuda/jit/kernel_cache.hpp"
#include "sim/cuda/jit/nvrtc.hpp"

namespace tri::cuda {

/// The text of one kernel: `common`, which many share, then `own`, which instantiates it.
struct KernelText {
  std::string_view common;
  std::string own;
};

/// Hash of the text, the target, the options and the compiler's version.
KernelKey key_of(const KernelText& text, const nvrtc::Compiler& compiler, const nvrtc::Target& target);

/// The code of a kernel by this compiler for this target: from the cache, else compiled and kept there. Needs no
/// device. Throws as nvrtc::compile().
std::vector<char> kernel_code(const KernelText& text, const nvrtc::Compiler& compiler, const nvrtc::Target& target,
                              const KernelCache& cache);

}  // namespace tri::cuda
