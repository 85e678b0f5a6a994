#pragma once
/// A recorded run: files of one run, as `run --save-every` writes them, in the order of their steps.

#include <string>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::app {

class Series {
 public:
  struct Entry {
    std::string path;
    u64 step = 0;     ///< by the file's name, or its place in the list; rising
    double time = 0;  ///< by the list; by the step where there is none
  };

  /// Whether the text is that of a series: a .pvd, or a name with {step} or * for the number, run_{step}.hdf5. A file
  /// that has such a name is none.
  static bool is_named_by(const std::string& text);

  /// Throws FileError where the list cannot be read, or no file has such a name.
  explicit Series(const std::string& text);

  const std::vector<Entry>& entries() const noexcept { return entries_; }
  /// What to say of it when it is opened.
  std::string note() const;
  /// Time a second that shows ten states a second.
  double usual_pace() const;
  /// The last entry of a step that is not after this one; the first where there is none.
  std::size_t at(u64 step) const;
  /// The last entry whose time is not after this one, from `from` on.
  std::size_t at_time(double time, std::size_t from) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace tri::app
