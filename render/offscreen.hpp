#pragma once
/// Offscreen OpenGL through EGL, without a window or a display server: on the GPU if its driver has EGL, else, or with
/// LIBGL_ALWAYS_SOFTWARE=1, in software (Mesa). EGL is loaded at run time. One context at a time, used on the thread
/// that created it.

#include <memory>

#include "render/gl/gl.hpp"
#include "render/image.hpp"

namespace tri::render {

class Offscreen {
 public:
  enum class Driver : u8 { any, software };

  /// Creates a current context and a render target of this size (>= 1). Throws GlError with the reason if it cannot.
  /// cuda_device: prefer the GPU of this CUDA device, which can share its memory; -1 for none.
  Offscreen(u32 width, u32 height, Driver driver = Driver::any, int cuda_device = -1);
  ~Offscreen();
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;

  GLuint texture() const noexcept;  ///< GL_RGBA8, read by image()
  Image image() const;
  gl::Messages& messages() noexcept;

 private:
  struct Context;
  struct Target;
  std::unique_ptr<Context> context_;
  std::unique_ptr<Target> target_;
};

}  // namespace tri::render
