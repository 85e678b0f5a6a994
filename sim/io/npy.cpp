// Arrays of NumPy: bodies and points.

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "sim/base/error.hpp"
#include "sim/files/text.hpp"
#include "sim/io/formats.hpp"

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
std::string_view split_value(std::string_view& text) {
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
    const std::string_view key = split_value(text);
    text = trimmed(text);
    if (key.empty() || !text.starts_with(':')) fail_header(file);
    text = trimmed(text.substr(1));
    const std::string_view value = split_value(text);
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
  header.swapped = bytes != '1' && is_swapped(order == '>');
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

// Reads NumPy arrays of reals and integers as bodies or points, in chunks.

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

/// The value of one item. Integers beyond 2^53 that a double cannot represent give NaN, which the caller refuses.
template <class Item, bool kSwapped>
double value_of(const char* bytes) {
  const auto item = item_at<Item>(bytes, kSwapped);
  if constexpr (sizeof(Item) == 8 && std::is_integral_v<Item>) {
    constexpr double kLimit = std::is_signed_v<Item> ? 0x1p63 : 0x1p64;
    const auto value = static_cast<double>(item);
    if (value >= kLimit || static_cast<Item>(value) != item) return std::nan("");
    return value;
  } else {
    return static_cast<double>(item);
  }
}

using Convert = double (*)(const char*);

template <bool kSwapped>
Convert converter_of(const NpyHeader& header) {
  if (header.kind == 'f') return header.item_bytes == 4 ? value_of<float, kSwapped> : value_of<double, kSwapped>;
  const bool sign = header.kind == 'i';
  switch (header.item_bytes) {
    case 1:
      return sign ? value_of<std::int8_t, kSwapped> : value_of<std::uint8_t, kSwapped>;
    case 2:
      return sign ? value_of<std::int16_t, kSwapped> : value_of<std::uint16_t, kSwapped>;
    case 4:
      return sign ? value_of<std::int32_t, kSwapped> : value_of<std::uint32_t, kSwapped>;
    default:
      return sign ? value_of<std::int64_t, kSwapped> : value_of<std::uint64_t, kSwapped>;
  }
}

/// Calls put(values, k) for chunks of finite items starting at item k, in file order. In C order a chunk holds complete
/// rows.
template <class Put>
void for_each_chunk(InputFile& file, const NpyHeader& header, Put put) {
  const Convert convert = header.swapped ? converter_of<true>(header) : converter_of<false>(header);
  const u64 columns = header.columns(), items = header.rows() * columns;
  const u64 chunk_items = std::max<u64>(1, kChunkBytes / (columns * header.item_bytes)) * columns;
  std::vector<char> chunk(static_cast<std::size_t>(std::min(chunk_items, items)) * header.item_bytes);
  std::vector<double> values;
  for (u64 done = 0; done < items; done += values.size()) {
    values.resize(static_cast<std::size_t>(std::min(chunk_items, items - done)));
    const std::size_t bytes = values.size() * header.item_bytes;
    if (file.read(chunk.data(), bytes) != bytes) {
      throw FileError(
          fmt::format("'{}' ends before its {} rows are complete; write the file again.", file.path(), header.rows()));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = convert(&chunk[i * header.item_bytes]);
      if (std::isfinite(values[i])) continue;
      const u64 k = done + i, row = header.fortran_order ? k % header.rows() : k / columns;
      throw FileError(fmt::format("'{}', row {}, column {} (both from 0): {}; remove or repair the row.", file.path(),
                                  row, header.fortran_order ? k / header.rows() : k % columns,
                                  header.kind == 'f' ? "not a finite number" : "an integer beyond 2^53"));
    }
    put(values, done);
  }
}

void check_mass(const std::string& path, u64 row, double mass) {
  if (mass >= 0) return;
  throw FileError(fmt::format(
      "'{}', row {}, column 0 (both from 0): the mass {:.17g} is negative; a mass is 0 or more.", path, row, mass));
}

/// An array [N, 3] or [N, 7] in C order.
void read_rows(InputFile& file, const NpyHeader& header, Bodies& to) {
  const std::size_t columns = static_cast<std::size_t>(header.columns());
  for_each_chunk(file, header, [&](const std::vector<double>& values, u64 first) {
    for (std::size_t i = 0; i < values.size(); i += columns) {
      const double* v = &values[i];
      if (columns == 3) {
        to.add(v[0], v[1], v[2], 0, 0, 0, 1.0);
        continue;
      }
      check_mass(file.path(), (first + i) / columns, v[0]);
      to.add(v[1], v[2], v[3], v[4], v[5], v[6], v[0]);
    }
  });
}

/// An array [N, 3] or [N, 7] in Fortran order.
void read_columns(InputFile& file, const NpyHeader& header, Bodies& to) {
  const bool full = header.columns() == 7;
  const std::array<std::vector<double>*, 7> arrays{&to.m, &to.x, &to.y, &to.z, &to.vx, &to.vy, &to.vz};
  to.resize(static_cast<std::size_t>(header.rows()));
  if (!full) std::fill(to.m.begin(), to.m.end(), 1.0);
  for_each_chunk(file, header, [&](const std::vector<double>& values, u64 first) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const u64 row = (first + i) % header.rows(), column = (first + i) / header.rows();
      if (full && column == 0) check_mass(file.path(), row, values[i]);
      (*arrays[column + (full ? 0 : 1)])[row] = values[i];
    }
  });
}

}  // namespace

