#pragma once
/// Object headers of an HDF5 file, and what stands at its beginning, looked through before the library sees them.
///
/// Headers of version 1 have no checksum, and the library (1.10) takes the sizes that stand in the message of an
/// attribute as they are: a damaged one sends it up to 190 KB beyond the message, out of its memory. Later versions of
/// headers have checksums, which the library holds them to.

#include <span>

#include "sim/io/files/hdf5_storage.hpp"

namespace tri::io {

/// Whether the header that begins at this place of the file can be given to the library: its messages lie within it,
/// and in each attribute name, type, space and values within the message. What is no header of version 1 can. Remembers
/// where the header's parts lie (Hdf5Storage::headers), whose reading asks for no second look.
bool sound_header(Hdf5Storage& storage, u64 at);

/// Whether 16 bytes that the library asks for in its search for the file's beginning can be given to it. In the block
/// of a storage driver they name the length of what follows, for which the library takes memory before it looks.
bool sound_driver_block(const Hdf5Storage& storage, u64 at, u64 bytes);

/// Whether a heap (of a group's names, or of texts) that begins at this place is no longer than the file: here too the
/// library takes memory before it looks. What begins no heap is.
bool sound_heap(const Hdf5Storage& storage, u64 at);

/// The message of an attribute, of version 1 to 3, by itself.
bool sound_attribute(std::span<const unsigned char> message);

}  // namespace tri::io
