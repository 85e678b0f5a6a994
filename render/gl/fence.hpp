#pragma once
/// A GL fence: wait() returns when all commands before it have completed.

#include <utility>

#include "render/gl/gl.hpp"

namespace tri::gl {

class Fence {
 public:
  Fence() = default;
  Fence(Fence&& other) noexcept : sync_(std::exchange(other.sync_, nullptr)) {}
  Fence& operator=(Fence&& other) noexcept {
    std::swap(sync_, other.sync_);
    return *this;
  }
  ~Fence() { reset(); }

  /// Inserts the fence into the command stream, replacing an earlier one.
  void insert() {
    reset();
    sync_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  }
  bool inserted() const noexcept { return sync_ != nullptr; }

  /// Whether all commands before the fence have completed; true without a fence. Does not wait.
  bool signaled() const {
    if (sync_ == nullptr) return true;
    const GLenum state = glClientWaitSync(sync_, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
    return state == GL_ALREADY_SIGNALED || state == GL_CONDITION_SATISFIED;
  }
  void wait() const {
    constexpr GLuint64 kSecond = 1'000'000'000;
    while (sync_ != nullptr && glClientWaitSync(sync_, GL_SYNC_FLUSH_COMMANDS_BIT, kSecond) == GL_TIMEOUT_EXPIRED) {
    }
  }
  /// Makes later commands of the current context wait on the GPU for the fence, which may be from another context that
  /// was flushed. Does not block the CPU.
  void wait_on_gpu() const {
    if (sync_ != nullptr) glWaitSync(sync_, 0, GL_TIMEOUT_IGNORED);
  }
  void reset() {
    if (sync_ != nullptr) glDeleteSync(sync_);
    sync_ = nullptr;
  }

 private:
  GLsync sync_ = nullptr;
};

}  // namespace tri::gl
