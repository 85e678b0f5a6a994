/// Reads NumPy arrays of reals and integers as bodies or points, in chunks.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "sim/io/files/text_input.hpp"
#include "sim/io/format_table.hpp"
#include "sim/io/npy_header.hpp"

namespace tri::io {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

/// The value of one item. Integers beyond 2^53 that a double cannot represent give NaN, which the caller refuses.
template <class Item, bool kSwapped>
double value_of(const char* bytes) {
  std::array<char, sizeof(Item)> ordered;
  std::copy_n(bytes, ordered.size(), ordered.begin());
  if constexpr (kSwapped) std::reverse(ordered.begin(), ordered.end());
  const auto item = std::bit_cast<Item>(ordered);
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
  if (file.size()) {  // the header was checked against the file size
    for (auto* a : {&bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz, &bodies.m, &bodies.r}) {
      a->reserve(static_cast<std::size_t>(header.rows()));
    }
  }
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
