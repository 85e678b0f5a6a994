#pragma once
/// Parses, validates and writes the header of a NumPy file (versions 1.0, 2.0 and 3.0).

#include <span>
#include <vector>

#include "sim/io/files/atomic_file.hpp"

namespace tri::io {

struct NpyHeader {
  bool swapped = false;        ///< items have the other byte order than this machine
  bool fortran_order = false;  ///< column-major; only for files, not for pipes
  char kind = 'f';             ///< 'f' real, 'i' signed, 'u' unsigned
  u32 item_bytes = 8;          ///< f: 4, 8; i, u: 1, 2, 4, 8
  std::vector<u64> shape;      ///< 1 or 2 dimensions, none of them 0
  u64 rows() const { return shape[0]; }
  u64 columns() const { return shape.size() == 2 ? shape[1] : 1; }
};

/// Reads the header and leaves the file at the first item. Checks the shape against the size of a regular file, so that
/// the caller may allocate it. Throws FileError; for types that are not numbers the message has the line of Python that
/// converts them.
NpyHeader read_npy_header(InputFile& file);

/// Writes the header of a C-order array, little-endian: `type` is NumPy's ("<f4", "<f8", "<i8", "|u1"), the data
/// follows.
void write_npy_header(OutputFile& file, const char* type, std::span<const u64> shape);

}  // namespace tri::io
