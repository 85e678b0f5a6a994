// Confined processes on Linux: descriptors by number, rlimits, and a seccomp filter that lets no system
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
#include <vector>

#include <fmt/format.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "sim/base/error.hpp"
#include "sim/files/process.hpp"

extern "C" const ElfW(Ehdr) __ehdr_start;  // of this program, from the linker

namespace tri::io {

namespace {

constexpr std::size_t kMaxMessage = std::size_t{1} << 17;  // a socket's buffer takes 208 KiB
constexpr std::size_t kPart = std::size_t{1} << 16;        // of an answer

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
Descriptor sealed_memory(u64 bytes) {
  Descriptor memory(::memfd_create("triangulum", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  require(memory.get() >= 0 && ::ftruncate(memory.get(), static_cast<off_t>(bytes)) == 0 &&
          ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
  return memory;
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
  socket_ = Descriptor(pair[0]);
  const Descriptor theirs(pair[1]), memory = sealed_memory(bytes);
  const std::span<double> view = map_shared(memory.get(), false);
  shared_ = view.data(), values_ = view.size();
  child_.emplace(ChildSetup{
      program, {argument}, {{theirs.get(), kParentSocket}, {file, kGivenFile}, {memory.get(), kSharedMemory}}});
  errno = child_->error();
  require(errno == 0);
}

ConfinedProcess::~ConfinedProcess() {
  if (shared_ != nullptr) ::munmap(const_cast<double*>(shared_), values_ * sizeof(double));
}

void ConfinedProcess::send(const std::string& message) const {
  while (::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

bool ConfinedProcess::wait(int ms, bool& ended) const {
  pollfd one{socket_.get(), POLLIN, 0};
  if (::poll(&one, 1, ms) <= 0) return false;
  ended = (one.revents & POLLIN) == 0;
  return !ended;
}

bool ConfinedProcess::receive(std::string& message, bool& whole) {
  const std::size_t before = message.size();
  message.resize(before + kPart + 1);
  const ssize_t got = ::recv(socket_.get(), &message[before], kPart + 1, MSG_DONTWAIT);
  if (got <= 0) return false;
  message.resize(before + static_cast<std::size_t>(got));
  whole = message.back() == 0;
  message.pop_back();
  return true;
}

std::string ConfinedProcess::end() {
  const int status = child_->wait();
  if (status < 0) return "unknown reason";  // somebody else waits for all children
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
  ::closefrom(kSharedMemory + 1);
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
  static std::string part;
  for (std::size_t at = 0; at <= message.size(); at += kPart) {
    part.assign(message, at, kPart);
    part += static_cast<char>(at + kPart <= message.size());  // whether there is more
    if (::send(kParentSocket, part.data(), part.size(), MSG_NOSIGNAL) < 0) ::_exit(1);
  }
}

}  // namespace tri::io
