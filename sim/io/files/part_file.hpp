#pragma once
/// An output that may take several runs: what is written stays when a run ends early, and the next one goes on with it.
///
/// PATH.part-NUMBER (unfinished.hpp) has the bytes, PATH.part-NUMBER-state a few lines of text: what the file is made
/// of, how many of its parts are done, how many bytes they have, hashes of these, and a hash of these lines. The state
/// is replaced as a whole, after the bytes that it counts are on the disk: a crash at any moment loses what came after
/// it, and nothing else. What was done is read again before a run goes on with it.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/state_hash.hpp"
#include "sim/io/files/atomic_file.hpp"

namespace tri::io {

class PartFile {
 public:
  /// Names and values, one line each, in which the runs that write one file agree.
  using Facts = std::vector<std::pair<std::string, std::string>>;

  /// A file of `parts` parts; without facts, and into a pipe or a device, one that nothing goes on with. Throws
  /// FileError if what is there is made of something else, damaged, cut off, or being written.
  PartFile(const std::string& path, u64 parts, const std::optional<Facts>& made_of);

  /// The bytes of what an earlier run for this output left, if it ended early.
  static std::optional<u64> bytes_left(const std::string& path);

  /// What comes before the first part is written to it.
  OutputFile& file() noexcept { return file_; }
  /// Writes of a part.
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Whether a run that ends now leaves something to go on with.
  bool keeps() const noexcept { return keeps_; }
  /// Parts that are done; not 0 if this run goes on with an earlier one.
  u64 done() const noexcept { return done_; }

  /// After what comes before the first part was written: it is checked when another run goes on.
  void head_is_written();
  /// The file now has `parts` parts. After the first of this run keep() follows, and then about once a second.
  void count(u64 parts);
  /// Puts all that is counted on the disk. Not after a failed write.
  void keep();
  void commit();
  /// Removes the file and its state.
  void discard();

 private:
  u64 size() const;
  void resize(u64 bytes) const;
  std::string text(u64 bytes) const;
  void go_on(const std::string& state);
  template <class F>
  void read_back(u64 begin, u64 end, const F& f) const;
  u64 head_hash() const;
  void read_rows();
  void end_state();
  [[noreturn]] void refuse(const std::string& why) const;

  u64 parts_;
  Facts made_of_;
  OutputFile file_;
  std::string state_path_;
  bool keeps_;
  u64 done_ = 0, bytes_ = 0;  ///< counted
  u64 head_bytes_ = 0, head_hash_ = 0;
  WordHash written_;   ///< of what was written behind the head
  u64 rows_hash_ = 0;  ///< of what is counted
  u64 head_size_ = 0;  ///< of the file when the head was written: HDF5 has room for all parts by then
  double kept_s_ = 0;
};

}  // namespace tri::io
