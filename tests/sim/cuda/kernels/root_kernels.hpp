#pragma once
/// The inverses of the triangular and tetrahedral numbers on the device, compiled with different flags of arithmetic.

#include <vector>

#include "sim/maps/figurate.hpp"

namespace tri::test {

enum class RootKind : u8 { sqrt, rsqrt, newton, float_seed, double_seed, layer };
inline constexpr RootKind kRootKinds[] = {RootKind::sqrt,       RootKind::rsqrt,       RootKind::newton,
                                          RootKind::float_seed, RootKind::double_seed, RootKind::layer};

TRI_HD inline u32 root_of(RootKind kind, u64 w) {
  switch (kind) {
    case RootKind::sqrt:
      return triangular_root<RootSeed::sqrt>(w);
    case RootKind::rsqrt:
      return triangular_root<RootSeed::rsqrt>(w);
    case RootKind::newton:
      return triangular_root<RootSeed::newton>(w);
    case RootKind::float_seed:
      return triangular_root_float(w);
    case RootKind::double_seed:
      return triangular_root_double(w);
    case RootKind::layer:
      break;
  }
  return tetrahedral_root(w);
}

/// Omega number k of a random sample below 2^bits.
TRI_HD inline u64 sample_omega(u64 k, u32 bits) {
  u64 z = (k + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return (z ^ (z >> 31)) >> (64 - bits);
}

struct RootKernels {
  const char* flags;  ///< "plain", "fast_math" or "without_fma"
  /// How many omega in [from, to) get a wrong row (layer), each checked without using any root.
  u64 (*wrong)(RootKind kind, u64 from, u64 to);
  /// The roots of sample omegas from .. from+count-1 below 2^bits.
  std::vector<u32> (*roots)(RootKind kind, u64 from, u64 count, u32 bits);
};

RootKernels root_kernels_plain();
RootKernels root_kernels_fast_math();
RootKernels root_kernels_without_fma();

}  // namespace tri::test
