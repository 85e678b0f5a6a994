#include "sim/io/vtk_array.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "sim/io/files/atomic_file.hpp"
#include "sim/io/files/text_input.hpp"

namespace tri::io {

namespace {

template <class Item>
double value_of(const char* bytes, bool swap) {
  std::array<char, sizeof(Item)> raw{};
  std::copy_n(bytes, sizeof(Item), raw.begin());
  if (swap) std::reverse(raw.begin(), raw.end());
  Item item;
  std::memcpy(&item, raw.data(), sizeof item);
  return static_cast<double>(item);
}

struct Type {
  std::string_view name;
  std::size_t bytes;
  double (*value)(const char* bytes, bool swap);
};

constexpr Type kNumberTypes[] = {{"Float64", 8, value_of<double>},     {"Float32", 4, value_of<float>},
                                 {"Int8", 1, value_of<std::int8_t>},   {"UInt8", 1, value_of<std::uint8_t>},
                                 {"Int16", 2, value_of<std::int16_t>}, {"UInt16", 2, value_of<std::uint16_t>},
                                 {"Int32", 4, value_of<std::int32_t>}, {"UInt32", 4, value_of<std::uint32_t>},
                                 {"Int64", 8, value_of<std::int64_t>}, {"UInt64", 8, value_of<std::uint64_t>}};

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/// Decodes base64 up to its end, a '=' or a '<', to at most max_bytes.
std::string from_base64(std::string_view text, u64 max_bytes) {
  std::string bytes;
  u32 bits = 0, count = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    const int digit = base64_digit(c);
    if (digit < 0) {
      if (c == '=' || c == '<') break;
      throw std::string("has an invalid base64 character");
    }
    bits = bits << 6 | static_cast<u32>(digit), count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
    if (bytes.size() >= max_bytes) break;
  }
  return bytes;
}

std::vector<double> from_text(std::string_view text, u64 max_values) {
  std::vector<double> values;
  for (;;) {
    text = trimmed(text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())));
    if (text.empty()) return values;
    const std::string_view field = text.substr(0, text.find_first_of(" \t\r\n"));
    double value = 0;
    if (!parse_number(field, value)) throw fmt::format("holds {}, which is not a number", in_quotes(field));
    if (values.size() == max_values) throw fmt::format("holds more than the {} values announced", max_values);
    values.push_back(value);
    text.remove_prefix(field.size());
  }
}

/// The bytes of an array, without the count before them.
std::string_view data_of(std::string_view bytes, const VtkEncoding& encoding) {
  const std::size_t head = encoding.wide_header ? 8 : 4;
  if (bytes.size() < head) throw std::string("ends before its data: the file is cut off");
  const double count =
      encoding.wide_header ? value_of<u64>(bytes.data(), encoding.swap) : value_of<u32>(bytes.data(), encoding.swap);
  bytes.remove_prefix(head);
  if (count > static_cast<double>(bytes.size())) {
    throw fmt::format("announces {:.0f} bytes but has {}: the file is cut off", count, bytes.size());
  }
  return bytes.substr(0, static_cast<std::size_t>(count));
}

/// The rest of a base64 text after the characters that encode the first `bytes` bytes.
std::string_view after_base64(std::string_view text, u64 bytes) {
  u64 characters = (bytes + 2) / 3 * 4;
  std::size_t at = 0;
  for (; at < text.size() && characters > 0; ++at) {
    if (std::string_view(" \n\r\t").find(text[at]) == std::string_view::npos) --characters;
  }
  return text.substr(at);
}

/// The header of compressed data: number of blocks, uncompressed bytes of a block, of the last one if it is shorter,
/// and compressed bytes of each.
struct Blocks {
  u64 block_bytes = 0, bytes = 0;  ///< uncompressed: of a block; of all
  std::vector<u64> compressed;     ///< bytes of each block
  u64 compressed_bytes = 0;        ///< of all
};

Blocks blocks_of(std::string_view counts, const VtkEncoding& encoding, u64 available) {
  const std::size_t each = encoding.wide_header ? 8 : 4;
  const auto count = [&](u64 k) {
    const char* const at = counts.data() + k * each;
    if (!encoding.wide_header) return static_cast<u64>(value_of<u32>(at, encoding.swap));
    std::array<char, 8> raw{};
    std::copy_n(at, raw.size(), raw.begin());
    if (encoding.swap) std::reverse(raw.begin(), raw.end());
    return std::bit_cast<u64>(raw);
  };
  Blocks blocks;
  blocks.block_bytes = count(1);
  const u64 number = counts.size() / each - 3, last = count(2) == 0 ? blocks.block_bytes : count(2);
  for (u64 k = 0; k < number; ++k) {
    blocks.compressed.push_back(count(3 + k));
    if (__builtin_add_overflow(blocks.compressed_bytes, blocks.compressed.back(), &blocks.compressed_bytes)) {
      blocks.compressed_bytes = ~u64{0};
      break;
    }
  }
  const double bytes = number == 0 ? 0
                                   : static_cast<double>(number - 1) * static_cast<double>(blocks.block_bytes) +
                                         static_cast<double>(last);
  if (last > blocks.block_bytes || blocks.compressed_bytes > available ||
      bytes > max_expanded(static_cast<double>(blocks.compressed_bytes))) {
    throw fmt::format("announces {:.0f} bytes in {} compressed ones but has {}: the file is cut off or damaged", bytes,
                      blocks.compressed_bytes, available);
  }
  blocks.bytes = static_cast<u64>(bytes);
  return blocks;
}

