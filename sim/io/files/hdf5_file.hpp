#pragma once
/// HDF5 files in the little that Triangulum needs of them: groups, attributes, and datasets of [rows] or
/// [rows, columns] reals that are handed over in pieces, as float64, whatever the file's own type and byte order.
///
/// Every failure is a FileError with the file, the object in it, and the cure. The library is not safe for threads, so
/// an open file holds a lock: another thread waits for it, and one thread opens one file at a time.

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

/// A file that is read. Objects are named by their path, "/PartType1/Coordinates".
class Hdf5Input {
 public:
  explicit Hdf5Input(const std::string& path);
  ~Hdf5Input();
  Hdf5Input(const Hdf5Input&) = delete;
  Hdf5Input& operator=(const Hdf5Input&) = delete;

  const std::string& path() const noexcept;
  bool has(const std::string& object) const;
  /// Names of what is in a group, sorted.
  std::vector<std::string> members(const std::string& group) const;

  bool has_attribute(const std::string& object, const std::string& name) const;
  /// The numbers of an attribute, 1 to 64 of them. Integers beyond 2^53 are an error.
  std::vector<double> numbers(const std::string& object, const std::string& name) const;
  /// One whole number.
  u64 whole(const std::string& object, const std::string& name) const;
  std::string text(const std::string& object, const std::string& name) const;

  /// Of a dataset of numbers whose data is in this file in full: what the file cannot hold is refused here, so the
  /// memory that a reader takes is justified by the file's own size.
  Hdf5Shape shape(const std::string& dataset) const;
  /// Rows [first, first + count) as float64, row by row.
  void read(const std::string& dataset, u64 first, u64 count, double* to) const;

  [[noreturn]] void fail(const std::string& object, const std::string& what) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

enum class Hdf5Type : u8 { real32, real64, whole32 };

/// A file that is written, into an OutputFile which the caller then commits.
class Hdf5Output {
 public:
  explicit Hdf5Output(OutputFile& file);
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

  /// How many values the datasets will hold together, for who looks on (sim/base/progress.hpp).
  void expect(u64 values);
  /// Asks `rows_at(first, count, to)` for the rows, piece by piece; they must be values that the type holds exactly.
  using RowsAt = std::function<void(u64 first, u64 count, double* to)>;
  void dataset(const std::string& name, Hdf5Type type, Hdf5Shape shape, const RowsAt& rows_at);

  /// Ends the file. Without it (an exception) what was written is worth nothing.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tri::io
