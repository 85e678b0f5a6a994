#include "sim/cuda/jit/kernel_code.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>

namespace tri::cuda {
namespace {

/// Says once in a process that kernels cannot be kept.
void report_unkept(const std::string& why) {
  static std::once_flag once;
  std::call_once(once, [&] {
    fmt::print(stderr,
               "triangulum: compiled kernels of typed laws and maps are not kept, and each start compiles them: {}\n",
               why);
  });
}

}  // namespace

KernelKey key_of(const KernelText& text, const nvrtc::Compiler& compiler, const nvrtc::Target& target) {
  KernelKey key;
  key.add(fmt::format("NVRTC {}", compiler.version));
  key.add(target.option());
  for (const std::string& option : nvrtc::options()) key.add(option);
  key.add(text.common);
  key.add(text.own);
  return key;
}

std::vector<char> kernel_code(const KernelText& text, const nvrtc::Compiler& compiler, const nvrtc::Target& target,
                              const KernelCache& cache) {
  const KernelKey key = key_of(text, compiler, target);
  if (auto kept = cache.find(key)) return *std::move(kept);
  std::vector<char> code = nvrtc::compile(compiler, std::string(text.common) + text.own, target);
  if (const std::string why = cache.keep(key, code); !why.empty()) report_unkept(why);
  return code;
}

}  // namespace tri::cuda
