#include "sim/io/files/hdf5_storage.hpp"

#include <hdf5.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>  // the driver API, since HDF5 1.14
#endif

#include "sim/base/memory.hpp"
#include "sim/io/files/hdf5_headers.hpp"

namespace tri::io {

namespace {

/// An open file as the library sees it; its public part comes first.
struct Open {
  H5FD_t common;
  Hdf5Storage* storage;
  haddr_t eoa;  ///< end of the allocated address space
};

Open& mine(H5FD_t* file) { return *reinterpret_cast<Open*>(file); }
const Open& mine(const H5FD_t* file) { return *reinterpret_cast<const Open*>(file); }

H5FD_t* open_storage(const char* name, unsigned flags, hid_t access, haddr_t /*max_address*/) {
  const auto* info = static_cast<Hdf5Storage* const*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  Hdf5Storage& storage = **info;
  // External links are opened through this driver too, with the name of the other file.
  if (storage.path != name || ((flags & H5F_ACC_RDWR) != 0 && !storage.writes)) return nullptr;
  auto* file = new (std::nothrow) Open{};
  if (file == nullptr) return nullptr;
  file->storage = &storage;
  return &file->common;
}

herr_t close_storage(H5FD_t* file) {
  delete &mine(file);
  return 0;
}

/// Metadata is accumulated for writing only: when reading a damaged file, the accumulator of HDF5 1.10 copies a length
/// beyond the end of the file, whereas our read() refuses it.
herr_t query(const H5FD_t* file, unsigned long* flags) {
  if (flags == nullptr) return 0;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
  if (file != nullptr && mine(file).storage->writes) *flags |= H5FD_FEAT_ACCUMULATE_METADATA;
  return 0;
}

haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t /*type*/) { return mine(file).eoa; }

herr_t set_eoa(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t address) {
  mine(file).eoa = address;
  return 0;
}

haddr_t get_eof(const H5FD_t* file, H5FD_mem_t /*type*/) { return mine(file).storage->end; }

/// Reading past the end is an error (the library's own drivers return zeros).
herr_t read(H5FD_t* file, H5FD_mem_t type, hid_t /*transfer*/, haddr_t address, std::size_t size, void* buffer) {
  Hdf5Storage& storage = *mine(file).storage;
  if (address > storage.end || size > storage.end - address) return -1;
  if (type == H5FD_MEM_OHDR && !storage.writes && !valid_header(storage, address)) return -1;
  const bool heap = type == H5FD_MEM_LHEAP || type == H5FD_MEM_GHEAP;
  if (heap && !storage.writes && !valid_heap(storage, address)) return -1;
  if (type == H5FD_MEM_SUPER && !storage.writes && !valid_driver_block(storage, address, size)) return -1;
  storage.read += size;
  auto* to = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got = ::pread(storage.fd, to, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    to += got, address += static_cast<haddr_t>(got), size -= static_cast<std::size_t>(got);
  }
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address, std::size_t size,
             const void* buffer) {
  Hdf5Storage& storage = *mine(file).storage;
  if (storage.end < address + size) storage.end = address + size;
  const auto* from = static_cast<const char*>(buffer);
  while (size > 0 && storage.error == 0) {
    const ssize_t written = ::pwrite(storage.fd, from, size, static_cast<off_t>(address));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      storage.error = written == 0 ? EIO : errno;
      break;
    }
    from += written, address += static_cast<haddr_t>(written), size -= static_cast<std::size_t>(written);
  }
  return 0;
}

/// Sets the file size to the end of the allocated address space, even if its last bytes were never written.
herr_t truncate(H5FD_t* file, hid_t /*transfer*/, hbool_t /*closing*/) {
  Open& open = mine(file);
  Hdf5Storage& storage = *open.storage;
  if (!storage.writes || storage.end == open.eoa) return 0;
  if (storage.error == 0 && ::ftruncate(storage.fd, static_cast<off_t>(open.eoa)) != 0) storage.error = errno;
  storage.end = open.eoa;
  return 0;
}

/// A template, so that members which only later versions of the library have can be tested for.
template <class Class>
Class driver_class() {
  Class c{};
  if constexpr (requires { c.version; }) {
    c.version = 0x01;  // H5FD_CLASS_VERSION
    c.value = 540;     // from the range reserved for private use
  }
  c.name = "triangulum";
  c.maxaddr = (haddr_t{1} << 62) - 1;
  c.fc_degree = H5F_CLOSE_STRONG;
  c.fapl_size = sizeof(void*);  // the address of the storage
  c.open = open_storage;
  c.close = close_storage;
  c.query = query;
  c.get_eoa = get_eoa;
  c.set_eoa = set_eoa;
  c.get_eof = get_eof;
  c.read = read;
  c.write = write;
  c.truncate = truncate;
  // One free list for raw data and one for metadata.
  constexpr H5FD_mem_t kMap[] = H5FD_FLMAP_DICHOTOMY;
  for (std::size_t i = 0; i < H5FD_MEM_NTYPES; ++i) c.fl_map[i] = kMap[i];
  return c;
}

}  // namespace

void require_hdf5_memory() {
  constexpr double kBytes = 8 << 20;
  require_memory(kBytes, "the HDF5 library", "Raise the limits of this session (ulimit -v, -d), or end other programs");
}

Hdf5Id hdf5_access(Hdf5Storage& storage) {
  static const H5FD_class_t kClass = driver_class<H5FD_class_t>();
  static const hid_t driver = H5FDregister(&kClass);
  if (driver < 0) return -1;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access < 0) return -1;
  Hdf5Storage* const info = &storage;
  if (H5Pset_driver(access, driver, &info) < 0 || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0) {
    H5Pclose(access);
    return -1;
  }
  return access;
}

}  // namespace tri::io
