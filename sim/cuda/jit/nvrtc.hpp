#pragma once
/// From a kernel's text to its code: NVRTC, and the cache of compiled code.
///
/// NVIDIA's run-time compiler for kernels (NVRTC), loaded when the first kernel needs it: the program builds and runs
/// without it. Names and numbers are those of the NVRTC API reference.
///
/// All functions may be called by any thread.

#include <optional>
#include <string>
#include <string_view>
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
/// (runtime_kernel.hpp), and which knows Blackwell. tests/rules compares the documents with it.
inline constexpr int kOldest = 12080;
/// "12.8"
std::string oldest();

/// Loads a library by these names, the first that there is. It is never unloaded.
Compiler load(const std::vector<std::string>& libraries);

/// TRI_NVRTC, if it is set, and else where the toolkit and its packages put the library.
std::vector<std::string> usual_libraries();

/// load(usual_libraries()), once in a process, and the first compilation, which keeps signals with their handlers. The
/// first call takes some 20 ms.
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

// Compiled kernels in files, one each, so that the next start does not compile them again.
//
//     folder   $TRI_CACHE/kernels, else $XDG_CACHE_HOME/triangulum/kernels, else ~/.cache/triangulum/kernels
//     file     the key in hexadecimal digits; magic, layout, key, length, checksum, code
//
// A file that is damaged, cut off or of another layout counts as missing, and the next store() replaces it. Files
// appear whole under their names, so several processes may share a folder. Nothing here throws, and nothing fails:
// without a folder that can be written, kernels are compiled at each start. Files of others in the folder, told by
// name and magic, are neither counted nor removed.

namespace tri::cuda {

/// A hash of all that a kernel's code depends on: FNV-1a, 128 bits (see numbers.hpp).
struct KernelKey {
  u64 high = 0x6c62272e07bb0142ull, low = 0x62b821756295c58dull;

  /// Continues the hash over a text and its length, so that the parts of a sum of texts count.
  void add(std::string_view text);
  std::string name() const;  ///< 32 hexadecimal digits
  friend bool operator==(const KernelKey&, const KernelKey&) = default;
  friend bool operator<(const KernelKey& a, const KernelKey& b) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
  }
};

/// Any thread may use it.
class KernelCache {
 public:
  /// Bytes of all files, beyond which those that were used longest ago are removed.
  static constexpr u64 kMaxBytes = u64{64} << 20;

  /// Empty: nothing is kept.
  explicit KernelCache(std::string folder, u64 most_bytes = kMaxBytes);

  const std::string& folder() const { return folder_; }
  /// The code with that key, if there is a sound file of it, which then counts as used now.
  std::optional<std::vector<char>> find(const KernelKey& key) const;
  /// Keeps the code. Returns the reason why it could not, else an empty string.
  std::string store(const KernelKey& key, const std::vector<char>& code) const;

 private:
  void remove_oldest(const std::string& but) const;

  std::string folder_;
  u64 most_bytes_;
};

/// See above; empty if no variable names a folder.
std::string kernel_folder();

// From the text of a kernel to its code. Needs no device, and no CUDA to be built.

/// The text of one kernel: `common`, which many share, then `own`, which instantiates it.
struct KernelText {
  std::string_view common;
  std::string own;
};

/// Hash of the text, the target, the options and the compiler's version.
KernelKey key_of(const KernelText& text, const nvrtc::Compiler& compiler, const nvrtc::Target& target);

/// The code of a kernel by this compiler for this target: from the cache, else compiled and kept there. Needs no
/// device. Throws as nvrtc::compile().
std::vector<char> kernel_code(const KernelText& text, const nvrtc::Compiler& compiler, const nvrtc::Target& target,
                              const KernelCache& cache);

}  // namespace tri::cuda
