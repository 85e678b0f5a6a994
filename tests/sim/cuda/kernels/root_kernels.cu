// Compiled once for each set of flags, named by TRI_ROOT_FLAGS; TRI_ROOT_KERNELS is the name of its entry point.

#include "sim/cuda/runtime/device.hpp"
#include "sim/maps/map_check.hpp"
#include "tests/sim/cuda/kernels/kernels.hpp"

namespace tri::test {
namespace {

template <RootKind kKind>
__global__ void wrong_kernel(u64 from, u64 to, unsigned long long* wrong) {
  unsigned long long mine = 0;
  for (u64 w = from + u64{blockIdx.x} * blockDim.x + threadIdx.x; w < to; w += u64{gridDim.x} * blockDim.x) {
    const u32 root = root_of(kKind, w);
    mine += !(kKind == RootKind::layer ? layer_is_right(w, root) : row_is_right(w, root));
  }
  if (mine != 0) atomicAdd(wrong, mine);
}

template <RootKind kKind>
__global__ void roots_kernel(u64 from, u64 count, u32 bits, u32* out) {
  const u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count) out[k] = root_of(kKind, sample_omega(from + k, bits));
}

/// Calls f with the kind as a constant.
template <class F>
void with_kind(RootKind kind, F&& f) {
  switch (kind) {
    case RootKind::sqrt:
      return f(std::integral_constant<RootKind, RootKind::sqrt>());
    case RootKind::rsqrt:
      return f(std::integral_constant<RootKind, RootKind::rsqrt>());
    case RootKind::newton:
      return f(std::integral_constant<RootKind, RootKind::newton>());
    case RootKind::float_seed:
      return f(std::integral_constant<RootKind, RootKind::float_seed>());
    case RootKind::double_seed:
      return f(std::integral_constant<RootKind, RootKind::double_seed>());
    case RootKind::layer:
      return f(std::integral_constant<RootKind, RootKind::layer>());
  }
}

u64 count_wrong(RootKind kind, u64 from, u64 to) {
  cuda::DeviceBuffer<unsigned long long> wrong(1);
  wrong.fill_bytes(0, nullptr);
  with_kind(kind, [&](auto k) { wrong_kernel<decltype(k)::value><<<8192, 256>>>(from, to, wrong.data()); });
  cuda::check_launch("wrong roots");
  return wrong.download(nullptr)[0];
}

std::vector<u32> sample_roots(RootKind kind, u64 from, u64 count, u32 bits) {
  cuda::DeviceBuffer<u32> out(count);
  const u32 blocks = static_cast<u32>((count + 255) / 256);
  with_kind(kind, [&](auto k) { roots_kernel<decltype(k)::value><<<blocks, 256>>>(from, count, bits, out.data()); });
  cuda::check_launch("roots");
  return out.download(nullptr);
}

}  // namespace

RootKernels TRI_ROOT_KERNELS() { return {TRI_ROOT_FLAGS, count_wrong, sample_roots}; }

}  // namespace tri::test
