/// Reading NumPy arrays of reals and integers as bodies or points, in pieces.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "sim/io/format_table.hpp"
#include "sim/io/npy_header.hpp"
#include "sim/io/text_input.hpp"

namespace tri::io {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// One item's value. Integers beyond 2^53 that a double cannot hold give NaN, which the caller refuses.
template <class Item>
double value_of(const char* bytes) {
  Item item;
  std::memcpy(&item, bytes, sizeof item);
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

Convert converter(const NpyHeader& header) {
  if (header.kind == 'f') return header.item_bytes == 4 ? value_of<float> : value_of<double>;
  const bool sign = header.kind == 'i';
  switch (header.item_bytes) {
    case 1:
      return sign ? value_of<std::int8_t> : value_of<std::uint8_t>;
    case 2:
      return sign ? value_of<std::int16_t> : value_of<std::uint16_t>;
    case 4:
      return sign ? value_of<std::int32_t> : value_of<std::uint32_t>;
    default:
      return sign ? value_of<std::int64_t> : value_of<std::uint64_t>;
  }
}

/// Calls row(values, index) for every row; the values are finite.
template <class Row>
void for_each_row(InputFile& file, const NpyHeader& header, Row row) {
  const Convert convert = converter(header);
  const std::size_t columns = static_cast<std::size_t>(header.columns());
  const std::size_t row_bytes = columns * header.item_bytes;
  const std::size_t most_rows = std::max<std::size_t>(1, kPieceBytes / row_bytes);
  std::vector<char> piece(most_rows * row_bytes);
  std::vector<double> values(columns);
  for (u64 done = 0; done < header.rows();) {
    const auto count = static_cast<std::size_t>(std::min<u64>(most_rows, header.rows() - done));
    if (file.read(piece.data(), count * row_bytes) != count * row_bytes) {
      throw FileError(
          fmt::format("'{}' ends before its {} rows are there; write the file again.", file.path(), header.rows()));
    }
    for (std::size_t r = 0; r < count; ++r, ++done) {
      for (std::size_t c = 0; c < columns; ++c) {
        values[c] = convert(&piece[r * row_bytes + c * header.item_bytes]);
        if (std::isfinite(values[c])) continue;
        throw FileError(fmt::format("'{}', row {}, column {} (both from 0): {}; remove or repair the row.", file.path(),
                                    done, c, header.kind == 'f' ? "not a finite number" : "an integer beyond 2^53"));
      }
      row(values, done);
    }
  }
}

}  // namespace

Bodies read_npy(const std::string& path, Reading& /*reading*/) {
  InputFile file(path);
  const NpyHeader header = read_npy_header(file);
  const u64 columns = header.columns();
  if (header.shape.size() != 2 || (columns != 3 && columns != 7)) {
    throw FileError(fmt::format("'{}' has the shape ({}{}); bodies are [N, 3] (x y z) or [N, 7] (m x y z vx vy vz).",
                                path, header.rows(), header.shape.size() == 2 ? fmt::format(", {}", columns) : ","));
  }
  check_count(header.rows(), [&](const char* what) { throw FileError(fmt::format("'{}' {}.", path, what)); });
  Bodies bodies;
  if (file.size()) {  // the header's count is proved by the file's size
    for (auto* a : {&bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz, &bodies.m, &bodies.r}) {
      a->reserve(static_cast<std::size_t>(header.rows()));
    }
  }
  for_each_row(file, header, [&](const std::vector<double>& v, u64 row) {
    if (v.size() == 3) {
      bodies.add(v[0], v[1], v[2], 0, 0, 0, 1.0);
      return;
    }
    if (v[0] < 0) {
      throw FileError(fmt::format(
          "'{}', row {}, column 0 (both from 0): the mass {:.17g} is negative; a mass is 0 or more.", path, row, v[0]));
    }
    bodies.add(v[1], v[2], v[3], v[4], v[5], v[6], v[0]);
  });
  return bodies;
}

PointSet read_npy_points(const std::string& path) {
  InputFile file(path);
  const NpyHeader header = read_npy_header(file);
  if (header.columns() > kMostFeatures) {
    throw FileError(
        fmt::format("'{}' has {} columns; a point has at most {} features.", path, header.columns(), kMostFeatures));
  }
  check_count(header.rows(), [&](const char* what) { throw FileError(fmt::format("'{}' {}.", path, what)); });
  PointSet points;
  points.n = static_cast<u32>(header.rows());
  points.features = static_cast<u32>(header.columns());
  if (file.size()) points.values.reserve(static_cast<std::size_t>(header.rows() * header.columns()));
  for_each_row(file, header, [&](const std::vector<double>& v, u64) {
    points.values.insert(points.values.end(), v.begin(), v.end());
  });
  return points;
}

}  // namespace tri::io
