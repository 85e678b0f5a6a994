#pragma once
/// A device: checks of calls, reasons, scopes, memory.
///
/// Error checks for CUDA calls. Exceptions name the failed call and its context and give a hint.
///
/// TRI_CUDA(call) throws CudaError, or MemoryError when GPU memory is exhausted. TRI_CUDA_NOTHROW(call) is for
/// destructors and reports to stderr, once per process: after a failed kernel every later call fails as well.
/// check_launch(name) belongs after every kernel launch: it reports launch errors at once; errors of the running kernel
/// surface at the next synchronising TRI_CUDA call.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/cuda/runtime/device_info.hpp"

namespace tri::cuda {

/// Exit code 3 for a missing or unusable device, 4 for a failed kernel.
class CudaError : public Error {
 public:
  CudaError(cudaError_t status, const char* call, const std::string& context = {});
  cudaError_t status() const noexcept { return status_; }

 private:
  cudaError_t status_;
};

/// Throws MemoryError for exhausted memory, else CudaError. Clears a non-sticky error first, so that the next
/// check_launch() does not report it.
[[noreturn]] void throw_error(cudaError_t status, const char* call, const std::string& context = {});
void throw_if_failed(cudaError_t status, const char* call);
void report_if_failed(cudaError_t status, const char* call) noexcept;
void check_launch(const char* kernel);

}  // namespace tri::cuda

#define TRI_CUDA(call) ::tri::cuda::throw_if_failed((call), #call)
#define TRI_CUDA_NOTHROW(call) ::tri::cuda::report_if_failed((call), #call)

// Tests whether a CUDA device is usable, and explains why not.

namespace tri::cuda {

/// As CUDA counts them: 1000 * major + 10 * minor.
struct Versions {
  int driver = 0;   ///< the newest CUDA that the driver supports; 0 without a driver
  int runtime = 0;  ///< the CUDA of this build
};

/// "13.0"
std::string version_text(int version);

/// Context of a failed device probe.
struct ProbeFailure {
  Versions versions;
  std::optional<CudaDevice> device;    ///< not set if the driver itself failed
  std::optional<std::string> visible;  ///< CUDA_VISIBLE_DEVICES, if set
};

/// Launches a trivial kernel on the current device and checks its result, so that missing machine code or a broken
/// driver is found before any work starts.
cudaError_t run_probe();

/// One sentence without a full stop for a failed probe: what is wrong, and what to do besides using another backend.
/// Needs neither a driver nor a device, as version_text().
std::string unavailable_reason(cudaError_t status, const ProbeFailure& failure);

/// Why `--arithmetic tensor` is refused on a device where has_code() found none for `needed`.0 or
/// later: the device is older, or its code in this build is. what: "" or " for triples in fp64". Sentences.
std::string no_tensor_code(const CudaDevice& device, u32 needed, const std::string& what);

// What a build has compiled a kernel for.

/// Whether `device`, the current one, has compute capability `major`.0 or later, and this build program code of the
/// kernel for that: code for an earlier one ends in a trap, whatever the device. Throws CudaError.
template <class Kernel>
bool has_code(Kernel* kernel, int device, int major) {
  int capability = 0;
  TRI_CUDA(cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device));
  if (capability < major) return false;
  cudaFuncAttributes code{};
  TRI_CUDA(cudaFuncGetAttributes(&code, kernel));
  return code.ptxVersion >= 10 * major;
}

/// no_tensor_code() of `device`. Throws CudaError.
inline std::string no_tensor_code_on(int device, u32 needed, const std::string& what = "") {
  int major = 0, minor = 0;
  TRI_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  TRI_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  CudaDevice there;
  there.major = static_cast<u32>(major), there.minor = static_cast<u32>(minor);
  return no_tensor_code(there, needed, what);
}

// The current device of a thread for a while, in a process where other CUDA libraries choose theirs as well.

/// The driver's current context in this thread, whichever runtime made it; null for none.
void* current_context();
void set_current_context(void* context);

/// Makes `device` current, and what was current before when it goes: also no device at all, which cudaSetDevice()
/// cannot restore. Throws CudaError.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope();

 private:
  void* before_;
};

