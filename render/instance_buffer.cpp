#include "render/instance_buffer.hpp"

#include <array>

#include "render/gl/check.hpp"
#include "render/gl/fence.hpp"
#include "render/gl/names.hpp"

namespace tri::render {
namespace {

/// A persistently mapped buffer of three parts: the engine writes one while GL still reads the others.
class CopyBuffer final : public InstanceBuffer {
 public:
  explicit CopyBuffer(std::size_t n) : n_(n), buffer_(gl::make_buffer()) {
    GLint step = 256;
    glGetIntegerv(GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, &step);
    const std::size_t align = step > 0 ? static_cast<std::size_t>(step) : 256;
    stride_ = (n * sizeof(Instance) + align - 1) / align * align;
    constexpr GLbitfield kAccess = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    const GLsizeiptr bytes = static_cast<GLsizeiptr>(stride_ * kParts);
    glNamedBufferStorage(buffer_.get(), bytes, nullptr, kAccess);
    memory_ = static_cast<std::byte*>(glMapNamedBufferRange(buffer_.get(), 0, bytes, kAccess));
    if (memory_ == nullptr) {
      throw MemoryError("the graphics driver has no memory for the instances of the bodies. Use fewer bodies.");
    }
  }
  ~CopyBuffer() override { glUnmapNamedBuffer(buffer_.get()); }
  CopyBuffer(const CopyBuffer&) = delete;
  CopyBuffer& operator=(const CopyBuffer&) = delete;

  PresentPath path() const override { return PresentPath::copy; }
  std::size_t size() const override { return n_; }

  InstanceSink sink() override {
    next_ = (shown_ + 1) % kParts;
    fences_[next_].wait();
    return {InstanceSink::Place::host, {reinterpret_cast<Instance*>(memory_ + next_ * stride_), n_}};
  }
  void written() override { shown_ = next_; }
  void bind(u32 binding) const override {
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, binding, buffer_.get(), static_cast<GLintptr>(shown_ * stride_),
                      static_cast<GLsizeiptr>(n_ * sizeof(Instance)));
  }
  void drawn() override { fences_[shown_].insert(); }

 private:
  static constexpr std::size_t kParts = 3;
  std::size_t n_, stride_ = 0;
  gl::Buffer buffer_;
  std::byte* memory_ = nullptr;
  std::array<gl::Fence, kParts> fences_;
  std::size_t shown_ = 0, next_ = 0;
};

}  // namespace

std::unique_ptr<InstanceBuffer> make_copy_buffer(std::size_t n) { return std::make_unique<CopyBuffer>(n); }

}  // namespace tri::render
