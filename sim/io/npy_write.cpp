/// Writes NumPy arrays, format version 1.0 (NumPy Enhancement Proposal 1): 6 bytes of magic, the version, the length of
/// the header, a Python dictionary padded with blanks so that the data starts at a multiple of 64, the data.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "sim/base/contracts.hpp"
#include "sim/io/format_table.hpp"
#include "sim/io/npy_header.hpp"

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
