#pragma once
/// Files: input, output by a temporary name, output of several runs, folders of the user.
///
/// File access for the formats: chunked reads, and atomic writes: a reader sees the old file or the new one, never a
/// part. Failures are FileErrors with the path, the system's reason and a hint.

#include <sys/types.h>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/platform.hpp"
#include "sim/base/progress.hpp"

namespace tri::io {

/// What a path may be. A pipe, which waits for its other end, is no place for settings, caches or a map.
enum class Accepts : u8 {
  anything,  ///< but folders
  files,     ///< regular ones, standard input, and files that the caller has open (/dev/fd/3)
};

/// A file opened for sequential reading, or for `-` standard input. Reports progress, also while it waits for a pipe.
class InputFile {
 public:
  explicit InputFile(const std::string& path, Accepts accepts = Accepts::anything);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  /// Size in bytes; nullopt for a pipe or a device.
  std::optional<u64> size() const noexcept { return size_; }
  /// Fills the buffer and returns the bytes read: fewer than `bytes` only at the end of the file.
  std::size_t read(void* buffer, std::size_t bytes);
  /// For libraries that do their own reads; owned by this object.
  int descriptor() const noexcept { return fd_; }

 private:
  void wait();

  std::string path_;
  int fd_ = -1;
  std::optional<u64> size_;
  u64 done_ = 0, reported_ = 0;  ///< bytes
};

/// The text of a regular file (Accepts::files); of one with more than `most` bytes the first most + 1.
std::string read_text(const std::string& path, std::size_t most);

/// The name under which this process has read the regular file at `path`; nullopt if it has not, or if none is there.
/// So no result replaces an input, however that was found: by the command line, or by what it names. Any thread.
std::optional<std::string> read_as(const std::string& path);
/// Counts a file as read that may be read later, such as a state of a list.
void count_as_read(const std::string& path);

/// Lists what this thread counts as read while it lives, by absolute paths: the inputs of one piece of work.
class ListedReads {
 public:
  explicit ListedReads(std::vector<std::string>& to) noexcept;
  ~ListedReads();
  ListedReads(const ListedReads&) = delete;
  ListedReads& operator=(const ListedReads&) = delete;

 private:
  std::vector<std::string>* previous_;
};

/// The most bytes that `compressed` bytes of deflate hold: its limit is 1032 to 1, with room for partial blocks. A file
/// that announces more is damaged, and no memory is taken for it.
constexpr double max_expanded(double compressed) { return 1100 * compressed + 65536; }

/// What becomes of a file that is not committed.
enum class Unfinished : u8 {
  removed,
  kept,  ///< it is PATH.part-NUMBER, so that another run may go on with it (file.hpp); one run at a time has it
};

/// Writes PATH.tmp-NUMBER, a new file (file.hpp); commit() syncs it and renames it to PATH. Without commit() (an
/// exception) the temporary file is removed and PATH stays unchanged; that of a run that was killed is removed by the
/// next one that writes into its folder. A symbolic link at PATH is followed, also to a file that is not there yet, and
/// the permissions of an earlier file are kept; a new file has those of the umask. A file that may not be written is
/// refused. A pipe, a device, an open file (/dev/stdout, /dev/fd/3), and for `-` standard output are written directly.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path, Unfinished unfinished = Unfinished::removed,
                      Accepts accepts = Accepts::anything);
  /// For the files that the program names itself. They are no pipes.
  OutputFile(const std::string& path, Accepts accepts) : OutputFile(path, Unfinished::removed, accepts) {}
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  /// Where the bytes are before commit(); empty for a pipe or a device.
  const std::string& temporary() const noexcept { return temporary_; }
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

  /// The next write() goes to this byte of the file, which must be no pipe.
  void go_to(u64 byte);
  /// Bytes written up to now, or the byte after the last go_to().
  u64 position() const noexcept { return position_; }
  /// Returns when all that was written is on the disk.
  void sync();
  /// Cuts off what a failed write() left behind this byte of a file, as far as the system does it. No write() after it.
  void shorten(u64 bytes);
  /// Removes the file, even a kept one. No write() after it.
  void discard();

  /// Reports that `done` of `total` parts are written (sim/base/progress.hpp). Call it for every part.
  void progress(u64 done, u64 total) const {
    if (done % kReportEvery == 0)
      report_progress(ProgressKind::writing, path_, static_cast<double>(done), static_cast<double>(total));
  }

  /// For libraries that do their own writes, anywhere in the file; owned by this object. Throws FileError for a pipe or
  /// a device.
  int descriptor() const;
  /// Throws the FileError for a write to descriptor() that failed with this errno.
  [[noreturn]] void fail_write(int error) const { fail("write", error); }

 private:
  static constexpr u64 kReportEvery = 4096;
  int open_temporary(mode_t mode);
  int open_part();
  void write_through(const char* data, std::size_t bytes);
  [[noreturn]] void fail(const char* action, int error) const;

  std::string path_;       ///< as the user gave it, for messages
  std::string target_;     ///< symbolic links followed
  std::string temporary_;  ///< empty for a pipe or a device
  std::string buffer_;
  u64 position_ = 0;
  Unfinished unfinished_;
  int fd_ = -1;
};

