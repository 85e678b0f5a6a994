#pragma once
/// Errors: contracts of the programmer, exceptions for the user.
///
/// Contracts of internal functions. A violation is a bug in this program: it prints file and line and aborts, in every
/// build type. Never used for user input.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

namespace tri::detail {

[[noreturn]] inline void contract_violated(const char* kind, const char* text, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: %s violated: %s\n", file, line, kind, text);
  std::abort();
}

}  // namespace tri::detail

/// Host code only.
#define TRI_EXPECTS(condition) \
  ((condition) ? (void)0 : ::tri::detail::contract_violated("precondition", #condition, __FILE__, __LINE__))
#define TRI_ENSURES(condition) \
  ((condition) ? (void)0 : ::tri::detail::contract_violated("postcondition", #condition, __FILE__, __LINE__))
/// Ends a switch over an enum: a value outside the enum violates the contract.
#define TRI_UNREACHABLE(text) ::tri::detail::contract_violated("unreachable", text, __FILE__, __LINE__)

// Errors reported to the user: one sentence that says what, where and what to do, with the exit code of the command
// line. Programming errors are contracts (error.hpp), not exceptions.

namespace tri {

enum class ExitCode : int {
  ok = 0,
  check_failed = 1,
  usage = 2,
  no_gpu = 3,
  numerical = 4,
  out_of_memory = 5,
  file = 6,
  no_display = 7,
  interrupted = 130,
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// An invalid parameter, option or combination (exit 2).
struct ConfigError : Error {
  explicit ConfigError(const std::string& s) : Error(ExitCode::usage, s) {}
};

/// A required backend is not available (exit 3).
struct BackendError : Error {
  explicit BackendError(const std::string& s) : Error(ExitCode::no_gpu, s) {}
};

/// NaN, infinity, fixed-point range (exit 4).
class NumericalError : public Error {
 public:
  explicit NumericalError(const std::string& s, std::uint64_t step = 0) : Error(ExitCode::numerical, s), step_(step) {}
  /// Number of the step within the call that threw, from 1; 0 outside of a step.
  std::uint64_t step() const noexcept { return step_; }

 private:
  std::uint64_t step_;
};

/// Not enough memory, predicted or found (exit 5).
struct MemoryError : Error {
  explicit MemoryError(const std::string& s) : Error(ExitCode::out_of_memory, s) {}
};

/// A file that cannot be read, written or parsed (exit 6). The sentence names the file, the position and the fix.
struct FileError : Error {
  explicit FileError(const std::string& s) : Error(ExitCode::file, s) {}
};

/// Whether something optional is available; if not, the reason in one sentence.
struct Availability {
  bool ok = false;
  std::string reason;
  explicit operator bool() const noexcept { return ok; }
};

}  // namespace tri
