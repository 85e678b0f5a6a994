#pragma once
/// Who reads an HDF5 file: the library in this process, or a process of its own that may do nothing else.
///
/// Both have the members of Hdf5Input (hdf5_file.hpp), which says what they mean, and fail in the same words.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/io/files/hdf5_file.hpp"

namespace tri::io {

class Hdf5Reader {
 public:
  virtual ~Hdf5Reader() = default;
  virtual bool has(const std::string& object) = 0;
  virtual std::vector<std::string> members(const std::string& group) = 0;
  virtual bool has_attribute(const std::string& object, const std::string& name) = 0;
  virtual std::vector<double> numbers(const std::string& object, const std::string& name) = 0;
  virtual u64 integer(const std::string& object, const std::string& name) = 0;
  virtual std::string text(const std::string& object, const std::string& name) = 0;
  virtual Hdf5Shape shape(const std::string& dataset) = 0;
  virtual std::span<const double> rows(const std::string& dataset, u64 first, u64 count) = 0;
  /// Bytes of the file that were read so far.
  virtual u64 bytes_read() const = 0;
};

/// The most values that rows() returns at once.
inline constexpr u64 kMaxHdf5Values = u64{1} << 17;

/// Throws the FileError of a failure: "'{path}': {object} {what}."
[[noreturn]] void fail_hdf5(const std::string& path, const std::string& object, const std::string& what);

/// By the library, in this process. `fd`: the file, open and `size` bytes long; it stays the caller's. `path`: its name
/// in messages. `values`: room for what rows() returns, twice kMaxHdf5Values; it outlives the reader, and its halves
/// take turns, so that rows stay valid during the next call. Throws FileError.
std::unique_ptr<Hdf5Reader> read_hdf5_here(int fd, const std::string& path, u64 size, std::span<double> values);

/// The same by a process of its own (hdf5_process.cpp); nothing unless read_hdf5_apart() of hdf5_file.hpp was called,
/// and on systems without such processes. Throws FileError, also for a process that did not start.
std::unique_ptr<Hdf5Reader> start_hdf5_process(int fd, const std::string& path, u64 size);

}  // namespace tri::io
