#include "sim/cuda/jit/nvrtc.hpp"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/files/file.hpp"

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

/// From now on this thread sets the handlers of signals without effect, and is told that it did. False without filters
/// of system calls in this kernel.
bool set_no_handlers() {
  sock_filter code[]{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(code)), code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// The first compilation of a process, of what ends soonest: a source that is none. In it the compiler's front end
/// takes SIGINT and SIGTERM over, for milliseconds, with handlers that end the process or crash it, and gives them back
/// without the flags of their handlers. So a thread that cannot set handlers runs it, and ends.
void compile_nothing(const Api& api) {
  const auto compile = [&api] {
    if (!set_no_handlers()) return;
    Program program = nullptr;
    if (api.create(&program, "?", "typed.cu", 0, nullptr, nullptr) != kSuccess) return;
    (void)api.compile(program, 0, nullptr);
    (void)api.destroy(&program);
  };
  std::thread(compile).join();
}

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
  static const Compiler once = [] {
    Compiler compiler = load(usual_libraries());
    if (compiler.found) compile_nothing(compiler.api);
    return compiler;
  }();
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

namespace tri::cuda {
namespace {

namespace fs = std::filesystem;

constexpr u32 kEntryLayout = 1;
/// More is no kernel of a law.
constexpr u64 kMaxCode = u64{32} << 20;
constexpr std::size_t kNameDigits = 32;

struct EntryHead {
  char magic[8] = {'T', 'R', 'I', 'K', 'E', 'R', 'N', '\n'};
  u32 layout = kEntryLayout, zero = 0;
  u64 high = 0, low = 0;
  u64 length = 0;
  u64 checksum = 0;
};
static_assert(sizeof(EntryHead) == 48);

EntryHead head_of(const KernelKey& key, const std::vector<char>& code) {
  EntryHead head;
  head.high = key.high, head.low = key.low, head.length = code.size();
  head.checksum = fnv1a(kFnvOffset, code.data(), code.size());
  return head;
}

/// The head of a regular file; others, which may never end, are not read.
bool read_head(io::InputFile& file, EntryHead& head) {
  return file.read(&head, sizeof head) == sizeof head &&
         std::memcmp(head.magic, EntryHead().magic, sizeof head.magic) == 0;
}

/// Whether this is a file that a cache wrote: by its name, and by what it begins with.
bool is_entry(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.size() != kNameDigits || name.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
  std::error_code failed;
  if (!fs::is_regular_file(fs::symlink_status(path, failed))) return false;
  try {
    EntryHead head;
    io::InputFile file(path.string(), io::Accepts::files);
    return read_head(file, head);
  } catch (const FileError&) {
    return false;
  }
}

struct CachedFile {
  fs::path path;
  fs::file_time_type used;
  u64 bytes;
};

}  // namespace

void KernelKey::add(std::string_view text) {
  __extension__ using Bits = unsigned __int128;
  const Bits prime = (Bits{1} << 88) + 0x13b;
  Bits hash = Bits{high} << 64 | low;
  const auto take = [&](unsigned char byte) { hash = (hash ^ byte) * prime; };
  for (u64 length = text.size(), k = 0; k < 8; ++k, length >>= 8) take(static_cast<unsigned char>(length));
  for (const char c : text) take(static_cast<unsigned char>(c));
  high = static_cast<u64>(hash >> 64), low = static_cast<u64>(hash);
}

std::string KernelKey::name() const { return hash_text(high) + hash_text(low); }

KernelCache::KernelCache(std::string folder, u64 most_bytes) : folder_(std::move(folder)), most_bytes_(most_bytes) {}

std::optional<std::vector<char>> KernelCache::find(const KernelKey& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = fs::path(folder_) / key.name();
  std::vector<char> code;
  try {
    EntryHead head;
    char more = 0;
    io::InputFile file(path.string(), io::Accepts::files);
    if (!read_head(file, head) || head.length == 0 || head.length > kMaxCode) return {};
    code.resize(head.length);
    if (file.read(code.data(), code.size()) != code.size() || file.read(&more, 1) != 0) return {};
    const EntryHead expected = head_of(key, code);
    if (std::memcmp(&head, &expected, sizeof head) != 0) return {};
  } catch (const FileError&) {
    return {};
  }
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return code;
}

std::string KernelCache::store(const KernelKey& key, const std::vector<char>& code) const {
  if (folder_.empty()) return {};
  std::error_code error;
  if (fs::create_directories(folder_, error)) {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
  }
  if (error) return fmt::format("cannot create the folder {}: {}", folder_, error.message());
  try {
    io::OutputFile file((fs::path(folder_) / key.name()).string(), io::Accepts::files);
    const EntryHead head = head_of(key, code);
    file.write(&head, sizeof head);
    file.write(code.data(), code.size());
    file.commit();
  } catch (const FileError& failure) {
    return failure.what();
  }
  remove_oldest(key.name());
  return {};
}

void KernelCache::remove_oldest(const std::string& but) const {
  std::vector<CachedFile> files;
  u64 bytes = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;  // by another process
    const CachedFile file{at->path(), at->last_write_time(gone), at->file_size(gone)};
    if (gone || !is_entry(file.path)) continue;
    bytes += file.bytes;
    if (file.path.filename() != but) files.push_back(file);
  }
  std::sort(files.begin(), files.end(), [](const CachedFile& a, const CachedFile& b) { return a.used < b.used; });
  for (const CachedFile& file : files) {
    if (bytes <= most_bytes_) return;
    std::error_code gone;
    fs::remove(file.path, gone);
    bytes -= file.bytes;
  }
}

std::string kernel_folder() {
  if (const char* folder = std::getenv("TRI_CACHE"); folder != nullptr && *folder != '\0') {
    return (fs::path(folder) / "kernels").string();
  }
  return io::user_cache("kernels");
}

namespace {

/// Says once in a process that kernels cannot be kept.
void report_unkept(const std::string& why) {
  static std::once_flag once;
  std::call_once(once, [&] {
    fmt::print(stderr,
               "triangulum: compiled kernels of typed laws and maps are not kept, and each start compiles them: {}\n",
               why);
  });
}

}  // namespace

KernelKey key_of(const KernelText& text, const nvrtc::Compiler& compiler, const nvrtc::Target& target) {
  KernelKey key;
  key.add(fmt::format("NVRTC {}", compiler.version));
  key.add(target.option());
  for (const std::string& option : nvrtc::options()) key.add(option);
  key.add(text.common);
  key.add(text.own);
  return key;
}

std::vector<char> kernel_code(const KernelText& text, const nvrtc::Compiler& compiler, const nvrtc::Target& target,
                              const KernelCache& cache) {
  const KernelKey key = key_of(text, compiler, target);
  if (auto kept = cache.find(key)) return *std::move(kept);
  std::vector<char> code = nvrtc::compile(compiler, std::string(text.common) + text.own, target);
  if (const std::string why = cache.store(key, code); !why.empty()) report_unkept(why);
  return code;
}

}  // namespace tri::cuda
