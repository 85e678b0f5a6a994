#include "app/gui/look/imgui_versions.hpp"

#include <GLFW/glfw3.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cstdint>
#include <map>
#include <type_traits>

namespace tri::app::gui {

namespace {

// An array, or since 1.89.8 a vector.
template <class Lists>
void set_array(Lists& to, std::vector<ImDrawList*>& lists) {
  if constexpr (std::is_pointer_v<Lists>) {
    to = lists.data();
  } else {
    to.resize(0);
    for (ImDrawList* list : lists) to.push_back(list);
  }
}

}  // namespace

// A pointer or a number.
ImTextureID texture_of(unsigned name) { return std::bit_cast<ImTextureID>(std::uintptr_t{name}); }

void set_lists(ImDrawData& drawn, std::vector<ImDrawList*>& lists) {
  set_array(drawn.CmdLists, lists);
  drawn.CmdListsCount = static_cast<int>(lists.size());
}

#if IMGUI_VERSION_NUM >= 19200  // letters are drawn into the atlas as they are needed, at any size

float height_of(ImFont* font) { return font->LegacySize; }
float ascent_of(ImFont* font) { return font->GetFontBaked(font->LegacySize)->Ascent; }
const ImFontGlyph* letter_of(ImFont* font, ImWchar letter) {
  return font->GetFontBaked(font->LegacySize)->FindGlyphNoFallback(letter);
}
void take_letters(ImFontConfig& config, const ImWchar* ranges) {
  // ImGui keeps no copy. It takes short lists alone; only the last of merged fonts has a long one, and needs none.
  constexpr std::size_t kMaxEnds = 64;
  static std::map<const ImWchar*, std::vector<ImWchar>> others;
  std::vector<ImWchar>& left_out = others[ranges];
  left_out.clear();
  unsigned from = 1;
  for (const ImWchar* at = ranges; at[0] != 0; at += 2) {
    if (at[0] > from) left_out.insert(left_out.end(), {static_cast<ImWchar>(from), static_cast<ImWchar>(at[0] - 1)});
    from = at[1] + 1u;
  }
  constexpr unsigned kLast = IM_UNICODE_CODEPOINT_MAX;
  if (from <= kLast) left_out.insert(left_out.end(), {static_cast<ImWchar>(from), static_cast<ImWchar>(kLast)});
  const bool fits = left_out.size() <= kMaxEnds;
  left_out.push_back(0);
  config.GlyphExcludeRanges = fits ? left_out.data() : nullptr;
}
void set_width(ImFontAtlas&, int) {}
void upload_faces() {}

#else

float height_of(ImFont* font) { return font->FontSize; }
float ascent_of(ImFont* font) { return font->Ascent; }
const ImFontGlyph* letter_of(ImFont* font, ImWchar letter) { return font->FindGlyphNoFallback(letter); }
void take_letters(ImFontConfig& config, const ImWchar* ranges) { config.GlyphRanges = ranges; }
void set_width(ImFontAtlas& atlas, int pixels) { atlas.TexDesiredWidth = pixels; }
void upload_faces() {
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
}

#endif

#if IMGUI_VERSION_NUM >= 19104
bool shows_focus() { return ImGui::GetCurrentContext()->NavCursorVisible; }
void show_focus() {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  g.NavCursorVisible = g.NavHighlightItemUnderNav = true;
}
#else
bool shows_focus() { return !ImGui::GetCurrentContext()->NavDisableHighlight; }
void show_focus() {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  g.NavDisableHighlight = false, g.NavDisableMouseHover = true;
}
#endif

#if IMGUI_VERSION_NUM >= 18700  // what happened comes as a queue of events, in order

void own_wheel() { ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY); }
bool is_pressed(ImGuiKey key) { return ImGui::IsKeyPressed(key); }
void set_key(ImGuiKey key, bool down) { ImGui::GetIO().AddKeyEvent(key, down); }
void activate(ImGuiID item) { ImGui::ActivateItemByID(item); }
void activate_by_enter() {}  // leave_a_frame() keeps Space from ImGui, and Enter activates too

