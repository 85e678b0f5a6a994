#pragma once
/// NVIDIA's run-time compiler for kernels (NVRTC), loaded when the first kernel needs it: the program builds and runs
/// without it. Names and numbers are those of the NVRTC API reference.
///
/// All functions may be called by any thread.

#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"

namespace tri::cuda::nvrtc {

using Status = int;  ///< nvrtcResult
inline constexpr Status kSuccess = 0, kCompilation = 6;

using Program = void*;  ///< nvrtcProgram, opaque

struct Api {
  Status (*version)(int* major, int* minor) = nullptr;
  Status (*arch_count)(int*) = nullptr;
  Status (*archs)(int*) = nullptr;
  Status (*create)(Program*, const char* source, const char* name, int headers, const char* const* texts,
                   const char* const* names) = nullptr;
  Status (*destroy)(Program*) = nullptr;
  Status (*compile)(Program, int options, const char* const*) = nullptr;
  Status (*log_size)(Program, std::size_t*) = nullptr;
  Status (*log)(Program, char*) = nullptr;
  Status (*cubin_size)(Program, std::size_t*) = nullptr;
  Status (*cubin)(Program, char*) = nullptr;
  Status (*ptx_size)(Program, std::size_t*) = nullptr;
  Status (*ptx)(Program, char*) = nullptr;
  const char* (*error_string)(Status) = nullptr;
};

/// A compiler, or the reason why there is none.
struct Compiler {
  Api api;
  int version = 0;         ///< 1000 major + 10 minor, as CUDA counts
  std::vector<int> archs;  ///< compute capabilities that it has code for, 10 major + minor, rising
  Availability found;      ///< the reason: one sentence that says what to install and what works without
};

/// The oldest CUDA that kernels are compiled with at run time, as above: the first whose runtime launches them
/// (kernel_library.hpp), and which knows Blackwell. tests/rules compares the documents with it.
inline constexpr int kOldest = 12080;
/// "12.8"
std::string oldest();

/// Loads a library by these names, the first that there is. It is never unloaded.
Compiler load(const std::vector<std::string>& libraries);

/// TRI_NVRTC, if it is set, and else where the toolkit and its packages put the library.
std::vector<std::string> usual_libraries();

/// load(usual_libraries()), once in a process.
const Compiler& loaded();

/// For what a kernel is compiled.
struct Target {
  int capability = 0;     ///< 10 major + minor
  bool portable = false;  ///< as PTX, because the compiler is older than the card

  std::string option() const;  ///< "-arch=sm_90", "-arch=compute_90"
};

/// The target for a card of that compute capability (10 major + minor). Throws BackendError for cards older than all
/// that the compiler knows.
Target target_for(const Compiler& compiler, int capability);

/// Every option but that of the target, in order.
const std::vector<std::string>& options();

/// Compiles a source; returns a cubin, or PTX with its final 0 for a portable target. Throws std::logic_error with the
/// log when the source does not compile, which is a fault of this program, and BackendError for other failures.
std::vector<char> compile(const Compiler& compiler, const std::string& source, const Target& target);

}  // namespace tri::cuda::nvrtc
