#include <algorithm>
#include <array>

// After the loader's header, which replaces <GL/gl.h>.
#include <cuda_gl_interop.h>
#include <cuda_runtime.h>
#include <fmt/format.h>

#include "render/gl/gl.hpp"

namespace tri::render {
namespace {

/// Throws GlError; the caller then falls back to the copy path.
void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clear it for the engine
  throw gl::GlError(fmt::format("{}: {}", call, cudaGetErrorString(status)));
}

class InteropBuffer final : public InstanceBuffer {
 public:
  InteropBuffer(std::size_t n, int device) : n_(n), device_(device), buffer_(gl::make_buffer()) {
    glNamedBufferStorage(buffer_.get(), static_cast<GLsizeiptr>(n * sizeof(Instance)), nullptr, 0);
    check(cudaSetDevice(device_), "cudaSetDevice");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    const cudaError_t status =
        cudaGraphicsGLRegisterBuffer(&shared_, buffer_.get(), cudaGraphicsRegisterFlagsWriteDiscard);
    if (status != cudaSuccess) cudaStreamDestroy(stream_);
    check(status, "cudaGraphicsGLRegisterBuffer");
  }
  ~InteropBuffer() override {
    if (mapped_) cudaGraphicsUnmapResources(1, &shared_, stream_);
    cudaStreamSynchronize(stream_);
    cudaGraphicsUnregisterResource(shared_);
    cudaStreamDestroy(stream_);
  }
  InteropBuffer(const InteropBuffer&) = delete;
  InteropBuffer& operator=(const InteropBuffer&) = delete;

  PresentPath path() const override { return PresentPath::interop; }
  std::size_t size() const override { return n_; }

  InstanceSink sink() override {
    check(cudaSetDevice(device_), "cudaSetDevice");
    // The stream waits for GL's reads, and nobody else does.
    check(cudaGraphicsMapResources(1, &shared_, stream_), "cudaGraphicsMapResources");
    mapped_ = true;
    void* memory = nullptr;
    std::size_t bytes = 0;
    check(cudaGraphicsResourceGetMappedPointer(&memory, &bytes, shared_), "cudaGraphicsResourceGetMappedPointer");
    if (bytes < n_ * sizeof(Instance)) throw gl::GlError("the mapped buffer is smaller than the bodies");
    InstanceSink sink{InstanceSink::Place::cuda_device, {static_cast<Instance*>(memory), n_}};
    sink.stream = stream_;
    return sink;
  }
  void written() override {
    mapped_ = false;
    check(cudaGraphicsUnmapResources(1, &shared_, stream_), "cudaGraphicsUnmapResources");
  }
  void bind(u32 binding) const override { glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, buffer_.get()); }
  void drawn() override {}

 private:
  std::size_t n_;
  int device_;
  gl::Buffer buffer_;
  cudaGraphicsResource_t shared_ = nullptr;
  cudaStream_t stream_ = nullptr;  ///< in which GL and the engine take turns at the buffer
  bool mapped_ = false;
};

}  // namespace

std::unique_ptr<InstanceBuffer> make_interop_buffer(std::size_t n, int device, std::string& reason) {
  std::array<int, 16> devices{};
  unsigned count = 0;
  const cudaError_t status =
      cudaGLGetDevices(&count, devices.data(), static_cast<unsigned>(devices.size()), cudaGLDeviceListAll);
  const auto end = devices.begin() + (status == cudaSuccess ? std::min<unsigned>(count, devices.size()) : 0);
  if (std::find(devices.begin(), end, device) == end) {
    cudaGetLastError();
    reason = "OpenGL does not run on the compute GPU";
    return nullptr;
  }
  try {
    return std::make_unique<InteropBuffer>(n, device);
  } catch (const gl::GlError& error) {
    reason = error.what();
    return nullptr;
  }
}

}  // namespace tri::render
