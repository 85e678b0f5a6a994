#include "sim/io/npy_header.hpp"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <charconv>
#include <string_view>

#include "sim/io/files/text_input.hpp"

namespace tri::io {

namespace {

[[noreturn]] void fail(const InputFile& file, const std::string& what) {
  throw FileError(fmt::format("'{}': {}.", file.path(), what));
}

[[noreturn]] void fail_header(const InputFile& file) {
  fail(file, "the header is not that of a NumPy array; write the file again with numpy.save");
}

void read_exactly(InputFile& file, void* buffer, std::size_t bytes) {
  if (file.read(buffer, bytes) != bytes) fail(file, "ends inside the header: it was cut off; write the file again");
}

/// The three entries of the dictionary as text. It is a Python literal, but numpy.save always writes it the same way:
/// keys and strings in single quotes, sizes in a tuple.
struct Entries {
  std::string_view descr, fortran_order, shape;
};

/// Removes and returns the leading value of the text: a quoted string, a tuple, or a bare word. Empty if there is none.
std::string_view take_value(std::string_view& text) {
  std::size_t size = 0;
  if (text.starts_with('\'')) {
    size = text.find('\'', 1) + 1;
  } else if (text.starts_with('[')) {
    size = text.find(']') + 1;
  } else if (text.starts_with('(')) {
    size = text.find(')') + 1;
  } else {
    size = std::min(text.find_first_of(",}"), text.size());
  }
  const std::string_view value = trimmed(text.substr(0, size));  // npos + 1 is 0: nothing
  text.remove_prefix(size);
  return value;
}

Entries parse_dictionary(std::string_view text, const InputFile& file) {
  Entries entries;
  text = trimmed(text.substr(0, text.find('\n')));
  if (!text.starts_with('{') || !text.ends_with('}')) fail_header(file);
  text.remove_prefix(1);
  for (text = trimmed(text); text != "}"; text = trimmed(text)) {
    const std::string_view key = take_value(text);
    text = trimmed(text);
    if (key.empty() || !text.starts_with(':')) fail_header(file);
    text = trimmed(text.substr(1));
    const std::string_view value = take_value(text);
    if (value.empty()) fail_header(file);
    if (key == "'descr'") entries.descr = value;
    if (key == "'fortran_order'") entries.fortran_order = value;
    if (key == "'shape'") entries.shape = value;
    text = trimmed(text);
    if (text.starts_with(',')) text.remove_prefix(1);
    if (text.empty()) fail_header(file);
  }
  if (entries.descr.empty() || entries.fortran_order.empty() || entries.shape.empty()) fail_header(file);
  return entries;
}

void set_type(NpyHeader& header, std::string_view descr, const InputFile& file) {
  if (descr.starts_with('[')) {
    fail(file, "has named fields; save numpy.lib.recfunctions.structured_to_unstructured(array) instead");
  }
  const auto refuse = [&] {
    const std::string_view name = descr.size() > 2 && descr[0] == '\'' ? descr.substr(1, descr.size() - 2) : descr;
    fail(file, fmt::format("holds items of type {}; save it as numbers with array.astype('<f8')", in_quotes(name)));
  };
  if (descr.size() != 5) refuse();  // '<f8' in its quotes
  const char order = descr[1], kind = descr[2], bytes = descr[3];
  const bool real = kind == 'f' && (bytes == '4' || bytes == '8');
  const bool integer = (kind == 'i' || kind == 'u') && (bytes == '1' || bytes == '2' || bytes == '4' || bytes == '8');
  if (!real && !integer) refuse();
  if (order != '<' && order != '>' && !(order == '|' && bytes == '1')) refuse();
  header.swapped = bytes != '1' && (order == '<') != (std::endian::native == std::endian::little);
  header.kind = kind;
  header.item_bytes = static_cast<u32>(bytes - '0');
}

void set_shape(NpyHeader& header, std::string_view tuple, const InputFile& file) {
  if (!tuple.starts_with('(')) fail_header(file);
  std::string_view rest = tuple.substr(1, tuple.size() - 2);
  while (!trimmed(rest).empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view digits = trimmed(rest.substr(0, comma));
    u64 size = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (error != std::errc() || end != digits.data() + digits.size()) fail_header(file);
    header.shape.push_back(size);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (header.shape.empty() || header.shape.size() > 2) {
    fail(file, fmt::format("has {} dimensions; an array of points or bodies has 1 or 2 (see array.reshape)",
                           header.shape.size()));
  }
  if (header.rows() == 0 || header.columns() == 0) fail(file, "is an array without items; write at least one row");
}

void check_size(const NpyHeader& header, u64 data_begin, const InputFile& file) {
  u64 items = 0, bytes = 0;
  if (__builtin_mul_overflow(header.rows(), header.columns(), &items) ||
      __builtin_mul_overflow(items, u64{header.item_bytes}, &bytes)) {
    fail(file, "announces more items than any file can hold; the header is damaged, write the file again");
  }
  if (!file.size()) return;
  const u64 present = *file.size() - std::min(*file.size(), data_begin);
  if (present != bytes) {
    fail(file,
         fmt::format("the header announces {} rows of {} ({} bytes), but the file has {} bytes of data; write the "
                     "file again",
                     header.rows(), header.columns(), bytes, present));
  }
}

}  // namespace

NpyHeader read_npy_header(InputFile& file) {
  std::array<unsigned char, 8> magic{};
  const std::size_t got = file.read(magic.data(), magic.size());
  if (got == 0) fail(file, "is empty; write the file again with numpy.save");
  constexpr std::string_view kMagic("\x93NUMPY", 6);
  if (std::string_view(reinterpret_cast<const char*>(magic.data()), 6) != kMagic) {
    fail(file, "is not a NumPy file (it does not begin with \\x93NUMPY); write it with numpy.save");
  }
  if (got < magic.size()) fail(file, "ends inside the header: it was cut off; write the file again");
  const u32 version = magic[6];
  if (version < 1 || version > 3)
    fail(file, fmt::format("is a NumPy file of version {}; only versions 1 to 3 are read", version));

  std::array<unsigned char, 4> length_bytes{};
  const std::size_t length_size = version == 1 ? 2 : 4;
  read_exactly(file, length_bytes.data(), length_size);
  u32 length = 0;
  for (std::size_t i = 0; i < length_size; ++i) length |= u32{length_bytes[i]} << (8 * i);
  // numpy writes a few hundred bytes for arrays of numbers; structured types may need more, but are refused anyway.
  constexpr u32 kMaxLength = 65536;
  if (length > kMaxLength) fail_header(file);
  std::string text(length, ' ');
  read_exactly(file, text.data(), length);

  const Entries entries = parse_dictionary(text, file);
  NpyHeader header;
  set_type(header, entries.descr, file);
  header.fortran_order = entries.fortran_order == "True";
  if (!header.fortran_order && entries.fortran_order != "False") fail_header(file);
  if (header.fortran_order && !file.size()) {
    fail(file, "is in Fortran order, which needs a file and not a pipe; save numpy.ascontiguousarray(array) instead");
  }
  set_shape(header, entries.shape, file);
  check_size(header, magic.size() + length_size + length, file);
  return header;
}

}  // namespace tri::io