/// The path that an OutputFile replaces: symbolic links followed.
std::string target_of(const std::string& path);

/// The descriptor that a path names: 1 for `-` and /dev/stdout, 3 for /dev/fd/3; nullopt for the others.
std::optional<int> stream_of(const std::string& path);

/// Whether this is the name of a pipe, which an OutputFile of it waits for somebody to read.
bool is_pipe(const std::string& path);
/// Opens a pipe, a device or a descriptor that a path names for writing. A pipe waits for a reader, and reports
/// progress meanwhile. Returns the descriptor; -1, with errno, on failure.
int open_stream(const std::string& path);

/// Throws the FileError of an OutputFile that cannot be written, before the work whose result it is to hold. Pipes and
/// devices are not opened.
void require_writable(const std::string& path);

/// Removes what every OutputFile has written but not committed; none can be committed after it. For a program that is
/// about to end while other threads work on.
void remove_unfinished_files();

// The names of files that are not finished: TARGET.SORT-NUMBER, 16 hexadecimal digits. Half of them are random, so
// that nobody can put a file or a link there in advance; the other half follow from the name, the host and the first
// half, so that a file of another program is never taken for ours. Whoever writes one holds a lock on it: without a
// lock, it is of a run that was killed.

inline constexpr std::string_view kTemporarySort = ".tmp-", kPartSort = ".part-";
inline constexpr const char* kStateEnding = "-state";  ///< of the state of a part (file.hpp)

/// Creates a file that was not there, beside the target, locks it and sets its name. Returns the descriptor, for
/// reading and writing; -1, with errno, on failure.
int create_unfinished(const std::string& target, std::string_view sort, mode_t mode, std::string& name);

/// The files of that sort for this target, or those whose names are theirs with an ending, sorted.
std::vector<std::string> unfinished_of(const std::string& target, std::string_view sort, std::string_view ending = "");

/// Opens one that was found, if it is a regular file of this user that has no other name. Returns the descriptor; -1 if
/// not, or if another process writes it: then `written_now` is set.
int open_unfinished(const std::string& name, int flags, bool& written_now);

/// Removes what killed runs of this user left in the target's folder, once for each folder and process: temporary
/// files, and parts without a state.
void remove_leftovers_beside(const std::string& target);

// An output that may take several runs: what is written stays when a run ends early, and the next one goes on with it.
//
// PATH.part-NUMBER (file.hpp) has the bytes, PATH.part-NUMBER-state a few lines of text: what the file is made
// of, how many of its parts are done, how many bytes they have, hashes of these, and a hash of these lines. The state
// is replaced as a whole, after the bytes that it counts are on the disk: a crash at any moment loses what came after
// it, and nothing else. What was done is read again before a run goes on with it.

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
  /// The file now has `parts` parts. After the first of this run save() follows, and then about once a second.
  void count(u64 parts);
  /// Puts all that is counted on the disk. Not after a failed write.
  void save();
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

// The sentence about a file that is not there.

/// "there is no file 'a.cvs'. Did you mean 'a.csv'?", after the nearest of the first 10,000 names in its folder.
std::string no_such_file(const std::string& path);

// Location of the user's files: of configuration, and those that can be made again.

/// $XDG_CONFIG_HOME/triangulum/NAME, else ~/.config/triangulum/NAME; empty if neither variable is an absolute path (XDG
/// Base Directory Specification). The folder need not exist.
std::string user_file(const std::string& name);
/// The same with $XDG_CACHE_HOME, else ~/.cache.
std::string user_cache(const std::string& name);

}  // namespace tri::io
