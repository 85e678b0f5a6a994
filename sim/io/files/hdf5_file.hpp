#pragma once
/// The subset of HDF5 that Triangulum needs: groups, attributes, and datasets of shape [rows] or [rows, columns], read
/// and written in chunks as float64, whatever the type and byte order in the file.
///
/// Every failure is a FileError with the file, the object and a hint. The library is not thread-safe, so a file that it
/// has open in this process holds a global lock: other threads wait, and a thread may open only one file at a time.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/io/files/atomic_file.hpp"

namespace tri::io {

struct Hdf5Shape {
  u64 rows = 0, columns = 1;
  u32 dimensions = 1;  ///< 1 or 2
};

/// A file opened for reading. Objects are named by their path, "/PartType1/Coordinates".
class Hdf5Input {
 public:
  explicit Hdf5Input(const std::string& path);
  ~Hdf5Input();
  Hdf5Input(const Hdf5Input&) = delete;
  Hdf5Input& operator=(const Hdf5Input&) = delete;

  const std::string& path() const noexcept;
  bool has(const std::string& object) const;
  /// Names of the members of a group, sorted.
  std::vector<std::string> members(const std::string& group) const;

  bool has_attribute(const std::string& object, const std::string& name) const;
  /// The 1 to 64 numbers of an attribute. Integers beyond 2^53 are an error.
  std::vector<double> numbers(const std::string& object, const std::string& name) const;
  /// An attribute that is one non-negative integer.
  u64 integer(const std::string& object, const std::string& name) const;
  std::string text(const std::string& object, const std::string& name) const;

  /// Shape of a numeric dataset. Throws unless all of its data is in this file, so that a reader may allocate what the
  /// shape says.
  Hdf5Shape shape(const std::string& dataset) const;
  /// Rows [first, first + count) as float64, row-major: at most kMaxHdf5Values numbers (hdf5_reader.hpp), valid until
  /// the next call.
  std::span<const double> rows(const std::string& dataset, u64 first, u64 count) const;

  [[noreturn]] void fail(const std::string& object, const std::string& what) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// From now on, files are read by a process that runs `program` (a path; main() passes /proc/self/exe) and has no other
/// right than to read that file (confined_process.hpp): a file that breaks the library ends that process, and is a
/// FileError here. The program's main() must call serve_hdf5() first thing when is_hdf5_server(argc, argv). A program
/// that does not call this reads in its own process, as do systems without confined processes. Not thread-safe.
void read_hdf5_apart(const std::string& program);

/// Whether this is the process that reads for another; its main().
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

}  // namespace tri::io
