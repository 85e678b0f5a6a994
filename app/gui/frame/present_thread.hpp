#pragma once
/// Frames are drawn on one thread and shown on another, so that a display, which takes milliseconds for a frame and
/// makes whoever shows one wait for its turn, holds up neither the simulation nor the drawing. The newest finished
/// frame is shown; one that a newer one has overtaken never is.
///
///     loop      draw 1 | draw 2 | draw 3 | draw 4 | draw 5 ...     each into a texture that nobody shows
///     screen    ------- | show 1      | show 3      | show 4 ...   copied to the window, then swapped

#include <memory>

#include "app/gui/base/window.hpp"
#include "render/gl/gl.hpp"

namespace tri::app::gui {

class PresentThread {
 public:
  /// Starts the thread, which takes the window's own context; the caller keeps the one to draw with. vsync: frames are
  /// shown when the display takes one. Otherwise they are shown as soon as they are there, though 60 a second at most,
  /// and as many fewer, down to 30, as it takes for showing to have a tenth of the time: some displays are fed by the
  /// processor, under locks of the driver for which drawing waits. The window must outlive it.
  PresentThread(Window& window, bool vsync);
  /// Ends the thread. The context to draw with must be current.
  ~PresentThread();
  PresentThread(const PresentThread&) = delete;
  PresentThread& operator=(const PresentThread&) = delete;

  /// Where the next frame is drawn, of the size asked for, with a framebuffer about the texture (GL_RGBA8).
  struct Canvas {
    GLuint texture = 0, framebuffer = 0;
  };
  /// width, height >= 1, in pixels. Waits until no more than two frames are under way on the GPU; in_step: until the
  /// display has taken the frame before, too, where there is vsync. Throws what went wrong on the other thread, once.
  Canvas begin(u32 width, u32 height, bool in_step);
  /// What was drawn since begin() is a finished frame.
  void end();

  /// Since the start: frames shown, and the time that showing took, in ms.
  struct Shown {
    u64 frames = 0;
    double ms = 0;
  };
  Shown shown() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tri::app::gui
