#pragma once
/// A program that runs beside this one, as a group of processes of its own: Ctrl-C of the terminal reaches only this
/// program, which decides what it means, and whatever the child started ends with it.

#include <sys/types.h>

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
  /// Descriptors: here, and there, which is 0 to 3, in rising order. The null device stands for 0 to 2 where not given.
  std::vector<std::pair<int, int>> files;
};

/// One thread uses it.
class ChildProcess {
 public:
  /// Starts the program. It has the signals' default actions.
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

}  // namespace tri::io
