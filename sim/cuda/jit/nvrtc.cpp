#include "sim/cuda/jit/nvrtc.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "sim/base/contracts.hpp"

namespace tri::cuda::nvrtc {
namespace {

Availability unavailable(const std::string& what) {
  return {false,
          fmt::format("typed laws and maps are compiled for the GPU by NVRTC, and {}; install it with the CUDA toolkit "
                      "({} or later) or alone (package cuda-nvrtc), name the library with TRI_NVRTC, or use --backend "
                      "cpu",
                      what, oldest())};
}

/// Sets every function of the interface; returns the name of the first that is missing.
std::string resolve_all(void* handle, Api& api) {
  std::string missing;
  const auto resolve = [&]<class Function>(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(handle, name));
    if (function == nullptr && missing.empty()) missing = name;
  };
  resolve(api.version, "nvrtcVersion");
  resolve(api.arch_count, "nvrtcGetNumSupportedArchs");
  resolve(api.archs, "nvrtcGetSupportedArchs");
  resolve(api.create, "nvrtcCreateProgram");
  resolve(api.destroy, "nvrtcDestroyProgram");
  resolve(api.compile, "nvrtcCompileProgram");
  resolve(api.log_size, "nvrtcGetProgramLogSize");
  resolve(api.log, "nvrtcGetProgramLog");
  resolve(api.cubin_size, "nvrtcGetCUBINSize");
  resolve(api.cubin, "nvrtcGetCUBIN");
  resolve(api.ptx_size, "nvrtcGetPTXSize");
  resolve(api.ptx, "nvrtcGetPTX");
  resolve(api.error_string, "nvrtcGetErrorString");
  return missing;
}

/// A program of the compiler, destroyed at the end.
class HeldProgram {
 public:
  HeldProgram(const Api& api, const std::string& source) : api_(api) {
    check(api.create(&program_, source.c_str(), "typed.cu", 0, nullptr, nullptr));
  }
  HeldProgram(const HeldProgram&) = delete;
  HeldProgram& operator=(const HeldProgram&) = delete;
  ~HeldProgram() {
    if (program_ != nullptr) (void)api_.destroy(&program_);
  }

  Program get() const { return program_; }

  /// Throws BackendError for a failure that is none of the source's.
  void check(Status status) const {
    if (status == kSuccess) return;
    throw BackendError(
        fmt::format("NVRTC failed: {}. Check its installation, or use --backend cpu.", api_.error_string(status)));
  }

  std::vector<char> text(Status (*size_of)(Program, std::size_t*), Status (*copy)(Program, char*)) const {
    std::size_t size = 0;
    check(size_of(program_, &size));
    std::vector<char> bytes(size);
    check(copy(program_, bytes.data()));
    return bytes;
  }

 private:
  const Api& api_;
  Program program_ = nullptr;
};

}  // namespace

std::string oldest() { return fmt::format("{}.{}", kOldest / 1000, kOldest % 1000 / 10); }

Compiler load(const std::vector<std::string>& libraries) {
  Compiler compiler;
  void* handle = nullptr;
  std::string opened;
  for (const std::string& library : libraries) {
    if ((handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) != nullptr) {
      opened = library;
      break;
    }
  }
  if (handle == nullptr) {
    const bool one = libraries.size() == 1;
    compiler.found = unavailable(one ? fmt::format("{} is none that can be opened", libraries[0])
                                     : fmt::format("no {} was found", "libnvrtc.so.13 or libnvrtc.so.12"));
    return compiler;
  }
  const std::string missing = resolve_all(handle, compiler.api);
  int major = 0, minor = 0;
  if (compiler.api.version != nullptr && compiler.api.version(&major, &minor) == kSuccess) {
    compiler.version = 1000 * major + 10 * minor;
  }
  if (compiler.version < kOldest && compiler.version > 0) {
    compiler.found = unavailable(fmt::format("{} is {}.{}, which is older than {}", opened, major, minor, oldest()));
  } else if (!missing.empty()) {
    compiler.found = unavailable(fmt::format("{} has no function {}", opened, missing));
  } else {
    int count = 0;
    if (compiler.api.arch_count(&count) == kSuccess && count > 0) {
      compiler.archs.resize(static_cast<std::size_t>(count));
      if (compiler.api.archs(compiler.archs.data()) != kSuccess) compiler.archs.clear();
    }
    std::sort(compiler.archs.begin(), compiler.archs.end());
    compiler.found =
        compiler.archs.empty() ? unavailable(fmt::format("{} does not answer", opened)) : Availability{true, ""};
  }
  return compiler;
}

std::vector<std::string> usual_libraries() {
  if (const char* named = std::getenv("TRI_NVRTC"); named != nullptr && *named != '\0') return {named};
  std::vector<std::string> names{"libnvrtc.so.13", "libnvrtc.so.12"};
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
    if (const char* folder = std::getenv(variable); folder != nullptr && *folder == '/') {
      names.push_back(std::string(folder) + "/lib64/libnvrtc.so");
    }
  }
  names.insert(names.end(), {"/usr/local/cuda/lib64/libnvrtc.so", "/opt/cuda/lib64/libnvrtc.so", "libnvrtc.so"});
  return names;
}

const Compiler& loaded() {
  static const Compiler once = load(usual_libraries());
  return once;
}

std::string Target::option() const { return fmt::format("-arch={}_{}", portable ? "compute" : "sm", capability); }

Target target_for(const Compiler& compiler, int capability) {
  TRI_EXPECTS(compiler.found.ok);
  if (std::binary_search(compiler.archs.begin(), compiler.archs.end(), capability)) return {capability, false};
  const auto above = std::upper_bound(compiler.archs.begin(), compiler.archs.end(), capability);
  if (above != compiler.archs.begin()) return {*std::prev(above), true};
  throw BackendError(
      fmt::format("NVRTC {}.{} has no code for compute capability {}.{}, and typed laws and maps are compiled by it. "
                  "Install an older one and name it with TRI_NVRTC, or use --backend cpu.",
                  compiler.version / 1000, compiler.version % 1000 / 10, capability / 10, capability % 10));
}

const std::vector<std::string>& options() {
  // The text has host functions too, which are compiled for the device then and never called.
  static const std::vector<std::string> all{"-std=c++20", "-default-device"};
  return all;
}

std::vector<char> compile(const Compiler& compiler, const std::string& source, const Target& target) {
  TRI_EXPECTS(compiler.found.ok);
  const HeldProgram program(compiler.api, source);
  const std::string arch = target.option(), capability = fmt::format("-DTRI_CAPABILITY={}", target.capability);
  std::vector<const char*> words{arch.c_str(), capability.c_str()};
  for (const std::string& option : options()) words.push_back(option.c_str());
  const Status status = compiler.api.compile(program.get(), static_cast<int>(words.size()), words.data());
  if (status == kCompilation) {
    const std::vector<char> log = program.text(compiler.api.log_size, compiler.api.log);
    throw std::logic_error(
        fmt::format("a kernel of a typed law or map does not compile, which is a fault of Triangulum; please report it "
                    "with this text "
                    "(NVRTC {}.{}, {}), and use --backend cpu meanwhile:\n{}",
                    compiler.version / 1000, compiler.version % 1000 / 10, arch, log.data()));
  }
  program.check(status);
  return target.portable ? program.text(compiler.api.ptx_size, compiler.api.ptx)
                         : program.text(compiler.api.cubin_size, compiler.api.cubin);
}

}  // namespace tri::cuda::nvrtc
