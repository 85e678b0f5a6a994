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

/// A file opened for sequential reading, or for `-` standard input. Reports progress. Folders are refused.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
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
  std::string path_;
  int fd_ = -1;
  std::optional<u64> size_;
  u64 done_ = 0, reported_ = 0;  ///< bytes
};

/// What becomes of a file that is not committed.
enum class Unfinished : u8 {
  removed,
  kept,  ///< it is PATH.part, so that another run may go on with it (part_file.hpp); one run at a time has it open
};

/// Writes PATH.tmp-NUMBER, a new file with a random number; commit() syncs it and renames it to PATH. Without commit()
/// (an exception) the temporary file is removed and PATH stays unchanged. A symbolic link at PATH is followed and the
/// permissions of an earlier file are kept; a new file has those of the umask. A pipe, a
/// device, and for `-` standard output are written directly.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path, Unfinished unfinished = Unfinished::removed);
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

/// The name of an unfinished file that is kept: PATH.part, links followed.
std::string part_of(const std::string& path);

/// Removes what every OutputFile has written but not committed; none can be committed after it. For a program that is
/// about to end while other threads work on.
void remove_unfinished_files();

}  // namespace tri::io
