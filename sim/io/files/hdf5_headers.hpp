#pragma once
/// Validates metadata of an HDF5 file before the library parses it: object headers, heaps and the driver block.
///
/// Version 1 headers have no checksum, and the library (1.10) trusts the sizes in an attribute message: a damaged one
/// makes it read up to 190 KB past its buffer. Later versions have checksums, which the library verifies.

#include <span>

#include "sim/io/files/hdf5_storage.hpp"

namespace tri::io {

/// Whether the object header at this offset is safe to parse: its messages lie within it, and the name, type, space and
/// values of each attribute within its message. True for anything but a version 1 header. Records the extents of the
/// header's parts (Hdf5Storage::headers), which are then not validated again.
bool valid_header(Hdf5Storage& storage, u64 at);

/// Whether the 16 bytes that the library reads while looking for the superblock are safe. In a driver information block
/// they hold the length of what follows, which the library allocates before it reads.
bool valid_driver_block(const Hdf5Storage& storage, u64 at, u64 bytes);

/// Whether the heap (of link names or strings) at this offset is no longer than the file: the library allocates its
/// size before it reads. True for anything but a heap.
bool valid_heap(const Hdf5Storage& storage, u64 at);

/// Validates one attribute message of version 1 to 3.
bool valid_attribute(std::span<const unsigned char> message);

}  // namespace tri::io
