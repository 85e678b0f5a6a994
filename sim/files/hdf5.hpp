#pragma once
/// HDF5: input and output, the reader apart, the checks of headers.
///
/// The subset of HDF5 that Triangulum needs: groups, attributes, and datasets of shape [rows] or [rows, columns], read
/// and written in chunks as float64, whatever the type and byte order in the file.
///
/// Every failure is a FileError with the file, the object and a hint. The library is not thread-safe, so a file that it
/// has open in this process holds a global lock: other threads wait, and a thread may open only one file at a time.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/files/file.hpp"

namespace tri::io {

struct Hdf5Shape {
  u64 rows = 0, columns = 1;
  u32 dimensions = 1;  ///< 1 or 2
};

/// The most values that rows() returns at once.
inline constexpr u64 kMaxHdf5Values = u64{1} << 17;

/// Who reads a file: the library in this process, or a process of its own that may do nothing else. Both fail in the
/// same words. Objects are named by their path, "/PartType1/Coordinates".
class Hdf5Reader {
 public:
  virtual ~Hdf5Reader() = default;
  virtual bool has(const std::string& object) = 0;
  /// Names of the members of a group, sorted.
  virtual std::vector<std::string> members(const std::string& group) = 0;

  virtual bool has_attribute(const std::string& object, const std::string& name) = 0;
  /// The 1 to 64 numbers of an attribute. Integers beyond 2^53 are an error.
  virtual std::vector<double> numbers(const std::string& object, const std::string& name) = 0;
  /// An attribute that is one non-negative integer.
  virtual u64 integer(const std::string& object, const std::string& name) = 0;
  virtual std::string text(const std::string& object, const std::string& name) = 0;

  /// Shape of a numeric dataset. Throws unless all of its data is in this file, so that a reader may allocate what the
  /// shape says.
  virtual Hdf5Shape shape(const std::string& dataset) = 0;
  /// Rows [first, first + count) as float64, row-major: at most kMaxHdf5Values numbers, valid until the next call.
  virtual std::span<const double> rows(const std::string& dataset, u64 first, u64 count) = 0;
  /// Bytes of the file that were read so far.
  virtual u64 bytes_read() const = 0;
};

/// A file opened for reading, with what a reader reads of it.
class Hdf5Input {
 public:
  explicit Hdf5Input(const std::string& path);

  const std::string& path() const noexcept { return file_.path(); }
  bool has(const std::string& object) const { return reader_->has(object); }
  std::vector<std::string> members(const std::string& group) const { return reader_->members(group); }
  bool has_attribute(const std::string& object, const std::string& name) const {
    return reader_->has_attribute(object, name);
  }
  std::vector<double> numbers(const std::string& object, const std::string& name) const {
    return reader_->numbers(object, name);
  }
  u64 integer(const std::string& object, const std::string& name) const { return reader_->integer(object, name); }
  std::string text(const std::string& object, const std::string& name) const { return reader_->text(object, name); }
  Hdf5Shape shape(const std::string& dataset) const { return reader_->shape(dataset); }
  /// Reports progress.
  std::span<const double> rows(const std::string& dataset, u64 first, u64 count) const;

  [[noreturn]] void fail(const std::string& object, const std::string& what) const;

 private:
  InputFile file_;
  std::vector<double> values_;  ///< of a reader in this process
  std::unique_ptr<Hdf5Reader> reader_;
};

inline constexpr const char* kHdf5ReaderWord = "hdf5-reader";  ///< what main() is called with in that process

/// From now on, files are read by a process that runs `program` (a path; main() passes /proc/self/exe) and has no other
/// right than to read that file (process.hpp): a file that breaks the library ends that process, and is a
/// FileError here. The program's main() must call serve_hdf5() first thing when is_hdf5_server(argc, argv). A program
/// that does not call this reads in its own process, as do systems without confined processes. An interpreter is given
/// a script as `argument`, which calls serve_hdf5(). Not thread-safe.
void read_hdf5_apart(const std::string& program, const std::string& argument = kHdf5ReaderWord);

/// Whether this is the process that reads for another; its main(), which does nothing in any other process.
bool is_hdf5_server(int argc, const char* const* argv);
int serve_hdf5();

enum class Hdf5Type : u8 { real32, real64, whole32 };

/// A file opened for writing, into an OutputFile that the caller then commits.
class Hdf5Output {
 public:
  /// reserved: the shape of what reserve() is going to make, if anything.
  explicit Hdf5Output(OutputFile& file, Hdf5Shape reserved = {});
  ~Hdf5Output();
  Hdf5Output(const Hdf5Output&) = delete;
  Hdf5Output& operator=(const Hdf5Output&) = delete;

  void group(const std::string& name);
  void attribute(const std::string& object, const std::string& name, double value);
  void attribute(const std::string& object, const std::string& name, std::span<const double> values);
  void attribute(const std::string& object, const std::string& name, i32 value);
  void attribute(const std::string& object, const std::string& name, u64 value);
  void attribute(const std::string& object, const std::string& name, std::span<const u32> values);
  void attribute(const std::string& object, const std::string& name, const std::string& text);

