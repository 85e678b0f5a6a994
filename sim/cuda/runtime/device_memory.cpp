#include "sim/cuda/runtime/device_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

constexpr u64 kReserve = u64{256} << 20;

}  // namespace

u64 free_device_memory() {
  std::size_t available = 0, total = 0;
  TRI_CUDA(cudaMemGetInfo(&available, &total));
  return available - std::min<u64>(available, kReserve);
}

void require_device_memory(double bytes, const std::string& what, const std::string& hint) {
  const u64 available = free_device_memory();
  if (bytes > static_cast<double>(available)) fail_device_memory(bytes, available, what, hint);
}

void fail_device_memory(double bytes, u64 available, const std::string& what, const std::string& hint) {
  throw MemoryError(fmt::format("{} needs {} of GPU memory; {} are free. {}.", what, gib_text(bytes),
                                gib_text(static_cast<double>(available)), hint));
}

void* allocate_device_memory(std::size_t count, std::size_t size) {
  if (count == 0) return nullptr;
  void* memory = nullptr;
  const bool countable = count <= std::numeric_limits<std::size_t>::max() / size;
  const cudaError_t status = countable ? cudaMalloc(&memory, count * size) : cudaErrorMemoryAllocation;
  if (status == cudaSuccess) return memory;
  if (status != cudaErrorMemoryAllocation) throw_error(status, "cudaMalloc");
  (void)cudaGetLastError();  // clear it for the next launch
  throw MemoryError(
      fmt::format("cannot allocate {} of GPU memory (cudaErrorMemoryAllocation); another program may use it. Wait for "
                  "that, or use a smaller --n.",
                  gib_text(static_cast<double>(count) * static_cast<double>(size))));
}

}  // namespace tri::cuda
