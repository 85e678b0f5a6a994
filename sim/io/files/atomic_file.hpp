#pragma once
/// Files as the formats use them: reading in pieces, and writing so that a reader sees the old file or the new one,
/// never a part. Failures are FileErrors with the path, the system's reason and the cure.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"
#include "sim/base/progress.hpp"

namespace tri::io {

/// An open file that is read from front to back, and tells who looks on how far it is. Folders are refused.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  /// Bytes of the whole file; nothing for a pipe or a device.
  std::optional<u64> size() const noexcept { return size_; }
  /// Fills the buffer; fewer bytes than `bytes` only at the end of the file.
  std::size_t read(void* buffer, std::size_t bytes);
  /// For libraries that read by themselves; owned by this object.
  int descriptor() const noexcept { return fd_; }

 private:
  std::string path_;
  int fd_ = -1;
  std::optional<u64> size_;
  u64 done_ = 0, told_ = 0;  ///< bytes
};

/// Writes PATH.tmp-PID and gives it the name PATH at commit(), after its bytes and its name are on the disk. Without
/// commit() (an exception) the temporary file is removed and PATH is as it was. A symbolic link keeps being one, an
/// earlier file's permissions are kept; a pipe or a device is written straight.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

  /// Tells who looks on (sim/base/progress.hpp) that `done` of `whole` parts are written; to be called with every part.
  void tell(u64 done, u64 whole) const {
    if (done % kTellEvery == 0)
      report_progress(ProgressKind::writing, path_, static_cast<double>(done), static_cast<double>(whole));
  }

  /// For libraries that write by themselves, anywhere in the file; owned by this object. Throws FileError for a pipe or
  /// a device.
  int descriptor() const;
  /// Throws the FileError of a write to descriptor() that failed with this errno.
  [[noreturn]] void fail_write(int error) const { fail("write", error); }

 private:
  static constexpr u64 kTellEvery = 4096;
  void write_through(const char* data, std::size_t bytes);
  [[noreturn]] void fail(const char* action, int error) const;

  std::string path_;       ///< as the user gave it, for messages
  std::string target_;     ///< symbolic links followed
  std::string temporary_;  ///< empty for a pipe or a device
  std::string buffer_;
  int fd_ = -1;
};

}  // namespace tri::io
