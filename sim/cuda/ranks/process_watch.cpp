#include "sim/cuda/ranks/process_watch.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace tri::cuda {
namespace {

/// A file that can be read once the process has ended, even before its parent asks for it.
int file_of(pid_t pid) {
#ifdef SYS_pidfd_open
  const auto file = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (file >= 0) return file;
  if (errno == ESRCH) return eventfd(1, EFD_CLOEXEC);  // it has ended
#endif
  return -1;
}

/// Waits for any of the files, or as long as that; the first that can be read, or -1.
int first_ready(const std::vector<int>& files, int timeout_ms) {
  std::vector<pollfd> entries;
  for (const int file : files) entries.push_back({file, POLLIN, 0});
  while (poll(entries.data(), entries.size(), timeout_ms) < 0 && errno == EINTR) {
  }
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (entries[k].revents != 0) return static_cast<int>(k);
  }
  return -1;
}

}  // namespace

ProcessWatch::ProcessWatch(const std::vector<pid_t>& pids, double patience_s, std::function<void(std::size_t)> gone) {
  for (const pid_t pid : pids) files_.push_back(file_of(pid));
  files_.push_back(eventfd(0, EFD_CLOEXEC));
  if (files_.back() < 0) return;
  try {
    thread_ = std::thread([this, patience_s, gone = std::move(gone)] { watch(patience_s, gone); });
  } catch (const std::system_error&) {  // a limit on threads
  }
}

ProcessWatch::~ProcessWatch() {
  if (thread_.joinable()) {
    eventfd_write(files_.back(), 1);
    thread_.join();
  }
  for (const int file : files_) {
    if (file >= 0) close(file);
  }
}

void ProcessWatch::watch(double patience_s, const std::function<void(std::size_t)>& gone) {
  const int ended = first_ready(files_, -1);
  if (ended < 0 || ended + 1 == static_cast<int>(files_.size())) return;
  if (first_ready({files_.back()}, static_cast<int>(1e3 * patience_s)) < 0) gone(static_cast<std::size_t>(ended));
}

unsigned long long pid_namespace() {
  struct stat about {};
  return stat("/proc/self/ns/pid", &about) == 0 ? about.st_ino : 0;
}

}  // namespace tri::cuda
