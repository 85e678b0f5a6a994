#include "app/gui/frame/present_thread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "render/gl/fence.hpp"
#include "render/gl/names.hpp"
#include "sim/base/contracts.hpp"

namespace tri::app::gui {
namespace {

constexpr double kPresentShare = 0.1;                              // of presenting without vsync
constexpr double kShortest = 1000.0 / 60, kLongest = 1000.0 / 30;  // ms

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

struct PresentThread::Parts {
  /// One being drawn, the newest finished one, and one being presented.
  static constexpr std::size_t kFrames = 3;
  struct Frame {
    gl::Texture texture;
    gl::Framebuffer framebuffer;  ///< of the drawing context: framebuffers are not shared
    GLint width = 0, height = 0;
    Rect place;  ///< in the window's framebuffer
    gl::Fence drawn, copied;
  };

  Parts(Window& w, bool v) : window(w), vsync(v) {}
  void resize(Frame& frame, GLint width, GLint height) const;
  void work();
  void show(const gl::Framebuffer& from, Frame& frame);
  void rethrow();

  Window& window;
  const bool vsync;
  std::array<Frame, kFrames> frames;
  std::size_t at = 0;  ///< being drawn

  mutable std::mutex mutex;  ///< guards what follows
  std::condition_variable changed;
  std::optional<std::size_t> ready, showing;
  bool stop = false;
  std::exception_ptr failure;
  bool ended = false;  ///< by a failure
  Shown shown;

  std::thread thread;
};

void PresentThread::Parts::resize(Frame& frame, GLint width, GLint height) const {
  if (frame.width == width && frame.height == height) return;
  frame.texture = gl::make_texture(GL_TEXTURE_2D);
  glTextureStorage2D(frame.texture.get(), 1, GL_RGBA8, width, height);
  frame.framebuffer = gl::make_framebuffer();
  glNamedFramebufferTexture(frame.framebuffer.get(), GL_COLOR_ATTACHMENT0, frame.texture.get(), 0);
  frame.width = width, frame.height = height;
}

/// On the present thread, without the lock, as the frame belongs to it.
void PresentThread::Parts::show(const gl::Framebuffer& from, Frame& frame) {
  frame.drawn.wait_on_gpu();
  glNamedFramebufferTexture(from.get(), GL_COLOR_ATTACHMENT0, frame.texture.get(), 0);
  const auto pixel = [](float place) { return static_cast<GLint>(std::lround(place)); };
  const Rect& p = frame.place;
  const GLint x0 = pixel(p.x), y0 = pixel(p.y), x1 = pixel(p.x + p.w), y1 = pixel(p.y + p.h);
  const bool same = x1 - x0 == frame.width && y1 - y0 == frame.height;
  if (!same) glClear(GL_COLOR_BUFFER_BIT);
  glBlitNamedFramebuffer(from.get(), 0, 0, 0, frame.width, frame.height, x0, y0, x1, y1, GL_COLOR_BUFFER_BIT,
                         same ? GL_NEAREST : GL_LINEAR);
  frame.copied.insert();
  frame.copied.wait();  // a swap that itself waits for the GPU may hold a lock of the driver meanwhile
  if (const GLenum error = glGetError(); error != GL_NO_ERROR) {
    throw gl::GlError(fmt::format("the window cannot be shown: OpenGL error {:#x}. Use a newer driver.", error));
  }
}

void PresentThread::Parts::work() {
  try {
    window.take_own_context(vsync);
    const gl::Framebuffer from = gl::make_framebuffer();
    for (;;) {
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return stop || ready; });
        if (stop) break;
        showing = std::exchange(ready, std::nullopt);
        ++shown.begun;
      }
      changed.notify_all();
      const double begin = now_ms();
      show(from, frames[*showing]);
      {
        const std::lock_guard lock(mutex);
        showing.reset();  // it may be overwritten once it is copied
      }
      window.swap();
      const double took = now_ms() - begin;
      std::unique_lock lock(mutex);
      ++shown.frames, shown.ms += took;
      const double rest = std::clamp(took / kPresentShare, kShortest, kLongest) - took;
      if (!vsync) changed.wait_for(lock, std::chrono::duration<double, std::milli>(rest), [this] { return stop; });
    }
  } catch (...) {
    const std::lock_guard lock(mutex);
    failure = std::current_exception(), ended = true;
    showing.reset();
  }
  changed.notify_all();
  window.leave_context();
}

/// Under the lock.
void PresentThread::Parts::rethrow() {
  if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
}

PresentThread::PresentThread(Window& window, bool vsync) : parts_(std::make_unique<Parts>(window, vsync)) {
  parts_->thread = std::thread([parts = parts_.get()] { parts->work(); });
}

PresentThread::~PresentThread() {
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->stop = true;
  }
  parts_->changed.notify_all();
  parts_->thread.join();
}

PresentThread::Canvas PresentThread::begin(bool wait) {
  Parts& p = *parts_;
  const u32 width = p.window.width(), height = p.window.height();
  TRI_EXPECTS(width >= 1 && height >= 1);
  {
    std::unique_lock lock(p.mutex);
    // A sleeping display may accept no frame at all; the loop then continues as without vsync.
    const auto taken = [&p] { return !p.ready || p.ended; };
    if (p.vsync && wait) p.changed.wait_for(lock, std::chrono::milliseconds(100), taken);
    p.rethrow();
    for (std::size_t k = 0; k < Parts::kFrames; ++k) {
      if (p.ready != k && p.showing != k) p.at = k;
    }
  }
  Parts::Frame& frame = p.frames[p.at];
  frame.drawn.wait();  // two frames ago: the loop does not run away from the GPU
  frame.copied.wait_on_gpu();
  frame.drawn.reset(), frame.copied.reset();
  p.resize(frame, static_cast<GLint>(width), static_cast<GLint>(height));
  frame.place = p.window.place();
  return {frame.texture.get(), frame.framebuffer.get()};
}

void PresentThread::end() {
  Parts& p = *parts_;
  p.frames[p.at].drawn.insert();
  glFlush();
  {
    const std::lock_guard lock(p.mutex);
    p.rethrow();
    p.ready = p.at;
  }
  p.changed.notify_all();
}

PresentThread::Shown PresentThread::shown() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->shown;
}

}  // namespace tri::app::gui