Bodies read_npy(const std::string& path, ReadReport& reading) {
  InputFile file(path);
  const NpyHeader header = read_npy_header(file);
  const u64 columns = header.columns();
  if (header.shape.size() != 2 || (columns != 3 && columns != 7)) {
    throw FileError(fmt::format("'{}' has the shape ({}{}); bodies are [N, 3] (x y z) or [N, 7] (m x y z vx vy vz).",
                                path, header.rows(), header.shape.size() == 2 ? fmt::format(", {}", columns) : ","));
  }
  check_count(header.rows(), [&](const char* what) { throw FileError(fmt::format("'{}' {}.", path, what)); });
  if (columns == 3) reading.without_masses = "three columns, x y z";
  Bodies bodies;
  if (file.size()) reserve(bodies, header.rows());  // the header was checked against the file size
  if (header.fortran_order) {
    read_columns(file, header, bodies);
  } else {
    read_rows(file, header, bodies);
  }
  return bodies;
}

PointSet read_npy_points(const std::string& path, const PointColumns& wanted, Notes& notes) {
  if (!wanted.names.empty()) {
    throw FileError(fmt::format("'{}': npy has no names of columns; leave --columns out, or save those alone.", path));
  }
  InputFile file(path);
  const NpyHeader header = read_npy_header(file);
  if (header.columns() > kMaxFeatures) {
    throw FileError(
        fmt::format("'{}' has {} columns; a point has at most {} features.", path, header.columns(), kMaxFeatures));
  }
  check_count(header.rows(), [&](const char* what) { throw FileError(fmt::format("'{}' {}.", path, what)); });
  if (header.columns() == 7) {
    notes.push_back(fmt::format(
        "'{}' has seven columns, and all of them are features; of bodies, m x y z vx vy vz, save x y z alone.", path));
  }
  PointSet points;
  points.n = static_cast<u32>(header.rows());
  points.features = static_cast<u32>(header.columns());
  if (file.size()) points.values.reserve(static_cast<std::size_t>(header.rows() * header.columns()));
  if (header.fortran_order) points.values.resize(static_cast<std::size_t>(header.rows() * header.columns()));
  for_each_chunk(file, header, [&](const std::vector<double>& values, u64 first) {
    const auto beyond = std::find_if(values.begin(), values.end(), [&](double v) { return is_beyond(v, wanted); });
    if (beyond != values.end()) {
      const u64 k = first + static_cast<u64>(beyond - values.begin());
      const u64 row = header.fortran_order ? k % header.rows() : k / header.columns();
      throw FileError(fmt::format("'{}', row {} (from 0): {:g} {}.", path, row, *beyond, kBeyond));
    }
    if (!header.fortran_order) {
      points.values.insert(points.values.end(), values.begin(), values.end());
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const u64 row = (first + i) % header.rows(), column = (first + i) / header.rows();
      points.values[row * header.columns() + column] = values[i];
    }
  });
  return points;
}

}  // namespace tri::io

