#pragma once
/// File access for the formats: chunked reads, and atomic writes: a reader sees the old file or the new one, never a
/// part. Failures are FileErrors with the path, the system's reason and a hint.

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/error.hpp"
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

/// The name under which this process has read the regular file at `path`; nullopt if it has not, or if none is there.
/// So no result replaces an input, however that was found: by the command line, or by what it names. Any thread.
std::optional<std::string> read_as(const std::string& path);

/// The most bytes that `compressed` bytes of deflate hold: its limit is 1032 to 1, with room for partial blocks. A file
/// that announces more is damaged, and no memory is taken for it.
constexpr double max_expanded(double compressed) { return 1100 * compressed + 65536; }

/// What becomes of a file that is not committed.
enum class Unfinished : u8 {
  removed,
  kept,  ///< it is PATH.part-NUMBER, so that another run may go on with it (part_file.hpp); one run at a time has it
};

/// Writes PATH.tmp-NUMBER, a new file (unfinished.hpp); commit() syncs it and renames it to PATH. Without commit() (an
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

}  // namespace tri::io