  /// Total number of values of all datasets to come, for progress reports (sim/base/progress.hpp).
  void expect(u64 values);
  /// Writes a dataset chunk by chunk: `rows_at(first, count, to)` fills in the rows. The type must hold the values
  /// exactly.
  using RowsAt = std::function<void(u64 first, u64 count, double* to)>;
  void dataset(const std::string& name, Hdf5Type type, Hdf5Shape shape, const RowsAt& rows_at);

  /// Makes a dataset, in chunks of whole rows, whose values the caller writes himself: with close() all of the file but
  /// the values is on its way to the disk, and they are in one piece, row by row, from the returned byte on. Throws
  /// FileError if chunks would be larger than HDF5 allows.
  u64 reserve(const std::string& name, Hdf5Type type, Hdf5Shape shape);

  /// Finishes the file. Without it (an exception) the file is incomplete.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Throws the FileError of a failure: "'{path}': {object} {what}."
[[noreturn]] void fail_hdf5(const std::string& path, const std::string& object, const std::string& what);

/// By the library, in this process. `fd`: the file, open and `size` bytes long; it stays the caller's. `path`: its name
/// in messages. `values`: room for what rows() returns, twice kMaxHdf5Values; it outlives the reader, and its halves
/// take turns, so that rows stay valid during the next call. Throws FileError.
std::unique_ptr<Hdf5Reader> read_hdf5_here(int fd, const std::string& path, u64 size, std::span<double> values);

/// The same by a process of its own (hdf5_guard.cpp); nothing unless read_hdf5_apart() of hdf5.hpp was called,
/// and on systems without such processes. Throws FileError, also for a process that did not start.
std::unique_ptr<Hdf5Reader> start_hdf5_process(int fd, const std::string& path, u64 size);

// A file driver for HDF5 that reads and writes through the file descriptors of InputFile and OutputFile.
//
// Snapshots are thus written to a temporary file and renamed like every other file, and errors keep the system's
// errno. A failed write is recorded but reported to the library as success: its error paths on a full disk are not
// exercised, and the incomplete file is not committed.

/// One open HDF5 file. Must live as long as the library has the file open.
struct Hdf5Storage {
  int fd = -1;
  std::string path;                               ///< of messages
  u64 end = 0;                                    ///< size in bytes
  bool writes = false;                            ///< whether it may be written
  int error = 0;                                  ///< errno of the first write that failed; 0 = none
  u64 read = 0;                                   ///< bytes read so far
  std::vector<std::pair<u64, u64>> headers = {};  ///< [begin, end) of what hdf5.hpp has validated
};

/// hid_t, without the library's header.
using Hdf5Id = i64;

/// The only name under which the library may open it. It is absolute: for any other name the library asks for the
/// current folder, which a confined process may not and which may be gone, and HDF5 2 with its assertions ends there.
std::string hdf5_name(const Hdf5Storage& storage);

/// A file access property list (close it with H5Pclose) that makes H5Fopen and H5Fcreate use this storage; negative on
/// failure.
Hdf5Id hdf5_access(Hdf5Storage& storage);

/// Throws MemoryError where the library's caches have no room: it opens a file without a look whether it got them.
void require_hdf5_memory();

// Validates metadata of an HDF5 file before the library parses it: object headers, heaps, trees and the driver block.
//
// Version 1 headers have no checksum, and the library (1.10) trusts the sizes in an attribute message: a damaged one
// makes it read up to 190 KB past its buffer. Later versions have checksums, which the library verifies.

/// Whether the object header at this offset is safe to parse: its messages lie within it, and the name, type, space and
/// values of each attribute within its message. True for anything but a version 1 header. Records the extents of the
/// header's parts (Hdf5Storage::headers), which are then not validated again.
bool valid_header(Hdf5Storage& storage, u64 at);

/// Whether what the library reads while looking for the superblock is safe. The first 16 bytes of a driver information
/// block hold the length of what follows, which the library allocates before it reads. A superblock may give addresses
/// and lengths more than 8 bytes, whose upper ones HDF5 2 with its assertions does not bear.
bool valid_driver_block(const Hdf5Storage& storage, u64 at, u64 bytes);

/// Whether the heap (of link names or strings) at this offset is no longer than the file: the library allocates its
/// size before it reads. True for anything but a heap.
bool valid_heap(const Hdf5Storage& storage, u64 at);

/// Whether this node, so long as the library reads it, of a tree of chunks or of links leads somewhere: HDF5 2 with its
/// assertions, as Debian builds it, ends the process at a chunk of no bytes and at an undefined address. True for
/// anything but a version 1 tree; chunks of one and of two dimensions are known.
bool valid_tree(const Hdf5Storage& storage, u64 at, u64 bytes);

/// Validates one attribute message of version 1 to 3.
bool valid_attribute(std::span<const unsigned char> message);

}  // namespace tri::io
