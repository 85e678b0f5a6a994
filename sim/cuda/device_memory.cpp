#include "sim/cuda/device_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/cuda/check.hpp"

namespace tri::cuda {
namespace {

constexpr u64 kReserve = u64{256} << 20;

std::string gib(u64 bytes) { return fmt::format("{:.3g} GiB", static_cast<double>(bytes) / 1073741824.0); }

}  // namespace

u64 free_device_memory() {
  std::size_t available = 0, total = 0;
  TRI_CUDA(cudaMemGetInfo(&available, &total));
  return available - std::min<u64>(available, kReserve);
}

void need_device_memory(u64 bytes, const std::string& what, const std::string& cure) {
  const u64 available = free_device_memory();
  if (bytes <= available) return;
  throw MemoryError(
      fmt::format("{} needs {} of the card's memory; {} are free. {}.", what, gib(bytes), gib(available), cure));
}

}  // namespace tri::cuda
