#pragma once
/// OpenGL without a window and without a display, through EGL, which is opened at run time: on the GPU where its driver
/// has EGL, in software (Mesa) otherwise, or where LIBGL_ALWAYS_SOFTWARE=1 asks for it. One such context at a time, on
/// the thread that made it.

#include <memory>

#include "render/gl/check.hpp"
#include "render/gl/gl.hpp"
#include "render/picture.hpp"

namespace tri::render {

class Offscreen {
 public:
  enum class Where : u8 { any, software };

  /// Makes the context current and a picture of this size (>= 1) to draw into. Throws GlError with the reason when
  /// there is none. cuda_device: the number of a CUDA device whose GPU is preferred, as it can share its memory; -1 for
  /// none.
  Offscreen(u32 width, u32 height, Where where = Where::any, int cuda_device = -1);
  ~Offscreen();
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;

  GLuint texture() const noexcept;  ///< GL_RGBA8, which picture() reads
  Picture picture() const;
  gl::Messages& messages() noexcept;

 private:
  struct Context;
  struct Target;
  std::unique_ptr<Context> context_;
  std::unique_ptr<Target> target_;
};

}  // namespace tri::render
