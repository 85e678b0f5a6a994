#include "sim/io/files/unfinished.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

#include "sim/base/state_hash.hpp"

namespace tri::io {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHalf = 8, kDigits = 2 * kHalf;
constexpr int kTries = 100;

/// A number that no one else can predict, as far as the system has one.
u32 random_number() {
  u32 number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) == static_cast<ssize_t>(sizeof number)) return number;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<u32>(now.tv_nsec) * 2654435761u + static_cast<u32>(::getpid());
}

/// The second half of the digits of a file whose name begins so.
std::string second_half(std::string_view begin) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const u64 hash = fnv1a(fnv1a(kFnvOffset, host.data(), host.size()), begin.data(), begin.size());
  return hash_text(hash).substr(kHalf);
}

/// Whether a name, without its folder, is that of an unfinished file of this sort.
bool is_unfinished(std::string_view name, std::string_view sort) {
  if (name.size() < sort.size() + kDigits) return false;
  const std::string_view begin = name.substr(0, name.size() - kHalf);
  return begin.substr(begin.size() - kHalf - sort.size(), sort.size()) == sort &&
         name.substr(name.size() - kHalf) == second_half(begin);
}

fs::path folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    found.push_back(at->path());
  }
  return found;
}

/// A lock that the file system does not have is as good as one that we got.
bool lock(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

}  // namespace

int create_unfinished(const std::string& target, std::string_view sort, mode_t mode, std::string& name) {
  for (int tries = 0; tries < kTries; ++tries) {
    const std::string begin = fmt::format("{}{}{:08x}", target, sort, random_number());
    name = begin + second_half(fs::path(begin).filename().string());
    const int fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0 && errno == EEXIST) continue;
    struct stat info {};
    // Another process may have taken it for a leftover before the lock was ours.
    if (fd < 0 || (lock(fd) && ::fstat(fd, &info) == 0 && info.st_nlink > 0)) return fd;
    ::close(fd);
  }
  errno = EEXIST;
  return -1;
}

std::vector<std::string> unfinished_of(const std::string& target, std::string_view sort, std::string_view ending) {
  const std::string begin = fs::path(target).filename().string() + std::string(sort);
  const std::size_t size = begin.size() + kDigits;
  std::vector<std::string> found;
  for (const fs::path& entry : entries_of(folder_of(target))) {
    const std::string name = entry.filename().string();
    if (name.size() != size + ending.size() || !name.starts_with(begin) || !name.ends_with(ending)) continue;
    if (is_unfinished(name.substr(0, size), sort)) found.push_back(target + name.substr(begin.size() - sort.size()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

int open_unfinished(const std::string& name, int flags, bool& written_now) {
  written_now = false;
  const int fd = ::open(name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -1;
  struct stat info {};
  const bool ours =
      ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 && info.st_uid == ::geteuid();
  if (ours && lock(fd)) return fd;
  written_now = ours;
  ::close(fd);
  return -1;
}

void remove_leftovers_beside(const std::string& target) {
  static std::mutex one_at_a_time;
  static std::set<fs::path>& seen = *new std::set<fs::path>;  // threads may outlive main()
  const std::lock_guard hold(one_at_a_time);
  std::error_code failed;
  const fs::path folder = fs::canonical(folder_of(target), failed);
  if (failed || !seen.insert(folder).second) return;
  for (const fs::path& entry : entries_of(folder)) {
    const std::string name = entry.filename().string();
    const bool part = is_unfinished(name, kPartSort);
    if (!part && !is_unfinished(name, kTemporarySort)) continue;
    if (part && fs::exists(fs::symlink_status(entry.string() + kStateEnding, failed))) continue;
    bool written_now = false;
    const int fd = open_unfinished(entry.string(), O_RDONLY, written_now);
    if (fd < 0) continue;
    ::unlink(entry.c_str());
    ::close(fd);
  }
}

}  // namespace tri::io