namespace {

bool modifies(ImGuiKey key) {
  constexpr int kModifiers = ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiMod_Alt | ImGuiMod_Super;
  return (key & kModifiers) != 0 || (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper);
}

/// Leaves in the queue what one frame is to see, and returns the rest: all text that was typed, or one other key, or
/// one change of a button. ImGui's own way, a frame or two for each letter, lags behind the keys that the app acts on.
ImVector<ImGuiInputEvent> leave_a_frame(ImVector<ImGuiInputEvent>& queue) {
  ImVector<ImGuiInputEvent> now, later;
  std::vector<ImGuiKey> changed;
  bool typed = false, full = false;
  int k = 0;
  for (; k < queue.Size && !full; ++k) {
    const ImGuiInputEvent& event = queue[k];
    if (event.Type == ImGuiInputEventType_MouseButton) {
      if (typed) break;
      full = true;
    } else if (event.Type == ImGuiInputEventType_Text) {
      typed = true;
    } else if (event.Type == ImGuiInputEventType_Key) {
      const ImGuiKey key = event.Key.Key;
      const bool types = k + 1 < queue.Size && queue[k + 1].Type == ImGuiInputEventType_Text;
      if (key == ImGuiKey_Space) continue;
      const bool again = std::find(changed.begin(), changed.end(), key) != changed.end();
      if (again && !event.Key.Down && !modifies(key)) {  // the key of a letter stays down for this frame
        later.push_back(event);
        continue;
      }
      if (!types && (again || (event.Key.Down && typed))) break;
      full = event.Key.Down && !types && !modifies(key);
      changed.push_back(key);
    }
    now.push_back(event);
  }
  for (; k < queue.Size; ++k) later.push_back(queue[k]);
  queue.swap(now);
  return later;
}

}  // namespace

void ImguiInput::new_frame(const Pointer& pointer, const std::vector<int>&, const std::function<bool(int)>&) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  ImVector<ImGuiInputEvent>& queue = g.InputEventsQueue;
  for (ImGuiInputEvent& event : queue) {
    if (event.Type == ImGuiInputEventType_MousePos && event.EventId >= next_) {
      ImVec2 at(event.MousePos.PosX, event.MousePos.PosY);
      if (!pointer.pointed) at = {-FLT_MAX, -FLT_MAX};
      if (pointer.in_picture && ImGui::IsMousePosValid(&at)) at = pointer.in_picture(at);
      event.MousePos.PosX = at.x, event.MousePos.PosY = at.y;
    }
  }
  if (hidden_ && pointer.pointed) {  // it may be pressed before it moves
    ImGuiInputEvent first{};
    const ImVec2 at = pointer.click.value_or(pointer.at);
    first.Type = ImGuiInputEventType_MousePos, first.Source = ImGuiInputSource_Mouse;
    first.EventId = g.InputEventsNextEventId++;
    first.MousePos.PosX = at.x, first.MousePos.PosY = at.y;
    queue.insert(queue.begin(), first);
  }
  hidden_ = !pointer.pointed;
  next_ = g.InputEventsNextEventId;
  // Back ends compare a new event with the last one in the queue, so the rest is there again when they do.
  g.IO.ConfigInputTrickleEventQueue = false;
  ImVector<ImGuiInputEvent> later = leave_a_frame(queue);
  ImGui::NewFrame();
  queue.swap(later);
}

#else  // ImGui looks once a frame at which keys are down, by the numbers of GLFW

void own_wheel() { ImGui::SetItemUsingMouseWheel(); }
bool is_pressed(ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); }
void set_key(ImGuiKey key, bool down) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[key] = 100 + key;
  io.KeysDown[100 + key] = down;
}
void activate(ImGuiID item) { ImGui::ActivateItem(item); }
void activate_by_enter() { ImGui::GetIO().KeyMap[ImGuiKey_Space] = GLFW_KEY_ENTER; }

void ImguiInput::new_frame(const Pointer& pointer, const std::vector<int>& pressed,
                           const std::function<bool(int)>& is_down) {
  ImGuiIO& io = ImGui::GetIO();
  if (pointer.in_picture && ImGui::IsMousePosValid()) io.MousePos = pointer.in_picture(io.MousePos);
  if (!pointer.pointed) io.MousePos = {-FLT_MAX, -FLT_MAX};
  if (pointer.click) io.MousePos = *pointer.click;
  // A key that went down and up since the last frame stays down for this one.
  for (const int key : held_) io.KeysDown[key] = is_down(key);
  held_ = pressed;
  for (const int key : held_) io.KeysDown[key] = true;
  const auto down = [&io](int left, int right) { return io.KeysDown[left] || io.KeysDown[right]; };
  io.KeyCtrl = down(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
  io.KeyShift = down(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
  io.KeyAlt = down(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT);
  ImGui::NewFrame();
}

#endif

}  // namespace tri::app::gui
