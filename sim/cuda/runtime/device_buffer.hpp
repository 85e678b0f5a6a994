#pragma once
/// Owning device memory, and owning page-locked host memory. Move-only: copies need a stream and are explicit.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/base/contracts.hpp"
#include "sim/cuda/runtime/check.hpp"
#include "sim/cuda/runtime/device_memory.hpp"

namespace tri::cuda {

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
