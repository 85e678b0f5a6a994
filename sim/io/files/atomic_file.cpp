#include "sim/io/files/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

#include "sim/io/files/missing_file.hpp"

namespace tri::io {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxRead = std::size_t{1} << 24;  ///< bytes of one read, small enough for smooth progress
constexpr u64 kReportBytes = u64{1} << 20;
constexpr std::size_t kWriteBuffer = std::size_t{1} << 20;

const char* open_hint(int error) {
  switch (error) {
    case ENOTDIR:
      return "check the path";
    case EACCES:
    case EPERM:
      return "check its permissions";
    default:
      return "check the path and the disk";
  }
}

const char* write_hint(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "create the folder first, or write to another place";
    case EACCES:
    case EPERM:
    case EROFS:
      return "write to a folder that you own";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space, or write to another place";
    default:
      return "write to another place";
  }
}

/// A number that no one else can predict, as far as the system has one.
u32 random_number() {
  u32 number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) == static_cast<ssize_t>(sizeof number)) return number;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<u32>(now.tv_nsec) * 2654435761u + static_cast<u32>(::getpid());
}

/// Creates a new file beside the target and sets its name. In a folder that others write to, a file or a link that they
/// put there is neither opened nor followed. Returns the descriptor; -1, with errno, on failure.
int create_beside(const std::string& target, mode_t mode, std::string& name) {
  constexpr int kTries = 100;
  int fd = -1;
  for (int tries = 0; tries < kTries; ++tries) {
    name = fmt::format("{}.tmp-{}", target, random_number());
    fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EEXIST) break;
  }
  return fd;
}

/// The temporary files of this process. Never destroyed: threads may outlive main().
struct TemporaryFiles {
  std::mutex lock;
  std::set<std::string> names;
};
TemporaryFiles& temporary_files() {
  static TemporaryFiles& all = *new TemporaryFiles;
  return all;
}

constexpr const char* kPart = ".part";

/// The path that is written: a symbolic link to a file is followed.
std::string target_of(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored) || !fs::is_symlink(path, ignored)) return path;
  const fs::path real = fs::canonical(path, ignored);
  return real.empty() ? path : real.string();
}

/// Syncs the directory entry of a file. Best effort: some file systems refuse it.
void sync_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

InputFile::InputFile(const std::string& path) : path_(path == "-" ? "standard input" : path) {
  fd_ = path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) {
    const int error = errno;
    if (error == ENOENT) throw FileError(no_such_file(path_));
    throw FileError(fmt::format("cannot open '{}': {}; {}.", path_, std::strerror(error), open_hint(error)));
  }
  struct stat info {};
  const bool known = ::fstat(fd_, &info) == 0;
  if (known && S_ISDIR(info.st_mode)) {
    ::close(fd_);
    throw FileError(fmt::format("cannot read '{}': it is a folder; name a file in it.", path));
  }
  if (known && S_ISREG(info.st_mode)) size_ = static_cast<u64>(info.st_size);
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::size_t InputFile::read(void* buffer, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::read(fd_, static_cast<char*>(buffer) + done, std::min(bytes - done, kMaxRead));
    if (got == 0) break;
    if (got < 0) {
      if (errno == EINTR) continue;
      throw FileError(
          fmt::format("cannot read '{}': {}; copy it to a local disk and try again.", path_, std::strerror(errno)));
    }
    done += static_cast<std::size_t>(got), done_ += static_cast<u64>(got);
    if (done_ < reported_ + kReportBytes) continue;
    reported_ = done_;
    report_progress(ProgressKind::reading, path_, static_cast<double>(done_), static_cast<double>(size_.value_or(0)));
  }
  return done;
}

OutputFile::OutputFile(const std::string& path, Unfinished unfinished)
    : path_(path == "-" ? "standard output" : path), target_(path), unfinished_(unfinished) {
  if (path == "-") {
    fd_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (fd_ < 0) fail("open", errno);
    return;
  }
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status))
    throw FileError(fmt::format("cannot write '{}': it is a folder; name a file in it.", path));
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail("open", errno);
    return;
  }
  target_ = target_of(path);
  const bool earlier = fs::exists(status);
  const auto mode = static_cast<mode_t>(earlier ? status.permissions() & fs::perms::mask : fs::perms(0666));
  fd_ = open_temporary(mode & 0777);
  if (earlier) ::fchmod(fd_, mode);
}

int OutputFile::open_temporary(mode_t mode) {
  std::string name;
  if (unfinished_ == Unfinished::removed) {
    const int fd = create_beside(target_, mode, name);
    if (fd < 0) fail("create", errno);
    temporary_ = name;
    const std::lock_guard hold(temporary_files().lock);
    temporary_files().names.insert(temporary_);
    return fd;
  }
  name = target_ + kPart;
  const int fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode);
  if (fd < 0) fail("create", errno);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(fd);
    throw FileError(fmt::format("'{}' is being written by another run; wait for it, or name another output.", name));
  }
  temporary_ = name;
  return fd;
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (temporary_.empty() || unfinished_ == Unfinished::kept) return;
  ::unlink(temporary_.c_str());
  const std::lock_guard hold(temporary_files().lock);
  temporary_files().names.erase(temporary_);
}

void OutputFile::fail(const char* action, int error) const {
  const char* untouched = fd_ < 0 || temporary_.empty()     ? ""
                          : unfinished_ == Unfinished::kept ? " What is done is kept: the same command goes on with it."
                                                            : " An earlier file of that name is untouched.";
  throw FileError(
      fmt::format("cannot {} '{}': {}; {}.{}", action, path_, std::strerror(error), write_hint(error), untouched));
}

void OutputFile::write(const void* data, std::size_t bytes) {
  position_ += bytes;
  if (bytes >= kWriteBuffer || buffer_.size() + bytes > kWriteBuffer) {
    write_through(buffer_.data(), buffer_.size());
    buffer_.clear();
  }
  if (bytes >= kWriteBuffer) {
    write_through(static_cast<const char*>(data), bytes);
  } else {
    buffer_.append(static_cast<const char*>(data), bytes);
  }
}

void OutputFile::write_through(const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t written = ::write(fd_, data, bytes);
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("write", errno);
    }
    data += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

int OutputFile::descriptor() const {
  if (temporary_.empty()) {
    throw FileError(fmt::format("cannot write '{}': this format needs a file, not a pipe or a device.", path_));
  }
  return fd_;
}

void OutputFile::go_to(u64 byte) {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
  if (::lseek(fd_, static_cast<off_t>(byte), SEEK_SET) < 0) fail("write", errno);
  position_ = byte;
}

void OutputFile::sync() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
  if (!temporary_.empty() && ::fdatasync(fd_) != 0 && errno != EINVAL && errno != EROFS) fail("write", errno);
}

void OutputFile::discard() {
  buffer_.clear();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::commit() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
  if (temporary_.empty()) return;
  // Some network disks report a full disk only here.
  if (::fsync(fd_) != 0 && errno != EINVAL && errno != EROFS) fail("write", errno);
  {
    const std::lock_guard hold(temporary_files().lock);
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("rename the finished file to", errno);
    temporary_files().names.erase(temporary_);
  }
  temporary_.clear();
  sync_folder_of(target_);
}

std::string part_of(const std::string& path) { return target_of(path) + kPart; }

void remove_unfinished_files() {
  temporary_files().lock.lock();  // for good
  for (const std::string& name : temporary_files().names) ::unlink(name.c_str());
}

}  // namespace tri::io