// Checks for free memory of the current device before an allocation.

/// Bytes that can be allocated on the current device: free memory less a reserve for the driver. Another program may
/// take them first; then DeviceBuffer throws MemoryError.
u64 free_device_memory();

/// Throws MemoryError when `bytes` exceed free_device_memory():
/// "<what> would take 12.0 GiB of GPU memory; 3.1 GiB are free. <hint>."
void require_device_memory(double bytes, const std::string& what, const std::string& hint);

[[noreturn]] void fail_device_memory(double bytes, u64 available, const std::string& what, const std::string& hint);

/// The same for n items; the hint is size_hint() of the largest n that fits. bytes_of as for largest_that_fits().
template <class BytesOf>
void require_device_memory_for(const BytesOf& bytes_of, u64 n, const std::string& what, const std::string& before,
                               const std::string& after) {
  const u64 available = free_device_memory();
  const auto bytes = static_cast<double>(bytes_of(n));
  if (bytes <= static_cast<double>(available)) return;
  fail_device_memory(bytes, available, what, size_hint(before, largest_that_fits(bytes_of, available), after));
}

/// cudaMalloc of `count` elements of `size` bytes; null if count is 0. Throws MemoryError: the memory may be gone since
/// free_device_memory() reported it.
void* allocate_device_memory(std::size_t count, std::size_t size);

// Owning device memory, and owning page-locked host memory. Move-only: copies need a stream and are explicit.

struct DeviceMemory {
  /// Throws MemoryError if the allocation fails, even after a successful require_device_memory().
  static void* take(std::size_t count, std::size_t size) { return allocate_device_memory(count, size); }
  static void give(void* memory) noexcept { TRI_CUDA_NOTHROW(cudaFree(memory)); }
};
/// Page-locked host memory, for transfers without staging.
struct PinnedMemory {
  static void* take(std::size_t count, std::size_t size) {
    void* memory = nullptr;
    if (count > 0) TRI_CUDA(cudaMallocHost(&memory, count * size));
    return memory;
  }
  static void give(void* memory) noexcept { TRI_CUDA_NOTHROW(cudaFreeHost(memory)); }
};

/// [size] elements of T, uninitialised.
template <class T, class Memory>
class OwnedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  OwnedBuffer() = default;
  explicit OwnedBuffer(std::size_t size) : data_(static_cast<T*>(Memory::take(size, sizeof(T)))), size_(size) {}
  OwnedBuffer(OwnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  OwnedBuffer& operator=(OwnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~OwnedBuffer() {
    if (data_) Memory::give(data_);
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
using PinnedBuffer = OwnedBuffer<T, PinnedMemory>;

/// Freed on destruction (which waits for the device, as cudaFree does). Copies to and from the host are ordered on the
/// given stream and return when the host memory may be reused.
template <class T>
class DeviceBuffer : public OwnedBuffer<T, DeviceMemory> {
 public:
  using OwnedBuffer<T, DeviceMemory>::OwnedBuffer;
  using OwnedBuffer<T, DeviceMemory>::data;
  using OwnedBuffer<T, DeviceMemory>::size;

  void upload(std::span<const T> from, cudaStream_t stream) {
    TRI_EXPECTS(from.size() <= size());
    if (from.empty()) return;
    TRI_CUDA(cudaMemcpyAsync(data(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream));
    TRI_CUDA(cudaStreamSynchronize(stream));
  }
  void download(std::span<T> to, cudaStream_t stream) const {
    TRI_EXPECTS(to.size() <= size());
    if (to.empty()) return;
    TRI_CUDA(cudaMemcpyAsync(to.data(), data(), to.size_bytes(), cudaMemcpyDeviceToHost, stream));
    TRI_CUDA(cudaStreamSynchronize(stream));
  }
  std::vector<T> download(cudaStream_t stream) const {
    std::vector<T> out(size());
    download(std::span<T>(out), stream);
    return out;
  }
  /// Sets every byte; asynchronous on the stream.
  void fill_bytes(int byte, cudaStream_t stream) {
    if (size() > 0) TRI_CUDA(cudaMemsetAsync(data(), byte, this->bytes(), stream));
  }
};

}  // namespace tri::cuda
