#pragma once
/// A file driver for HDF5 that reads and writes through the file descriptors of InputFile and OutputFile.
///
/// Snapshots are thus written to a temporary file and renamed like every other file, and errors keep the system's
/// errno. A failed write is recorded but reported to the library as success: its error paths on a full disk are not
/// exercised, and the incomplete file is not committed.

#include <string>
#include <utility>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::io {

/// One open HDF5 file. Must live as long as the library has the file open.
struct Hdf5Storage {
  int fd = -1;
  std::string path;                               ///< the only name under which the library may open it
  u64 end = 0;                                    ///< size in bytes
  bool writes = false;                            ///< whether it may be written
  int error = 0;                                  ///< errno of the first write that failed; 0 = none
  u64 read = 0;                                   ///< bytes read so far
  std::vector<std::pair<u64, u64>> headers = {};  ///< [begin, end) of what hdf5_headers.hpp has validated
};

/// hid_t, without the library's header.
using Hdf5Id = i64;

/// A file access property list (close it with H5Pclose) that makes H5Fopen and H5Fcreate use this storage; negative on
/// failure.
Hdf5Id hdf5_access(Hdf5Storage& storage);

/// Throws MemoryError where the library's caches have no room: it opens a file without a look whether it got them.
void require_hdf5_memory();

}  // namespace tri::io
