#pragma once
/// A window with OpenGL 4.5 core through GLFW, and what the user does in it. Nothing of GLFW is touched before one is
/// made. One at a time, on the main thread. It has two contexts that share their objects: one to draw with, current on
/// the main thread, and the window's own, in which a thread shows what was drawn (screen.hpp).

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "render/gl/check.hpp"

namespace tri::app::gui {

/// A key that went down or repeats; `key` is GLFW's number.
struct KeyPress {
  int key = 0;
  bool ctrl = false, shift = false;
};

/// What happened since the last poll.
struct Events {
  std::vector<KeyPress> keys;
  std::vector<std::string> dropped;  ///< paths of files
  float scroll = 0;                  ///< clicks of the wheel, up > 0
  bool resized = false;
};

/// Whether a window could be asked for: opens the display and lets it go. Not beside a Window.
Availability try_display();

class Window {
 public:
  /// width, height: of the picture in pixels. Throws GlError with the reason and what to do.
  Window(u32 width, u32 height);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  bool should_close() const;
  /// Takes what happened; waits for something to happen up to `seconds`.
  Events poll(double seconds);
  void resize(u32 width, u32 height);
  void set_title(const std::string& title);

  u32 width() const;  ///< of the picture, in pixels
  u32 height() const;
  std::pair<u32, u32> size() const;  ///< width and height in the units of resize(), which a display may have its own
  float content_scale() const;       ///< what the display asks for; 1 on a plain one
  bool is_down(int key) const;

  /// Makes the window's own context current on this thread. vsync: swap() waits for the display. Throws GlError.
  void take_own_context(bool vsync);
  /// This thread has no context any more.
  void leave_context();
  /// Shows what was drawn into framebuffer 0 of the window's own context, on the thread that has it.
  void swap();

  gl::Messages& messages();  ///< of the context to draw with
  /// For ImGui's back end alone.
  void* handle() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// ImGui drawn into the window; made after the context of imgui_layer.hpp, gone before it.
class ImguiBinding {
 public:
  explicit ImguiBinding(Window& window);
  ~ImguiBinding();
  ImguiBinding(const ImguiBinding&) = delete;
  ImguiBinding& operator=(const ImguiBinding&) = delete;

  void begin_frame();
  void draw();
  /// After the context took letters of another size.
  void new_letters();
};

}  // namespace tri::app::gui
