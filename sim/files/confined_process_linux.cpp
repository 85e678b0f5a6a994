// Confined processes on Linux: posix_spawn, descriptors by number, rlimits, and a seccomp filter that lets no system
// call through but those of memory, of reading what is open, and of the socket.

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <spawn.h>

#include "sim/base/error.hpp"
#include "sim/files/process.hpp"

extern "C" const ElfW(Ehdr) __ehdr_start;  // of this program, from the linker

namespace tri::io {

namespace {

constexpr std::size_t kMaxMessage = std::size_t{1} << 17;  // a socket's buffer takes 208 KiB
constexpr int kFree = 16;                                  // the first descriptor that no file action overwrites

/// Owns a descriptor that is in nobody's way.
class HighDescriptor {
 public:
  explicit HighDescriptor(int fd) : fd_(fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, kFree)) {
    if (fd >= 0) ::close(fd);
  }
  ~HighDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  HighDescriptor(const HighDescriptor&) = delete;
  HighDescriptor& operator=(const HighDescriptor&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// Throws with the reason in errno.
void require(bool holds) {
  const int error = errno;
  if (holds) return;
  throw FileError(
      fmt::format("cannot start the process that reads HDF5 ({}); the limits of this session (ulimit -a) or the system "
                  "forbid it.",
                  std::strerror(error)));
}

/// Shared memory of a size that neither side can change: a page that is cut off would end the parent, too.
int sealed_memory(u64 bytes) {
  const int fd = ::memfd_create("triangulum", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  require(fd >= 0 && ::ftruncate(fd, static_cast<off_t>(bytes)) == 0 &&
          ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
  return fd;
}

/// Starts the program with its three descriptors, no signals blocked, and Ctrl-C left to the parent.
int spawn(const std::string& program, const std::string& argument, int socket, int file, int memory) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions), posix_spawnattr_init(&attributes);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, socket, kParentSocket);
  posix_spawn_file_actions_adddup2(&actions, file, kGivenFile);
  posix_spawn_file_actions_adddup2(&actions, memory, kSharedMemory);
  posix_spawn_file_actions_addclosefrom_np(&actions, kSharedMemory + 1);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::string name = program, word = argument;
  char* const argv[] = {name.data(), word.data(), nullptr};
  pid_t pid = -1;
  const int error = posix_spawn(&pid, program.c_str(), &actions, &attributes, argv, environ);
  posix_spawn_file_actions_destroy(&actions), posix_spawnattr_destroy(&attributes);
  errno = error;
  require(error == 0);
  return pid;
}

std::span<double> map_shared(int fd, bool writable) {
  struct stat info {};
  const bool known = ::fstat(fd, &info) == 0;
  if (known && info.st_size == 0) return {};
  void* const at = known ? ::mmap(nullptr, static_cast<std::size_t>(info.st_size),
                                  writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0)
                         : MAP_FAILED;
  require(at != MAP_FAILED);
  return {static_cast<double*>(at), static_cast<std::size_t>(info.st_size) / sizeof(double)};
}

/// No more than the limit that is already there, which only root may raise.
void limit(__rlimit_resource what, u64 soft, u64 hard) {
  rlimit both{};
  require(::getrlimit(what, &both) == 0);
  both.rlim_max = std::min<rlim_t>(both.rlim_max, hard);
  both.rlim_cur = std::min<rlim_t>(both.rlim_max, soft);
  require(::setrlimit(what, &both) == 0);
}

/// Bytes of address space in use.
u64 address_space() {
  unsigned long pages = 0;
  std::FILE* const statm = std::fopen("/proc/self/statm", "re");
  const bool known = statm != nullptr && std::fscanf(statm, "%lu", &pages) == 1;
  if (statm != nullptr) std::fclose(statm);
  require(known);
  return u64{pages} * static_cast<u64>(::sysconf(_SC_PAGESIZE));
}

/// The architecture as the kernel tells it to filters: the machine of an ELF file, with its width and byte order.
u32 audit_architecture() {
  const u32 width = sizeof(void*) == 8 ? __AUDIT_ARCH_64BIT : 0;
  const u32 order = std::endian::native == std::endian::little ? __AUDIT_ARCH_LE : 0;
  return __ehdr_start.e_machine | width | order;
}

/// The filter: listed calls pass, others fail with EPERM, and a call of another architecture ends the process. Folders
/// of filters that the user names in HDF5_PLUGIN_PATH may be read, too.
std::vector<sock_filter> call_filter() {
  std::vector<long> calls{SYS_read,          SYS_pread64,      SYS_lseek,     SYS_fstat,        SYS_sendto,
                          SYS_recvfrom,      SYS_brk,          SYS_mmap,      SYS_munmap,       SYS_mremap,
                          SYS_mprotect,      SYS_madvise,      SYS_futex,     SYS_rt_sigreturn, SYS_rt_sigprocmask,
                          SYS_clock_gettime, SYS_gettimeofday, SYS_getpid,    SYS_gettid,       SYS_sched_yield,
                          SYS_getrandom,     SYS_exit,         SYS_exit_group};
  const bool plugins = std::getenv("HDF5_PLUGIN_PATH") != nullptr;
  if (plugins) calls.insert(calls.end(), {SYS_close, SYS_getdents64, SYS_newfstatat});
  std::vector<sock_filter> code{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, audit_architecture(), 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (const long call : calls) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<u32>(call), 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  if (plugins) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3));
    code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 2 * sizeof(u64)));
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 1, 0));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  return code;
}

}  // namespace

