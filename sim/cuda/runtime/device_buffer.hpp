#pragma once
/// Owning device memory. Move-only: copies need a stream and are explicit.

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

/// [size] elements of T, uninitialised. Freed on destruction (which waits for the device, as cudaFree does).
/// Copies to and from the host are ordered on the given stream and return when the host memory may be reused.
template <class T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceBuffer() = default;
  /// Throws MemoryError if the allocation fails, even after a successful require_device_memory().
  explicit DeviceBuffer(std::size_t size)
      : data_(static_cast<T*>(allocate_device_memory(size, sizeof(T)))), size_(size) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_) TRI_CUDA_NOTHROW(cudaFree(data_));
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return size_ * sizeof(T); }

  void upload(std::span<const T> from, cudaStream_t stream) {
    TRI_EXPECTS(from.size() <= size_);
    if (from.empty()) return;
    TRI_CUDA(cudaMemcpyAsync(data_, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream));
    TRI_CUDA(cudaStreamSynchronize(stream));
  }
  void download(std::span<T> to, cudaStream_t stream) const {
    TRI_EXPECTS(to.size() <= size_);
    if (to.empty()) return;
    TRI_CUDA(cudaMemcpyAsync(to.data(), data_, to.size_bytes(), cudaMemcpyDeviceToHost, stream));
    TRI_CUDA(cudaStreamSynchronize(stream));
  }
  std::vector<T> download(cudaStream_t stream) const {
    std::vector<T> out(size_);
    download(std::span<T>(out), stream);
    return out;
  }
  /// Sets every byte; asynchronous on the stream.
  void fill_bytes(int byte, cudaStream_t stream) {
    if (size_) TRI_CUDA(cudaMemsetAsync(data_, byte, bytes(), stream));
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tri::cuda
