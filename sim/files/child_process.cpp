// Programs that this one starts and talks to.

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <spawn.h>

#include "sim/base/error.hpp"
#include "sim/files/process.hpp"

extern char** environ;

namespace tri::io {
namespace {

bool may_be_run(const std::string& path) {
  std::error_code ignored;
  return access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path, ignored);
}

std::vector<char*> pointers_of(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

void Descriptor::close() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return may_be_run(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty() && !name.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    std::string file = fmt::format("{}/{}", colon == 0 ? "." : rest.substr(0, colon), name);
    if (may_be_run(file)) return file;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return "";
}

ChildProcess::ChildProcess(const ChildSetup& setup) {
  std::vector<std::string> words{setup.program};
  words.insert(words.end(), setup.arguments.begin(), setup.arguments.end());
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files), posix_spawnattr_init(&attributes);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const auto given = [stream](const auto& file) { return file.second == stream; };
    if (std::any_of(setup.files.begin(), setup.files.end(), given)) continue;
    posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
  }
  constexpr int kFree = 16;  // the first descriptor that none of `there` overwrites
  std::vector<Descriptor> copies;
  for (const auto& [here, there] : setup.files) {
    TRI_EXPECTS(here > STDERR_FILENO && there < kFree);
    copies.emplace_back(::fcntl(here, F_DUPFD_CLOEXEC, kFree));
    if (copies.back().get() < 0) error_ = errno;
    posix_spawn_file_actions_adddup2(&files, copies.back().get(), there);
  }
  sigset_t defaults, none;
  sigemptyset(&defaults), sigemptyset(&none);
  for (const int number : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM}) sigaddset(&defaults, number);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  if (error_ == 0)
    error_ = posix_spawn(&pid_, words[0].c_str(), &files, &attributes, pointers_of(words).data(), environ);
  posix_spawnattr_destroy(&attributes), posix_spawn_file_actions_destroy(&files);
  if (error_ != 0) pid_ = -1;
}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  send(SIGKILL);
  wait();
}

void ChildProcess::send(int signal) const {
  if (pid_ > 0) ::kill(-pid_, signal);
}

bool ChildProcess::ended(int ms) {
  constexpr int kPollMs = 2;
  for (int waited = 0; pid_ > 0; waited += kPollMs) {
    siginfo_t info{};
    const int fault = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    if ((fault == 0 && info.si_pid == pid_) || (fault != 0 && errno != EINTR)) wait();
    if (waited >= ms) break;
    if (pid_ > 0) ::usleep(kPollMs * 1000);
  }
  return pid_ <= 0;
}

int ChildProcess::wait() {
  if (pid_ <= 0) return status_;
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  send(SIGKILL);  // what it left behind, while the number of the group is still its own
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status_;
}

}  // namespace tri::io