/// Decompresses an array of zlib blocks. In base64, the header and the blocks are encoded separately.
std::string inflated(std::string_view source, bool base64, const VtkEncoding& encoding, u64 max_bytes) {
  const std::size_t each = encoding.wide_header ? 8 : 4;
  const auto first = [&](u64 bytes) {
    return base64 ? from_base64(source, bytes) : std::string(source.substr(0, bytes));
  };
  const std::string begin = first(3 * each);
  if (begin.size() < 3 * each) throw std::string("ends before its data: the file is cut off");
  const double number =
      encoding.wide_header ? value_of<u64>(begin.data(), encoding.swap) : value_of<u32>(begin.data(), encoding.swap);
  if (number > static_cast<double>(source.size())) {
    throw fmt::format("announces {:.0f} compressed blocks: the file is cut off or damaged", number);
  }
  const u64 head = (3 + static_cast<u64>(number)) * each;
  const std::string counts = first(head);
  if (counts.size() < head) throw std::string("ends before its data: the file is cut off");
  source = base64 ? after_base64(source, head) : source.substr(head);
  const Blocks blocks = blocks_of(counts, encoding, source.size());
  if (blocks.bytes > max_bytes) throw fmt::format("holds {} bytes, but {} are announced", blocks.bytes, max_bytes);
  const std::string decoded = base64 ? from_base64(source, blocks.compressed_bytes) : "";
  std::string_view packed = base64 ? std::string_view(decoded) : source;
  if (packed.size() < blocks.compressed_bytes) throw std::string("ends before its data: the file is cut off");
  std::string bytes(blocks.bytes, '\0');
  for (u64 k = 0, at = 0; k < blocks.compressed.size(); ++k) {
    uLongf size = std::min(blocks.block_bytes, blocks.bytes - at);
    const uLongf expected = size;
    const auto* from = reinterpret_cast<const Bytef*>(packed.data());
    if (uncompress(reinterpret_cast<Bytef*>(bytes.data() + at), &size, from, blocks.compressed[k]) != Z_OK ||
        size != expected) {
      throw fmt::format("has a damaged block, number {} of {}; copy the file again", k + 1, blocks.compressed.size());
    }
    at += size;
    packed.remove_prefix(blocks.compressed[k]);
  }
  return bytes;
}

}  // namespace

std::vector<double> values_of(const VtkArray& array, const VtkEncoding& encoding, u64 max_values) {
  const auto type = std::find_if(std::begin(kNumberTypes), std::end(kNumberTypes),
                                 [&](const Type& t) { return t.name == array.type; });
  if (type == std::end(kNumberTypes))
    throw fmt::format("has the type {}; only numbers are read", in_quotes(array.type));
  if (array.format == "ascii") return from_text(array.text, max_values);
  const bool appended = array.format == "appended";
  if (!appended && array.format != "binary") throw fmt::format("has the unknown format {}", in_quotes(array.format));
  if (appended && array.offset > encoding.appended.size()) {
    throw std::string("starts after the end of the file: it is cut off");
  }
  const std::string_view source = appended ? encoding.appended.substr(array.offset) : array.text;
  const bool base64 = !appended || encoding.appended_base64;
  const std::string decoded = encoding.zlib ? inflated(source, base64, encoding, max_values * type->bytes)
                              : base64      ? from_base64(source, 8 + max_values * type->bytes)
                                            : "";
  const std::string_view bytes =
      encoding.zlib ? std::string_view(decoded) : data_of(base64 ? decoded : source, encoding);
  if (bytes.size() % type->bytes != 0 || bytes.size() / type->bytes > max_values) {
    throw fmt::format("holds {} bytes, which are not {} values of {}", bytes.size(), max_values, array.type);
  }
  std::vector<double> values;
  values.reserve(bytes.size() / type->bytes);
  for (std::size_t at = 0; at < bytes.size(); at += type->bytes) {
    values.push_back(type->value(&bytes[at], encoding.swap));
  }
  return values;
}

}  // namespace tri::io
