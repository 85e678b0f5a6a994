/// FNV-1a.

#include "sim/base/numbers.hpp"

#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace tri {
namespace {

constexpr u64 kPrime = 0x100000001b3ull;

/// The rotation brings the upper bits down, which the product alone does not.
u64 with_word(u64 hash, u64 word) { return std::rotl((hash ^ word) * kPrime, 29); }

}  // namespace

u64 fnv1a(u64 hash, const void* data, std::size_t bytes) {
  const auto* byte = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ byte[i]) * kPrime;
  return hash;
}

void WordHash::add(const void* data, std::size_t bytes) {
  const auto* byte = static_cast<const unsigned char*>(data);
  const auto add_byte = [&] {
    word_ |= u64{*byte++} << 8 * filled_;
    --bytes;
    if (++filled_ == sizeof word_) hash_ = with_word(hash_, word_), word_ = 0, filled_ = 0;
  };
  while (bytes > 0 && filled_ > 0) add_byte();
  for (; bytes >= sizeof word_; byte += sizeof word_, bytes -= sizeof word_) {
    u64 word = 0;
    std::memcpy(&word, byte, sizeof word);
    hash_ = with_word(hash_, word);
  }
  while (bytes > 0) add_byte();
}

u64 WordHash::value() const { return with_word(hash_, word_) ^ filled_; }

std::string hash_text(u64 hash) { return fmt::format("{:016x}", hash); }

}  // namespace tri
