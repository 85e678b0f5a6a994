#pragma once
/// The header of a NumPy file (versions 1.0, 2.0 and 3.0), read and judged.

#include <vector>

#include "sim/io/files/atomic_file.hpp"

namespace tri::io {

/// What the data is. Types that are no numbers are refused with the line of Python that cures them.
struct NpyHeader {
  bool swapped = false;     ///< the bytes of an item stand in the other order than this machine's
  bool by_columns = false;  ///< Fortran order: a column stands after the other; of files alone, not of pipes
  char kind = 'f';          ///< 'f' real, 'i' signed, 'u' unsigned
  u32 item_bytes = 8;       ///< f: 4, 8; i, u: 1, 2, 4, 8
  std::vector<u64> shape;   ///< 1 or 2 dimensions, none of them 0
  u64 rows() const { return shape[0]; }
  u64 columns() const { return shape.size() == 2 ? shape[1] : 1; }
};

/// Reads the header; the file then stands at the first item. For a regular file the size is held against the shape,
/// so that no memory is taken for rows that are not there. Throws FileError.
NpyHeader read_npy_header(InputFile& file);

}  // namespace tri::io
