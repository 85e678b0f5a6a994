/// FNV-1a.

#include "sim/base/state_hash.hpp"

#include <fmt/format.h>

namespace tri {

u64 fnv1a(u64 hash, const void* data, std::size_t bytes) {
  constexpr u64 kPrime = 0x100000001b3ull;
  const auto* byte = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ byte[i]) * kPrime;
  return hash;
}

std::string hash_text(u64 hash) { return fmt::format("{:016x}", hash); }

}  // namespace tri
