#pragma once
/// The output of `compute distances`: npy, HDF5 or csv by extension, written in the order of the layout. Failures are
/// FileErrors.

#include <functional>
#include <optional>
#include <string>

#include "sim/io/files/part_file.hpp"
#include "sim/model/compute.hpp"

namespace tri::app {

/// npy, and the dataset `distances` of HDF5: [n(n-1)/2], [n, n] or [n(n+1)/2]. csv: one value per line; square: one row
/// per line, each with the shortest text that reads back to the same bits.
class DistanceFile {
 public:
  /// With facts another run may go on with what this one leaves, if it has the same (sim/io/files/part_file.hpp).
  DistanceFile(const std::string& path, u32 n, DistanceLayout layout, Precision precision,
               const std::optional<io::PartFile::Facts>& facts);

  /// Rows that an earlier run has written.
  u32 rows_done() const { return static_cast<u32>(file_.done()); }
  bool keeps() const { return file_.keeps(); }
  /// The unfinished file.
  const std::string& part() { return file_.file().temporary(); }

  /// Writes the values of the rows that come next, up to row `last`. Calls before_piece() now and then; it may throw.
  void write(const DistanceValues& values, u32 last, const std::function<void()>& before_piece);

  void keep() { file_.keep(); }
  void commit() { file_.commit(); }
  void discard() { file_.discard(); }

 private:
  enum class Format : u8 { npy, hdf5, csv };

  void write_head(Precision precision);
  template <class Real>
  void write_piece(const Real* values, u64 count);

  u64 n_;
  DistanceLayout layout_;
  Format format_;
  io::PartFile file_;
  u64 column_ = 0;  ///< of the next value of a csv in the square layout
};

}  // namespace tri::app