// Writes NumPy arrays, format version 1.0 (NumPy Enhancement Proposal 1): 6 bytes of magic, the version, the length of
// the header, a Python dictionary padded with blanks so that the data starts at a multiple of 64, the data.

namespace tri {

static_assert(std::endian::native == std::endian::little, "the data is written as it is in memory");

namespace io {

void write_npy_header(io::OutputFile& file, const char* type, std::span<const u64> shape) {
  // A Python tuple of one element keeps its comma.
  std::string sizes;
  for (const u64 size : shape) sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", size);
  if (shape.size() == 1) sizes += ',';
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sizes);
  constexpr std::size_t kBefore = 10;
  header.append(63 - (kBefore + header.size()) % 64, ' ');
  header += '\n';
  file.write(std::string_view("\x93NUMPY\x01\x00", 8));
  const std::array<char, 2> length{static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  file.write(length.data(), length.size());
  file.write(header);
}

}  // namespace io

namespace {

template <class Real>
constexpr const char* kType = sizeof(Real) == 1   ? "|u1"
                              : sizeof(Real) == 4 ? "<f4"
                                                  : "<f8";

template <class Real>
void write_array(const std::string& path, std::span<const Real> values, std::span<const u64> shape) {
  TRI_EXPECTS(shape.size() == 1 || shape.size() == 2);
  u64 product = 1;
  for (const u64 size : shape) product *= size;
  TRI_EXPECTS(product == values.size());
  io::OutputFile file(path);
  io::write_npy_header(file, kType<Real>, shape);
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  for (std::size_t first = 0; first < values.size(); first += kChunk) {
    file.progress(first, values.size());
    const auto chunk = values.subspan(first, std::min(kChunk, values.size() - first));
    file.write(chunk.data(), chunk.size_bytes());
  }
  file.commit();
}

template <class Value, class Fill>
void write_chunks(const std::string& path, const char* type, std::span<const u64> shape, const Fill& fill) {
  constexpr u64 kChunk = 1 << 15;
  TRI_EXPECTS(!shape.empty() && shape.size() <= 3);
  u64 values = 1;
  for (const u64 size : shape) values *= size;
  io::OutputFile file(path);
  io::write_npy_header(file, type, shape);
  std::vector<Value> chunk(static_cast<std::size_t>(std::min(kChunk, values)));
  for (u64 first = 0; first < values; first += kChunk) {
    const u64 count = std::min(kChunk, values - first);
    file.progress(first, values);
    fill(first, count, chunk.data());
    file.write(chunk.data(), static_cast<std::size_t>(count) * sizeof(Value));
  }
  file.commit();
}

}  // namespace

void write_npy(const std::string& path, std::span<const float> values, std::span<const u64> shape) {
  write_array(path, values, shape);
}

void write_npy(const std::string& path, std::span<const double> values, std::span<const u64> shape) {
  write_array(path, values, shape);
}

void write_npy(const std::string& path, std::span<const u8> values, std::span<const u64> shape) {
  write_array(path, values, shape);
}

void write_npy(const std::string& path, std::span<const u64> shape, const NpyChunk& fill) {
  write_chunks<double>(path, "<f8", shape, fill);
}

void write_npy(const std::string& path, std::span<const u64> shape, const NpyIntegers& fill) {
  write_chunks<i64>(path, "<i8", shape, fill);
}

namespace io {

void write_npy_bodies(OutputFile& file, const Bodies& b, const StateInfo& /*state*/) {
  const std::array<u64, 2> shape{b.size(), 7};
  write_npy_header(file, "<f8", shape);
  for (std::size_t i = 0; i < b.size(); ++i) {
    file.progress(i, b.size());
    const std::array<double, 7> row{b.m[i], b.x[i], b.y[i], b.z[i], b.vx[i], b.vy[i], b.vz[i]};
    file.write(row.data(), sizeof row);
  }
}

}  // namespace io
}  // namespace tri
