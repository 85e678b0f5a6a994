#pragma once
/// What is not the same in the versions of Dear ImGui that systems have: 1.86 (Debian 12), 1.90 (Debian 13, Ubuntu
/// 24.04), 1.92. No other file depends on the version.

#include <imgui.h>

#include <functional>
#include <optional>
#include <vector>

namespace tri::app::gui {

/// From ascender to descender, and the ascender alone, in pixels of the size that a face was loaded with.
float height_of(ImFont* font);
float ascent_of(ImFont* font);
/// The letter of a face, or none. Its box is in pixels.
const ImFontGlyph* letter_of(ImFont* font, ImWchar letter);

/// The ranges are those that a face takes from this font, also where ImGui loads letters as they are drawn.
void take_letters(ImFontConfig& config, const ImWchar* ranges);
void set_width(ImFontAtlas& atlas, int pixels);
/// For the OpenGL back end, after faces were loaded anew.
void upload_faces();

/// A picture that OpenGL has by this name.
ImTextureID texture_of(unsigned name);
/// What is drawn is these lists.
void set_lists(ImDrawData& drawn, std::vector<ImDrawList*>& lists);

/// The last item has the wheel while the pointer is over it, and no window scrolls.
void own_wheel();
/// Whether a key went down. Any other program uses ImGui::IsKeyPressed().
bool is_pressed(ImGuiKey key);
/// For panels without a back end: the key is down, or not, from the next frame on.
void set_key(ImGuiKey key, bool down);
/// As if the item was pressed.
void activate(ImGuiID item);

/// Items are activated by Enter and not by Space, which is a key of the app.
void activate_by_enter();
bool shows_focus();
void show_focus();

/// Keys and pointer as ImGui is to see them in a frame.
class ImguiInput {
 public:
  struct Pointer {
    std::function<ImVec2(ImVec2)> in_picture;  ///< of a place in the window; empty where they are the same
    bool pointed = false;                      ///< false: it rested where the window appeared, and is nobody's
    ImVec2 at;                                 ///< in the picture
    std::optional<ImVec2> click;               ///< where a button went down or up
  };
  /// After the back end's NewFrame(): ImGui's. pressed: keys of GLFW that went down since the last frame.
  void new_frame(const Pointer& pointer, const std::vector<int>& pressed, const std::function<bool(int)>& is_down);

 private:
  std::vector<int> held_;  ///< keys that are shown as down in this frame, whether they still are or not
  unsigned next_ = 0;      ///< the first event that is not seen yet
  bool hidden_ = false;    ///< the pointer is nobody's
};

}  // namespace tri::app::gui
