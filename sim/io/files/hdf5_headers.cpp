/// Layout: HDF5 File Format Specification, version 3.0, sections II.A (superblock), IV.A.1 (object headers) and IV.A.2
/// (messages 0x0C, attribute, and 0x10, continuation).

#include "sim/io/files/hdf5_headers.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace tri::io {

namespace {

using Bytes = std::span<const unsigned char>;

constexpr std::size_t kPrefix = 16;        // of a version 1 header
constexpr std::size_t kMessagePrefix = 8;  // type, size, flags
constexpr std::size_t kMaxParts = 4096;    // of one header
constexpr u32 kAttribute = 0x0C, kContinuation = 0x10;
constexpr u32 kShared = 2;  // flag: the message is stored elsewhere

static_assert(std::endian::native == std::endian::little, "HDF5 metadata is little-endian");

template <class Number>
Number at(Bytes bytes, std::size_t offset) {
  Number value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

bool read_exactly(const Hdf5Storage& storage, u64 from, std::span<unsigned char> to) {
  if (from > storage.end || to.size() > storage.end - from) return false;
  for (std::size_t done = 0; done < to.size();) {
    const ssize_t got = ::pread(storage.fd, to.data() + done, to.size() - done, static_cast<off_t>(from + done));
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

bool is_signature(Bytes start) {
  constexpr std::string_view kSignature("\x89HDF\r\n\x1a\n", 8);
  return std::memcmp(start.data(), kSignature.data(), kSignature.size()) == 0;
}

/// Base address of the file: the offset of its signature, 0 or after a user block of 512, 1024, 2048, ... bytes (the
/// library ignores the base address in the superblock). nullopt for addresses and lengths that are not 8 bytes wide;
/// such files are rare and not checked.
std::optional<u64> base_of(const Hdf5Storage& storage) {
  std::array<unsigned char, 16> start{};
  for (u64 base = 0; read_exactly(storage, base, start); base = base == 0 ? 512 : 2 * base) {
    if (!is_signature(start)) continue;
    const std::size_t sizes = start[8] < 2 ? 13 : 9;
    return start[sizes] == 8 && start[sizes + 1] == 8 ? std::optional<u64>(base) : std::nullopt;
  }
  return std::nullopt;
}

/// Number of values of a dataspace; nullopt when it is truncated or overflows.
std::optional<u64> values_in(Bytes space) {
  if (space.size() < 4) return std::nullopt;
  const u32 version = space[0];
  const std::size_t rank = space[1], head = version == 1 ? 8 : 4, lists = (space[2] & 1) != 0 ? 2 : 1;
  if (version == 2 && space[3] == 2) return 0;  // a null dataspace
  if (space.size() < head + 8 * rank * lists) return std::nullopt;
  u64 values = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    if (__builtin_mul_overflow(values, at<u64>(space, head + 8 * d), &values)) return std::nullopt;
  }
  return values;
}

struct Part {
  u64 begin, bytes;
};

/// Validates the messages of one part of a header; continuations are appended to `parts`.
bool valid_messages(Bytes part, u64 base, std::vector<Part>& parts) {
  while (!part.empty()) {
    if (part.size() < kMessagePrefix) return false;
    const u32 type = at<std::uint16_t>(part, 0), flags = part[4];
    const std::size_t size = at<std::uint16_t>(part, 2);
    part = part.subspan(kMessagePrefix);
    if (size > part.size()) return false;
    if (type == kAttribute && (flags & kShared) == 0 && !valid_attribute(part.first(size))) return false;
    if (type == kContinuation) {
      if (size < 16 || parts.size() == kMaxParts) return false;
      parts.push_back({base + at<u64>(part, 0), at<u64>(part, 8)});
    }
    part = part.subspan(size);
  }
  return true;
}

}  // namespace

bool valid_attribute(Bytes message) {
  if (message.size() < 9) return false;
  const u32 version = message[0], shared = version > 1 ? message[1] & 3u : 0;
  const auto padded = [version](std::size_t size) { return version == 1 ? (size + 7) / 8 * 8 : size; };
  const std::size_t name = at<std::uint16_t>(message, 2), type = at<std::uint16_t>(message, 4),
                    space = at<std::uint16_t>(message, 6);
  const std::size_t type_begin = (version == 3 ? 9 : 8) + padded(name), space_begin = type_begin + padded(type),
                    values_begin = space_begin + padded(space);
  if (values_begin > message.size()) return false;
  const Bytes characters = message.first(type_begin).last(padded(name));
  if (std::find(characters.begin(), characters.end(), 0) == characters.end()) return false;
  if (shared != 0) return true;  // type or space are references to another header
  const std::optional<u64> values = values_in(message.subspan(space_begin, space));
  u64 bytes = 0;
  return type >= 8 && values && !__builtin_mul_overflow(*values, u64{at<u32>(message, type_begin + 4)}, &bytes) &&
         bytes <= message.size() - values_begin;
}

bool valid_driver_block(const Hdf5Storage& storage, u64 begin, u64 bytes) {
  std::array<unsigned char, 16> start{};
  if (bytes != start.size()) return true;  // the library reads a driver block's first 16 bytes first
  return read_exactly(storage, begin, start) &&
         (is_signature(start) || at<u32>(start, 4) <= storage.end - begin - start.size());
}

bool valid_heap(const Hdf5Storage& storage, u64 begin) {
  std::array<unsigned char, 16> start{};
  if (!read_exactly(storage, begin, start)) return true;  // shorter than any heap header
  const bool heap = std::memcmp(start.data(), "HEAP", 4) == 0 || std::memcmp(start.data(), "GCOL", 4) == 0;
  return !heap || at<u64>(start, 8) <= storage.end;
}

bool valid_header(Hdf5Storage& storage, u64 begin) {
  const auto holds = [begin](const auto& part) { return begin >= part.first && begin < part.second; };
  if (std::any_of(storage.headers.begin(), storage.headers.end(), holds)) return true;
  std::array<unsigned char, kPrefix> prefix{};
  if (!read_exactly(storage, begin, prefix)) return false;
  if (prefix[0] != 1) return true;
  const std::optional<u64> base = base_of(storage);
  if (!base) return true;
  std::vector<Part> parts{{begin + kPrefix, at<u32>(prefix, 8)}};
  std::vector<unsigned char> bytes;
  u64 left = storage.end;  // bounds the total, also of parts that overlap
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].bytes > left) return false;
    left -= parts[p].bytes;
    bytes.resize(static_cast<std::size_t>(parts[p].bytes));
    if (!read_exactly(storage, parts[p].begin, bytes) || !valid_messages(bytes, *base, parts)) return false;
  }
  parts[0] = {begin, kPrefix + parts[0].bytes};
  for (const Part& part : parts) storage.headers.emplace_back(part.begin, part.begin + part.bytes);
  return true;
}

}  // namespace tri::io
