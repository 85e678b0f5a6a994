#include "sim/files/file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>

#include "sim/base/user_values.hpp"

namespace tri::io {

std::string no_such_file(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr std::size_t kMaxNames = 10000;
  const fs::path file = path, folder = file.parent_path();
  std::vector<std::string> names;
  std::error_code ignored;
  fs::directory_iterator at(folder.empty() ? "." : folder, ignored);
  for (const fs::directory_iterator end; at != end && names.size() < kMaxNames; at.increment(ignored)) {
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  const std::string best = closest_name(file.filename().string(), names);
  const std::string hint = best.empty() ? "" : fmt::format(" Did you mean '{}'?", (folder / best).string());
  return fmt::format("there is no file '{}'.{}", path, hint);
}

namespace {

std::string user_folder(const char* variable, const char* below_home) {
  const auto absolute = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value == '/' ? std::string(value) : std::string();
  };
  std::string folder = absolute(variable);
  if (const std::string home = absolute("HOME"); folder.empty() && !home.empty()) folder = home + below_home;
  return folder.empty() ? folder : folder + "/triangulum/";
}

std::string in_folder(const std::string& folder, const std::string& name) {
  return folder.empty() ? folder : folder + name;
}

}  // namespace

std::string user_file(const std::string& name) { return in_folder(user_folder("XDG_CONFIG_HOME", "/.config"), name); }
std::string user_cache(const std::string& name) { return in_folder(user_folder("XDG_CACHE_HOME", "/.cache"), name); }

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxRead = std::size_t{1} << 24;  ///< bytes of one read, small enough for smooth progress
constexpr u64 kReportBytes = u64{1} << 20;
constexpr std::size_t kWriteBuffer = std::size_t{1} << 20;
constexpr std::size_t kTrialBytes = 4096;  ///< a full disk still takes a file of none

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

/// The temporary files of this process. Never destroyed: threads may outlive main().
struct TemporaryFiles {
  std::mutex lock;
  std::set<std::string> names;
};
TemporaryFiles& temporary_files() {
  static TemporaryFiles& all = *new TemporaryFiles;
  return all;
}

/// The regular files that this process has read. Never destroyed, either.
struct FilesRead {
  std::mutex lock;
  std::map<std::pair<dev_t, ino_t>, std::string> names;
};
FilesRead& files_read() {
  static FilesRead& all = *new FilesRead;
  return all;
}

thread_local std::vector<std::string>* listed_reads = nullptr;

void note_read(const struct stat& info, const std::string& path) {
  {
    const std::lock_guard hold(files_read().lock);
    std::string& name = files_read().names[{info.st_dev, info.st_ino}];
    struct stat named {};
    // Another file may have the number of one that is gone.
    const bool stands = !name.empty() && ::stat(name.c_str(), &named) == 0 && named.st_dev == info.st_dev &&
                        named.st_ino == info.st_ino;
    if (!stands) name = path;
  }
  if (listed_reads == nullptr) return;
  std::error_code failed;
  if (const fs::path whole = fs::absolute(path, failed); !failed) listed_reads->push_back(whole.string());
}

constexpr int kMaxLinks = 40;

/// The number in a name of an open file, such as /dev/fd/3 or /proc/self/fd/3: that file has no other sure name.
std::optional<int> descriptor_named(const fs::path& path) {
  const fs::path folder = path.parent_path();
  if (folder != "/dev/fd" && folder != "/proc/self/fd" && folder != fmt::format("/proc/{}/fd", ::getpid())) return {};
  const std::string name = path.filename().string();
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return {};
  return number;
}

/// Follows symbolic links, also one to a file that is not there yet, up to the name of an open file.
fs::path followed(const std::string& path) {
  fs::path at(path);
  std::error_code failed;
  for (int links = 0; links < kMaxLinks && !descriptor_named(at) && fs::is_symlink(at, failed); ++links) {
    const fs::path next = fs::read_symlink(at, failed);
    if (failed) break;
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return at;
}

/// Opens what is there: a pipe once it has a reader, with reports while it waits for one. -1, with errno, on failure.
int open_for_reader(const std::string& path) {
  constexpr int kWaitMs = 50;
  for (;;) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0) {
      ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
      return fd;
    }
    struct stat info {};
    if (errno != ENXIO || ::stat(path.c_str(), &info) != 0 || !S_ISFIFO(info.st_mode)) return -1;
    try {
      report_progress(ProgressKind::computing, fmt::format("waiting for a reader of '{}'", path), 0, 0);
    } catch (const InterruptedError&) {
      throw InterruptedError(fmt::format("interrupted while waiting for a reader of '{}'; it got nothing.", path));
    }
    ::poll(nullptr, 0, kWaitMs);
  }
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

InputFile::InputFile(const std::string& path, Accepts accepts) : path_(path == "-" ? "standard input" : path) {
  // A pipe without a writer would not open; wait() waits for one.
  fd_ = path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                    : ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd_ < 0) {
    const int error = errno;
    if (error == ENOENT) throw FileError(no_such_file(path_));
    throw FileError(fmt::format("cannot open '{}': {}; {}.", path_, std::strerror(error), open_hint(error)));
  }
  struct stat info {};
  const bool known = ::fstat(fd_, &info) == 0, regular = known && S_ISREG(info.st_mode);
  if (known && S_ISDIR(info.st_mode)) {
    ::close(fd_);
    throw FileError(fmt::format("cannot read '{}': it is a folder; name a file in it.", path));
  }
  if (accepts == Accepts::files && !regular && path != "-" && !descriptor_named(followed(path))) {
    ::close(fd_);
    throw FileError(fmt::format("cannot read '{}': it is a pipe or a device; name a file.", path));
  }
  if (!regular) return;
  size_ = static_cast<u64>(info.st_size);
  note_read(info, path_);
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::size_t InputFile::read(void* buffer, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    if (!size_) wait();
    const ssize_t got = ::read(fd_, static_cast<char*>(buffer) + done, std::min(bytes - done, kMaxRead));
    if (got == 0) break;
    if (got < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
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

std::string read_text(const std::string& path, std::size_t most) {
  InputFile file(path, Accepts::files);
  std::string text(most + 1, '\0');
  text.resize(file.read(text.data(), text.size()));
  return text;
}

void InputFile::wait() {
  constexpr int kWaitMs = 50;
  pollfd one{fd_, POLLIN, 0};
  for (int ready = 0; ready == 0 || (ready < 0 && errno == EINTR);) {
    ready = ::poll(&one, 1, kWaitMs);
    if (ready <= 0) report_progress(ProgressKind::reading, path_, static_cast<double>(done_), 0);
  }
}

std::optional<std::string> read_as(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  const std::lock_guard hold(files_read().lock);
  const auto found = files_read().names.find({info.st_dev, info.st_ino});
  if (found == files_read().names.end()) return {};
  return found->second;
}

void count_as_read(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode)) note_read(info, path);
}

ListedReads::ListedReads(std::vector<std::string>& to) noexcept : previous_(std::exchange(listed_reads, &to)) {}
ListedReads::~ListedReads() { listed_reads = previous_; }

OutputFile::OutputFile(const std::string& path, Unfinished unfinished, Accepts accepts)
    : path_(path == "-" ? "standard output" : path), target_(path), unfinished_(unfinished) {
  if (const std::optional<int> open = stream_of(path)) {
    fd_ = ::fcntl(*open, F_DUPFD_CLOEXEC, 3);
    if (fd_ < 0) fail("open", errno);
    return;
  }
  target_ = followed(path).string();
  std::error_code failed;
  const fs::file_status status = fs::symlink_status(target_, failed);
  if (fs::is_directory(status))
    throw FileError(fmt::format("cannot write '{}': it is a folder; name a file in it.", path));
  if (fs::is_symlink(status)) fail("open", ELOOP);
  const bool earlier = fs::exists(status);
  if (earlier && ::access(target_.c_str(), W_OK) != 0)
    fail("write", errno);  // whoever protects a file wants to keep it
  if (earlier && !fs::is_regular_file(status)) {
    if (accepts == Accepts::files)
      throw FileError(fmt::format("cannot write '{}': it is a pipe or a device; remove it.", path));
    fd_ = open_for_reader(path);
    if (fd_ < 0) fail("open", errno);
    return;
  }
  const auto mode = static_cast<mode_t>(earlier ? status.permissions() & fs::perms::mask : fs::perms(0666));
  fd_ = open_temporary(mode & 0777);
  if (earlier) ::fchmod(fd_, mode);
}

int OutputFile::open_temporary(mode_t mode) {
  remove_leftovers_beside(target_);
  const bool kept = unfinished_ == Unfinished::kept;
  int fd = kept ? open_part() : -1;
  if (fd < 0) fd = create_unfinished(target_, kept ? kPartSort : kTemporarySort, mode, temporary_);
  if (fd < 0) {
    const int error = errno;
    temporary_.clear();
    fail("create", error);
  }
  if (kept) return fd;
  const std::lock_guard hold(temporary_files().lock);
  temporary_files().names.insert(temporary_);
  return fd;
}

/// The part that an earlier run left; -1 if there is none.
int OutputFile::open_part() {
  for (const std::string& name : unfinished_of(target_, kPartSort)) {
    bool written_now = false;
    const int fd = open_unfinished(name, O_RDWR, written_now);
    if (written_now) {
      throw FileError(fmt::format("'{}' is being written by another run; wait for it, or name another output.", name));
    }
    temporary_ = name;
    if (fd >= 0) return fd;
  }
  return -1;
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

void OutputFile::shorten(u64 bytes) {
  buffer_.clear();
  [[maybe_unused]] const int best_effort = ::ftruncate(fd_, static_cast<off_t>(bytes));
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
  if (struct stat info{}; ::fstat(fd_, &info) == 0) {  // it may have the number of one that was read, and is gone
    const std::lock_guard hold(files_read().lock);
    files_read().names.erase({info.st_dev, info.st_ino});
  }
  {
    const std::lock_guard hold(temporary_files().lock);
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("rename the finished file to", errno);
    temporary_files().names.erase(temporary_);
  }
  temporary_.clear();
  sync_folder_of(target_);
}

std::optional<int> stream_of(const std::string& path) {
  return path == "-" ? std::optional<int>(STDOUT_FILENO) : descriptor_named(followed(path));
}

bool is_pipe(const std::string& path) {
  std::error_code failed;
  return !stream_of(path) && fs::is_fifo(fs::status(path, failed));
}

int open_stream(const std::string& path) {
  const std::optional<int> open = stream_of(path);
  return open ? ::fcntl(*open, F_DUPFD_CLOEXEC, 3) : open_for_reader(path);
}

std::string target_of(const std::string& path) { return followed(path).string(); }

void require_writable(const std::string& path) {
  if (const std::optional<int> stream = stream_of(path)) {
    const int flags = ::fcntl(*stream, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) return;
    throw FileError(fmt::format("cannot write '{}': it is not open for writing; name a file.", path));
  }
  std::error_code failed;
  const fs::file_status status = fs::status(target_of(path), failed);
  if (fs::is_socket(status)) {
    throw FileError(fmt::format("cannot write '{}': it is a socket; name a file or a pipe.", path));
  }
  const bool device = fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
  if (device && ::access(path.c_str(), W_OK) == 0) return;  // opening a pipe may wait, and its reader sees it
  OutputFile file(path);
  file.write(std::string(kTrialBytes, '\0'));
  file.sync();
}

void remove_unfinished_files() {
  temporary_files().lock.lock();  // for good
  for (const std::string& name : temporary_files().names) ::unlink(name.c_str());
}

}  // namespace tri::io