bool can_confine() { return true; }

u64 shareable(u64 bytes) {
  rlimit size{};
  return ::getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_cur < bytes ? 0 : bytes;
}

ConfinedProcess::ConfinedProcess(const std::string& program, const std::string& argument, int file, u64 bytes) {
  std::array<int, 2> pair{};
  require(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) == 0);
  HighDescriptor ours(pair[0]);
  const HighDescriptor theirs(pair[1]), memory(sealed_memory(bytes)), given(::fcntl(file, F_DUPFD_CLOEXEC, kFree));
  require(ours.get() >= 0 && theirs.get() >= 0 && memory.get() >= 0 && given.get() >= 0);
  const std::span<double> view = map_shared(memory.get(), false);
  shared_ = view.data(), values_ = view.size();
  pid_ = spawn(program, argument, theirs.get(), given.get(), memory.get());
  socket_ = ours.release();
}

ConfinedProcess::~ConfinedProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    end();
  }
  if (socket_ >= 0) ::close(socket_);
  if (shared_ != nullptr) ::munmap(const_cast<double*>(shared_), values_ * sizeof(double));
}

void ConfinedProcess::send(const std::string& message) const {
  while (::send(socket_, message.data(), message.size(), MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

bool ConfinedProcess::wait(int ms, bool& ended) const {
  pollfd one{socket_, POLLIN, 0};
  if (::poll(&one, 1, ms) <= 0) return false;
  ended = (one.revents & POLLIN) == 0;
  return !ended;
}

std::string ConfinedProcess::receive() {
  buffer_.resize(kMaxMessage);
  const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  return buffer_.substr(0, got > 0 ? static_cast<std::size_t>(got) : 0);
}

std::string ConfinedProcess::end() {
  int status = 0;
  pid_t got = 0;
  do got = ::waitpid(pid_, &status, 0);
  while (got < 0 && errno == EINTR);
  pid_ = -1;
  if (got < 0) return "unknown reason";  // somebody else waits for all children
  return WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : fmt::format("exit code {}", WEXITSTATUS(status));
}

bool was_started_confined() {
  int type = 0;
  socklen_t size = sizeof type;
  struct stat file {};
  return ::getsockopt(kParentSocket, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET &&
         ::fstat(kGivenFile, &file) == 0 && ::fcntl(kSharedMemory, F_GET_SEALS) >= 0;
}

std::span<double> confine(u64 memory, u64 seconds) {
  // Ctrl-C reaches every process of a terminal; the parent decides what it means. The parent's end is ours.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, SIG_IGN);
  require(::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
  const std::span<double> shared = map_shared(kSharedMemory, true);
  const u64 space = address_space() + memory;
  limit(RLIMIT_AS, space, space);
  limit(RLIMIT_CPU, seconds, seconds + 1);  // SIGXCPU says what happened; SIGKILL would not
  limit(RLIMIT_CORE, 0, 0), limit(RLIMIT_FSIZE, 0, 0);
  require(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  std::vector<sock_filter> code = call_filter();
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  // A kernel without filters still has the limits above.
  const bool filtered = ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  require(filtered || errno == EINVAL);
  return shared;
}

std::string next_request() {
  static std::string buffer(kMaxMessage, '\0');
  ssize_t got = 0;
  do got = ::recv(kParentSocket, buffer.data(), buffer.size(), 0);
  while (got < 0 && errno == EINTR);
  return buffer.substr(0, got > 0 ? static_cast<std::size_t>(got) : 0);
}

void answer(const std::string& message) {
  if (::send(kParentSocket, message.data(), message.size(), MSG_NOSIGNAL) < 0) ::_exit(1);
}

}  // namespace tri::io
