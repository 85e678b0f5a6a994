#pragma once
/// Frames are drawn on one thread and presented on another, so that a display, which takes milliseconds per frame and
/// blocks the thread that presents, delays neither simulation nor drawing. The newest finished frame is presented;
/// older ones are dropped.
///
///     loop      draw 1 | draw 2 | draw 3 | draw 4 | draw 5 ...     each into a texture that is not on display
///     present   ------- | show 1      | show 3      | show 4 ...   copied to the window, then swapped

#include <memory>

#include "app/gui/base/window.hpp"
#include "render/gl/gl.hpp"

namespace tri::app::gui {

class PresentThread {
 public:
  /// Starts the thread, which takes the window's own context; the caller keeps the one to draw with. vsync: frames are
  /// presented when the display accepts one. Otherwise they are presented as soon as they are finished, but at most 60
  /// times per second, and down to 30 so that presenting takes at most a tenth of the time: some displays are fed by
  /// the processor, under driver locks for which drawing waits. The window must outlive the thread.
  PresentThread(Window& window, bool vsync);
  /// Ends the thread. The context to draw with must be current.
  ~PresentThread();
  PresentThread(const PresentThread&) = delete;
  PresentThread& operator=(const PresentThread&) = delete;

  /// Target of the next frame: a texture (GL_RGBA8) and a framebuffer of it.
  struct Canvas {
    GLuint texture = 0, framebuffer = 0;
  };
  /// In the size of what the window draws, width and height >= 1. Waits until at most two frames are in flight on the
  /// GPU; wait: with vsync, also until the display has accepted the previous frame. Throws an error of the other
  /// thread, once.
  Canvas begin(bool wait);
  /// Finishes the frame drawn since begin().
  void end();

  /// Frames presented since the start, the time that took in ms, and frames whose presentation has begun.
  struct Shown {
    u64 begun = 0, frames = 0;
    double ms = 0;
  };
  Shown shown() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tri::app::gui
