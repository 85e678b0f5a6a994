#pragma once
/// A mark in the stream of GL commands: what stood before it is done when wait() returns.

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
  ~Fence() { clear(); }

  /// Puts the mark here; one put before is forgotten.
  void put() {
    clear();
    sync_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  }
  bool is_put() const noexcept { return sync_ != nullptr; }

  /// Whether all before the mark is done; true without a mark. Does not wait.
  bool passed() const {
    if (sync_ == nullptr) return true;
    const GLenum state = glClientWaitSync(sync_, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
    return state == GL_ALREADY_SIGNALED || state == GL_CONDITION_SATISFIED;
  }
  void wait() const {
    constexpr GLuint64 kSecond = 1'000'000'000;
    while (sync_ != nullptr && glClientWaitSync(sync_, GL_SYNC_FLUSH_COMMANDS_BIT, kSecond) == GL_TIMEOUT_EXPIRED) {
    }
  }
  /// What the current context is given from now on begins after the mark, which may be another context's (flushed
  /// there). Does not wait itself.
  void hold() const {
    if (sync_ != nullptr) glWaitSync(sync_, 0, GL_TIMEOUT_IGNORED);
  }
  void clear() {
    if (sync_ != nullptr) glDeleteSync(sync_);
    sync_ = nullptr;
  }

 private:
  GLsync sync_ = nullptr;
};

}  // namespace tri::gl
