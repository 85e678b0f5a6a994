#pragma once
/// The bytes of an HDF5 file, as the library asks for them: through file descriptors that InputFile and OutputFile own.
///
/// So a snapshot is written beside and renamed like every other file, and what the disk says comes back as it said it.
/// A write that fails is remembered and the library is told that all went well: it cannot lose its way on a full disk,
/// and the file, which is not whole, is not committed.

#include <string>
#include <utility>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::io {

/// One open HDF5 file. Lives as long as the library has the file open.
struct Hdf5Storage {
  int fd = -1;
  std::string path;                               ///< the name under which the library may open it, and no other
  u64 end = 0;                                    ///< bytes that are there
  bool writes = false;                            ///< whether it may be written
  int error = 0;                                  ///< errno of the first write that failed; 0 = none
  u64 read = 0;                                   ///< bytes so far
  std::vector<std::pair<u64, u64>> headers = {};  ///< begin and end of what hdf5_headers.hpp has looked through
};

/// Ids of the library: hid_t, which its own header names.
using Hdf5Id = i64;

/// An access list (H5Pclose it) with which H5Fopen and H5Fcreate use this storage; negative when there is no memory.
Hdf5Id hdf5_access(Hdf5Storage& storage);

}  // namespace tri::io
