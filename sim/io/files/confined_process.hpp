#pragma once
/// A process that reads one open file for this one, and has no other right: it cannot open files, start programs or
/// reach the network, and its memory and processor time are limited. What a damaged or hostile file makes of a library
/// then ends in that process.
///
/// It runs a program of its own from the start (posix_spawn): a copy of a process with threads and a CUDA context could
/// do nothing safely. Linux only; where can_confine() is false, a ConfinedProcess may not be made.

#include <span>
#include <string>

#include "sim/base/platform.hpp"

namespace tri::io {

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
  /// Receives a message, once wait() has seen it begin; "" if the process ended instead.
  std::string receive();

  /// What the process wrote to its shared memory. It may still be writing: check a copy, not the memory.
  std::span<const double> shared() const { return {shared_, values_}; }
  /// Waits for the end of a process that has ended or is about to; says why: "Segmentation fault", "exit code 1".
  std::string end();

 private:
  int pid_ = -1, socket_ = -1;
  const double* shared_ = nullptr;
  std::size_t values_ = 0;
  std::string buffer_;
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
