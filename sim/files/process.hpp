#pragma once
/// Processes that this one starts, with its rights or without.
///
/// A program that runs beside this one, as a group of processes of its own: Ctrl-C of the terminal reaches only this
/// program, which decides what it means, and whatever the child started ends with it.

#include <sys/types.h>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::io {

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const noexcept { return fd_; }
  void close() noexcept;

 private:
  int fd_;
};

/// The path of a program: itself if it has a '/', else in the folders of PATH; "" if there is none that may be run.
std::string find_program(const std::string& name);

struct ChildSetup {
  std::string program;  ///< a path, as of find_program()
  std::vector<std::string> arguments;
  /// Descriptors: here, above 2, and there. The null device stands for 0 to 2 where not given.
  std::vector<std::pair<int, int>> files;
};

/// One thread uses it.
class ChildProcess {
 public:
  /// Starts the program. It has the signals' default actions, and blocks none.
  explicit ChildProcess(const ChildSetup& setup);
  /// Kills what still runs, and waits for it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// errno of the start; 0 if it runs, or ran.
  int error() const { return error_; }
  /// Sends a signal to all its processes.
  void send(int signal) const;
  /// Whether it ended within so many milliseconds.
  bool ended(int ms);
  /// Waits for its end; the status as waitpid() has it.
  int wait();

 private:
  pid_t pid_ = -1;
  int error_ = 0, status_ = -1;
};

// A process that reads one open file for this one, and has no other right: it cannot open files, start programs or
// reach the network, and its memory and processor time are limited. What a damaged or hostile file makes of a library
// then ends in that process.
//
// It runs a program of its own from the start (posix_spawn): a copy of a process with threads and a CUDA context could
// do nothing safely. Linux only; where can_confine() is false, a ConfinedProcess may not be made.

/// Whether this system has confined processes.
bool can_confine();
/// `bytes`, or 0 where the limit of file sizes (ulimit -f) lets processes share none.
u64 shareable(u64 bytes);

/// The descriptors that the process has; 0 to 2 are the null device.
inline constexpr int kParentSocket = 3, kGivenFile = 4, kSharedMemory = 5;

/// The process, as its parent sees it. It ends with this object, and with the thread that made it.
class ConfinedProcess {
 public:
  /// Runs `program argument` with the file on kGivenFile, and as many bytes of shared memory. Throws FileError with the
  /// system's reason if it does not start.
  ConfinedProcess(const std::string& program, const std::string& argument, int file, u64 shared_bytes);
  ~ConfinedProcess();
  ConfinedProcess(const ConfinedProcess&) = delete;
  ConfinedProcess& operator=(const ConfinedProcess&) = delete;

  /// Sends a message. The process may be gone: then receive() says so.
  void send(const std::string& message) const;
  /// Waits at most `ms` milliseconds for a part of a message. False if none came; `ended` is set if none will.
  bool wait(int ms, bool& ended) const;
  /// Appends a part of a message, once wait() has seen it; `whole`: it is the last. False if the process ended instead.
  bool receive(std::string& message, bool& whole);

  /// What the process wrote to its shared memory. It may still be writing: check a copy, not the memory.
  std::span<const double> shared() const { return {shared_, values_}; }
  /// Waits for the end of a process that has ended or is about to; says why: "Segmentation fault", "exit code 1".
  std::string end();

 private:
  std::optional<ChildProcess> child_;
  Descriptor socket_;
  const double* shared_ = nullptr;
  std::size_t values_ = 0;
};

/// In the process: whether it was started by a ConfinedProcess.
bool was_started_confined();
/// In the process: maps its shared memory, then gives up every right but to read kGivenFile and to answer. `memory`: of
/// bytes to come. `seconds`: of processor time. Returns the shared memory; throws FileError.
std::span<double> confine(u64 memory, u64 seconds);
/// In the process: the next message from the parent; "" once there is none to come.
std::string next_request();
void answer(const std::string& message);

}  // namespace tri::io
