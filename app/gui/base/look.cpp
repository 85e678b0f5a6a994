#include "app/gui/base/look.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <iterator>
#include <map>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <GLFW/glfw3.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include "sim/base/error.hpp"

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
void set_font_ranges(ImFontConfig& config, const ImWchar* ranges) {
  // ImGui keeps no copy. It takes short lists alone; only the last of merged fonts has a long one, and needs none.
  constexpr std::size_t kMaxEnds = 64;
  static std::map<const ImWchar*, std::vector<ImWchar>> others;
  std::vector<ImWchar>& left_out = others[ranges];
  left_out.clear();
  unsigned from = 1;
  for (const ImWchar* at = ranges; at[0] != 0; at += 2) {
    TRI_EXPECTS(at[0] >= from);
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
void set_font_ranges(ImFontConfig& config, const ImWchar* ranges) { config.GlyphRanges = ranges; }
void set_width(ImFontAtlas& atlas, int pixels) { atlas.TexDesiredWidth = pixels; }
void upload_faces() {
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
}

#endif

#if IMGUI_VERSION_NUM >= 19140  // 1.91.4

bool invisible_button(const char* id, const ImVec2& size, ImGuiButtonFlags flags) {
  return ImGui::InvisibleButton(id, size, flags | ImGuiButtonFlags_EnableNav);
}
bool shows_focus() { return ImGui::GetCurrentContext()->NavCursorVisible; }
void show_focus() {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  g.NavCursorVisible = g.NavHighlightItemUnderNav = true;
}

#else

bool invisible_button(const char* id, const ImVec2& size, ImGuiButtonFlags flags) {
  return ImGui::InvisibleButton(id, size, flags);
}
bool shows_focus() { return !ImGui::GetCurrentContext()->NavDisableHighlight; }
void show_focus() {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  g.NavDisableHighlight = false, g.NavDisableMouseHover = true;
}

#endif

namespace {

constexpr float kDoubleClick = 0.4f;  // seconds, as desktops have it

/// A frame sees one change of a button, so the second click of two is seen two frames after the first.
void set_double_click(ImGuiIO& io) { io.MouseDoubleClickTime = std::max(kDoubleClick, 3 * io.DeltaTime); }

}  // namespace

#if IMGUI_VERSION_NUM >= 18700  // what happened comes as a queue of events, in order

std::size_t typed_so_far() { return 0; }
void expect_field(int /*frames*/) {}  // one event a frame: the field is there in time
bool keys_wait() { return !ImGui::GetCurrentContext()->InputEventsQueue.empty(); }
void own_wheel() { ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY); }
bool is_pressed(ImGuiKey key) { return ImGui::IsKeyPressed(key); }
void set_key(ImGuiKey key, bool down) { ImGui::GetIO().AddKeyEvent(key, down); }
void set_control(bool down) { set_key(ImGuiMod_Ctrl, down); }
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

void ImguiInput::new_frame(const Pointer& pointer, const std::vector<KeyDown>&, const std::function<bool(int)>&) {
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
  set_double_click(g.IO);
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
void set_control(bool down) { ImGui::GetIO().KeyCtrl = down; }
void activate(ImGuiID item) { ImGui::ActivateItem(item); }
void activate_by_enter() { ImGui::GetIO().KeyMap[ImGuiKey_Space] = GLFW_KEY_ENTER; }

std::size_t typed_so_far() {
  return ImGui::GetCurrentContext() == nullptr ? 0 : static_cast<std::size_t>(ImGui::GetIO().InputQueueCharacters.Size);
}

namespace {

int frames_to_field = 0;
bool some_wait = false;

/// Whether a key changes a text otherwise than by a letter, moves in it or leaves it.
bool edits(const KeyDown& key) {
  constexpr std::array kEdits{ImGuiKey_Enter,     ImGuiKey_KeyPadEnter, ImGuiKey_Tab,        ImGuiKey_Backspace,
                              ImGuiKey_Delete,    ImGuiKey_LeftArrow,   ImGuiKey_RightArrow, ImGuiKey_UpArrow,
                              ImGuiKey_DownArrow, ImGuiKey_Home,        ImGuiKey_End,        ImGuiKey_Escape};
  const auto is = [&](ImGuiKey edit) { return ImGui::GetIO().KeyMap[edit] == key.meaning; };
  return (key.mods & GLFW_MOD_CONTROL) != 0 || std::any_of(kEdits.begin(), kEdits.end(), is);
}

}  // namespace

void expect_field(int frames) { frames_to_field = frames; }
bool keys_wait() { return some_wait; }

void ImguiInput::new_frame(const Pointer& pointer, const std::vector<KeyDown>& pressed,
                           const std::function<bool(int)>& is_down) {
  ImGuiIO& io = ImGui::GetIO();
  set_double_click(io);
  const bool holds = frames_to_field > 0;
  frames_to_field -= holds ? 1 : 0;
  if (pointer.in_picture && ImGui::IsMousePosValid()) io.MousePos = pointer.in_picture(io.MousePos);
  if (!pointer.pointed) io.MousePos = {-FLT_MAX, -FLT_MAX};
  // One change of a button a frame: two clicks between two frames are two.
  if (pointer.click) io.MousePos = *pointer.click, buttons_[pointer.button] = pointer.down;
  for (const auto& [button, down] : buttons_) io.MouseDown[button] = down;
  // Keys are down by what they mean.
  for (const KeyDown& key : pressed) meanings_[key.place] = key.meaning;
  for (const auto& [place, meaning] : meanings_) io.KeysDown[place] = io.KeysDown[meaning] = false;
  for (const auto& [place, meaning] : meanings_) io.KeysDown[meaning] |= is_down(place);
  const auto down = [&](int left, int right) { return is_down(left) || is_down(right); };
  io.KeyCtrl = down(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
  io.KeyShift = down(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
  io.KeyAlt = down(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT);
  // A key that was touched is down for this frame, and counts as pressed though it may have been so in the last one.
  // The same key again, or one with other modifiers, is for the next frame.
  // Fields take letters before keys, so those after a key that edits are for the next frame, and the keys after them.
  for (KeyDown key : pressed) key.typed += letters_.size(), waiting_.push_back(key);
  for (const ImWchar letter : io.InputQueueCharacters) letters_.push_back(letter);
  io.InputQueueCharacters.resize(0);
  std::size_t seen = 0, taken = letters_.size();
  for (const KeyDown& key : waiting_) io.KeysDown[key.meaning] = false;
  for (; !holds && seen < waiting_.size(); ++seen) {
    const KeyDown& key = waiting_[seen];
    const auto same = [&](const KeyDown& k) { return k.meaning == key.meaning; };
    const auto before = waiting_.begin() + static_cast<std::ptrdiff_t>(seen);
    if (key.mods != waiting_.front().mods || std::any_of(waiting_.begin(), before, same)) break;
    if (key.typed > taken) break;
    if (edits(key)) taken = key.typed;
    io.KeysDown[key.meaning] = true, io.KeysDownDuration[key.meaning] = -1;
    io.KeyCtrl = (key.mods & GLFW_MOD_CONTROL) != 0, io.KeyShift = (key.mods & GLFW_MOD_SHIFT) != 0;
    io.KeyAlt = (key.mods & GLFW_MOD_ALT) != 0;
  }
  const auto next = std::find_if(waiting_.begin() + static_cast<std::ptrdiff_t>(seen), waiting_.end(), edits);
  if (next != waiting_.end()) taken = std::min(taken, next->typed);
  if (seen > 0) std::fill(std::begin(io.NavInputsDownDuration), std::end(io.NavInputsDownDuration), -1.0f);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(seen));
  // Text fields drop what is typed beside Ctrl: letters that came after such a key are for the next frame.
  if (io.KeyCtrl || holds) taken = 0;
  for (std::size_t k = 0; k < taken; ++k) io.InputQueueCharacters.push_back(letters_[k]);
  letters_.erase(letters_.begin(), letters_.begin() + static_cast<std::ptrdiff_t>(taken));
  for (KeyDown& key : waiting_) key.typed -= std::min(key.typed, taken);
  some_wait = !letters_.empty() || !waiting_.empty();
  ImGui::NewFrame();
}

#endif

// ImGui's own answer is that of the frame before, in which a field may have been left that no longer wants the next
// key.
bool has_field() {
  return ImGui::GetCurrentContext() != nullptr && ImGui::GetIO().WantTextInput && ImGui::IsAnyItemActive();
}

bool field_takes(int key, bool ctrl) {
  constexpr std::string_view kEdits = "ACVXYZ";
  const bool function = key >= GLFW_KEY_F1 && key <= GLFW_KEY_F25, letter = key >= GLFW_KEY_A && key <= GLFW_KEY_Z;
  const bool free = function || (ctrl && letter && kEdits.find(static_cast<char>(key)) == std::string_view::npos);
  return has_field() && !free;
}

bool has_popup() {
  constexpr ImGuiPopupFlags kAny = ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel;
  return ImGui::IsPopupOpen("", kAny);
}

namespace {

constexpr ImU32 rgb(unsigned code) { return IM_COL32((code >> 16) & 255, (code >> 8) & 255, code & 255, 255); }

constexpr Theme kDarkTheme{.page = rgb(0x0E1116),
                           .panel = rgb(0x151920),
                           .raised = rgb(0x1B2029),
                           .selected = rgb(0x232A35),
                           .line = rgb(0x2A313D),
                           .edge = rgb(0x3A4352),
                           .text = rgb(0xE8ECF2),
                           .text2 = rgb(0xA9B3C1),
                           .text3 = rgb(0x8A95A6),
                           .disabled = rgb(0x7D8798),
                           .idle = rgb(0x626D7D),
                           .focus = rgb(0x8AB4FF),
                           .record = rgb(0xFF5A52),
                           .fault = rgb(0xFF8A73),
                           .running = rgb(0x63D297)};

constexpr Theme kLightTheme{.page = rgb(0xE9ECF0),
                            .panel = rgb(0xF7F8FA),
                            .raised = rgb(0xFFFFFF),
                            .selected = rgb(0xE6E9EE),
                            .line = rgb(0xD5DAE1),
                            .edge = rgb(0xB9C1CC),
                            .text = rgb(0x171B21),
                            .text2 = rgb(0x48515E),
                            .text3 = rgb(0x596372),
                            .disabled = rgb(0x646D7B),
                            .idle = rgb(0x868F9C),
                            .focus = rgb(0x0B57D0),
                            .record = rgb(0xC3221B),
                            .fault = rgb(0xAF3417),
                            .running = rgb(0x0B6B3E)};

// Text of 7 : 1 or more and lines of 3 : 1 or more (WCAG 2.1, 1.4.6 and 1.4.11).
constexpr Theme kHighDark{.page = rgb(0x000000),
                          .panel = rgb(0x000000),
                          .raised = rgb(0x0C0F13),
                          .selected = rgb(0x1F2834),
                          .line = rgb(0x5D6775),
                          .edge = rgb(0x6B7583),
                          .text = rgb(0xFFFFFF),
                          .text2 = rgb(0xF0F3F7),
                          .text3 = rgb(0xD5DCE5),
                          .disabled = rgb(0xB0BAC6),
                          .idle = rgb(0x9AA5B3),
                          .focus = rgb(0xFFE14D),
                          .record = rgb(0xFF9A94),
                          .fault = rgb(0xFFAE99),
                          .running = rgb(0x7CF0B0)};

constexpr Theme kHighLight{.page = rgb(0xFFFFFF),
                           .panel = rgb(0xFFFFFF),
                           .raised = rgb(0xFFFFFF),
                           .selected = rgb(0xE4EAF2),
                           .line = rgb(0x8A94A2),
                           .edge = rgb(0x7A8492),
                           .text = rgb(0x000000),
                           .text2 = rgb(0x10151B),
                           .text3 = rgb(0x2A323C),
                           .disabled = rgb(0x4A5462),
                           .idle = rgb(0x5F6876),
                           .focus = rgb(0x0033A0),
                           .record = rgb(0x9A0D08),
                           .fault = rgb(0x7E2007),
                           .running = rgb(0x00492A)};

const Theme* in_use = &kDarkTheme;

double luminance(ImU32 colour) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour);
  const auto linear = [](float v) {
    const double x = static_cast<double>(v);
    return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(c.x) + 0.7152 * linear(c.y) + 0.0722 * linear(c.z);
}

}  // namespace

const Theme& theme_of(bool dark, bool high) {
  if (high) return dark ? kHighDark : kHighLight;
  return dark ? kDarkTheme : kLightTheme;
}
const Theme& theme() { return *in_use; }
void use_theme(bool dark, bool high) { in_use = &theme_of(dark, high); }

double contrast(ImU32 a, ImU32 b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

ImU32 faded(ImU32 colour, float opacity) {
  const auto alpha = static_cast<ImU32>(std::lround(255 * std::clamp(opacity, 0.0f, 1.0f)));
  return (colour & ~IM_COL32_A_MASK) | (alpha << IM_COL32_A_SHIFT);
}

ImU32 series_colour(unsigned k) {
  static constexpr ImU32 kDark[] = {rgb(0x5CD1F6), rgb(0xE0AE03), rgb(0x1A954F), rgb(0xBE65AD),
                                    rgb(0xCB640F), rgb(0x6F86ED), rgb(0xC3B75A), rgb(0x92A79B)};
  static constexpr ImU32 kLight[] = {rgb(0x1F6CE7), rgb(0x684000), rgb(0x047F44), rgb(0x980A60),
                                     rgb(0xA56300), rgb(0x271A83), rgb(0x332709), rgb(0x665DA1)};
  return (in_use == &kLightTheme || in_use == &kHighLight ? kLight : kDark)[k % 8];
}

std::string three_digits(double value) {
  if (value < 0) return "\u2212" + three_digits(-value);
  if (value >= 1e5 || value < 1e-3 || std::isnan(value)) return number_text(value, 3);
  if (value >= 1000) return grouped(static_cast<u64>(std::llround(value)));
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  return value >= 0.9995 ? fmt::format("{:.2f}", value) : fmt::format("{:.3g}", value);
}

std::string time_text(double ms) {
  if (ms >= 999.5) return three_digits(ms / 1000) + " s";
  if (ms >= 0.9995 || ms == 0) return three_digits(ms) + " ms";
  const double us = 1000 * ms;  // in a column of times they have as many digits
  return (us >= 0.0995 && us < 0.9995 ? fmt::format("{:.3f}", us) : three_digits(us)) + " \u00b5s";
}

std::string times_text(double ratio) { return ratio_text(ratio) + " \u00d7"; }

std::string power_text(double value, int digits) {
  constexpr int kMinPlain = -3, kMaxPlain = 4;
  if (value == 0 || !std::isfinite(value)) return number_text(value, digits);
  const std::string text = fmt::format("{:.{}e}", std::abs(value), digits - 1);
  const std::size_t at = text.find('e');
  const int power = std::stoi(text.substr(at + 1));
  if (power >= kMinPlain && power <= kMaxPlain) return number_text(value, digits);
  return (value < 0 ? "\u2212" : "") + text.substr(0, at) + with_powers(fmt::format(" \u00d7 10^{}", power));
}

void write(ImDrawList& draw, Face which, ImVec2 at, ImU32 colour, std::string_view english, Align align) {
  const std::string text = tr(english);
  ImFont* font = face(which);
  const char *begin = text.data(), *end = begin + text.size();
  ImGui::LogText("%.*s | ", static_cast<int>(text.size()), begin);  // as ImGui's own texts
  if (align != Align::left) {
    const float width = font->CalcTextSizeA(height_of(font), 1e9f, 0, begin, end).x;
    at.x -= align == Align::right ? width : width / 2;
  }
  draw.AddText(font, height_of(font), {std::floor(at.x), std::floor(at.y)}, colour, begin, end);
}

void write_middle(ImDrawList& draw, Face which, ImVec2 at, ImU32 colour, std::string_view text, Align align) {
  write(draw, which, {at.x, at.y - height_of(face(which)) / 2}, colour, text, align);
}

std::string fitting(Face which, std::string_view english, float room) {
  std::string text = tr(english);
  ImFont* font = face(which);
  const char *begin = text.data(), *end = begin + text.size();
  if (font->CalcTextSizeA(height_of(font), 1e9f, 0, begin, end).x <= room) return text;
  constexpr std::string_view kDots = "\u2026";
  const float dots = font->CalcTextSizeA(height_of(font), 1e9f, 0, kDots.data(), kDots.data() + kDots.size()).x;
  const char* cut = begin;
  if (room > dots) font->CalcTextSizeA(height_of(font), room - dots, 0, begin, end, &cut);
  return std::string(begin, cut) + std::string(kDots);
}

namespace {

struct Family {
  std::string_view stem;  ///< a name that is it, or begins with it and a '-'
  ImU32 dark, light;
  bool second = false;  ///< of a family with two stems
};

/// After Okabe and Ito 2008, moved as little as lets colour-blind readers tell all of them apart (a test simulates
/// them); 4.9 : 1 or more on the panels.
constexpr Family kFamilies[] = {
    {"bb", IM_COL32(0xB4, 0xC5, 0xD6, 255), IM_COL32(0x50, 0x62, 0x7A, 255)},
    {"lambda", IM_COL32(0x56, 0xB4, 0xE9, 255), IM_COL32(0x00, 0x68, 0xA8, 255)},
    {"tetra", IM_COL32(0x56, 0xB4, 0xE9, 255), IM_COL32(0x00, 0x68, 0xA8, 255)},
    {"gasket", IM_COL32(0x56, 0xB4, 0xE9, 255), IM_COL32(0x00, 0x68, 0xA8, 255)},
    {"fold", IM_COL32(0xEC, 0xA4, 0x3E, 255), IM_COL32(0x75, 0x4D, 0x20, 255)},
    {"rb", IM_COL32(0xEC, 0xA4, 0x3E, 255), IM_COL32(0x75, 0x4D, 0x20, 255), true},
    {"rec", IM_COL32(0x47, 0xD1, 0xA5, 255), IM_COL32(0x0E, 0x69, 0x46, 255)},
    {"h", IM_COL32(0x47, 0xD1, 0xA5, 255), IM_COL32(0x0E, 0x69, 0x46, 255), true},
    {"utm", IM_COL32(0xD3, 0x85, 0xB2, 255), IM_COL32(0x88, 0x29, 0x5F, 255)},
    {"circulant", IM_COL32(0xF0, 0xE2, 0x5C, 255), IM_COL32(0x6B, 0x61, 0x00, 255)},
};

struct Member {
  std::string_view ending;
  float width;
  std::vector<float> dash;
};

const std::vector<Member>& members() {
  static const std::vector<Member> kMembers{
      {"-x", 1, {6, 3}},       {"-n", 1, {1.5f, 2.5f}}, {"-r", 1, {6, 2, 1.5f, 2}}, {"-lut", 0.6f, {}},
      {"-stream", 2, {}},      {"-block", 1, {6, 3}},   {"-digits", 1, {6, 3}},     {"-grouped", 1, {9, 3, 3, 3}},
      {"-longest", 2, {9, 3}}, {"-h", 1, {6, 3}},
  };
  return kMembers;
}

}  // namespace

MapInk map_ink(std::string_view name) {
  const auto family = std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](const Family& f) {
    return name == f.stem || (name.starts_with(f.stem) && name[f.stem.size()] == '-');
  });
  if (family == std::end(kFamilies)) return {ImGui::GetColorU32(ImGuiCol_Text)};
  const bool dark = ImGui::GetStyle().Colors[ImGuiCol_WindowBg].x < 0.5f;
  MapInk ink{dark ? family->dark : family->light};
  if (family->second) ink.dash = {6, 3};
  const std::string_view ending = name.substr(family->stem.size());
  for (const Member& member : members()) {
    if (member.ending == ending) ink.width = member.width, ink.dash = member.dash;
  }
  return ink;
}

void draw_inked(ImDrawList& draw, const std::vector<ImVec2>& points, const MapInk& ink, float width) {
  const float thick = ink.width * width;
  if (ink.dash.empty()) {
    draw.AddPolyline(points.data(), static_cast<int>(points.size()), ink.colour, 0, thick);
    return;
  }
  std::size_t at = 0;  // in the pattern, which goes on around corners
  float left = ink.dash[0] * width;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const ImVec2 from = points[k - 1], to = points[k];
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    const auto on_the_way = [&](float done) {
      return ImVec2{from.x + (to.x - from.x) * done / length, from.y + (to.y - from.y) * done / length};
    };
    for (float done = 0; done < length;) {
      const float part = std::min(left, length - done);
      if (at % 2 == 0) draw.AddLine(on_the_way(done), on_the_way(done + part), ink.colour, thick);
      done += part, left -= part;
      if (left <= 0) at = (at + 1) % ink.dash.size(), left = ink.dash[at] * width;
    }
  }
}

namespace {

constexpr ImU32 rank_rgb(unsigned code) { return IM_COL32((code >> 16) & 255, (code >> 8) & 255, code & 255, 255); }

/// As seen by any kind of colour-blind reader, all differ by 15 or more in CIE Lab; marks stand out on a panel.
struct RankPair {
  ImU32 dark, light;
};
constexpr RankPair kRankInks[kRankColours] = {
    {rank_rgb(0x56B4E9), rank_rgb(0x2E86C9)}, {rank_rgb(0xE98A00), rank_rgb(0x9A4B00)},
    {rank_rgb(0xB5EE8A), rank_rgb(0x1D6B52)}, {rank_rgb(0x9E5D7E), rank_rgb(0xC46E9F)},
    {rank_rgb(0xF5DC20), rank_rgb(0xA58A00)}, {rank_rgb(0x3F6FD8), rank_rgb(0x38087B)},
    {rank_rgb(0xF4EEF6), rank_rgb(0x2B2B2B)}, {rank_rgb(0x93A179), rank_rgb(0x6D7F52)}};

}  // namespace

ImU32 rank_colour(u32 rank) {
  const RankPair& pair = kRankInks[rank % kRankColours];
  const bool dark = &theme() == &theme_of(true) || &theme() == &theme_of(true, true);
  return dark ? pair.dark : pair.light;
}

ImU32 ink_on(ImU32 area) {
  const ImU32 dark = theme_of(true).page, light = theme_of(false).raised;
  return contrast(dark, area) >= contrast(light, area) ? dark : light;
}

namespace {

ImVec4 ink(ImU32 colour) { return ImGui::ColorConvertU32ToFloat4(colour); }

}  // namespace

ImguiContext::ImguiContext(float scale) : context_(ImGui::CreateContext()), scale_(scale) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  io.MouseDoubleClickTime = kDoubleClick;
  load_faces(scale);
  set_theme(true);
}

ImguiContext::~ImguiContext() { ImGui::DestroyContext(context_); }

void ImguiContext::set_scale(float scale) {
  scale_ = scale;
  load_faces(scale);
  set_theme(dark_, high_);
}

void ImguiContext::set_theme(bool dark, bool high) {
  dark_ = dark, high_ = high;
  use_theme(dark, high);
  const Theme& t = theme();
  ImGuiStyle style;
  style.WindowRounding = style.ChildRounding = 0;
  style.WindowBorderSize = 0;
  style.FrameRounding = style.GrabRounding = style.ScrollbarRounding = style.PopupRounding = 4;
  style.WindowPadding = {12, 12};
  style.ItemSpacing = {8, 8};
  style.ItemInnerSpacing = {8, 4};
  style.FramePadding = {8, 5};
  style.IndentSpacing = 12;
  style.ScrollbarSize = 11;
  style.FrameBorderSize = 1;
  style.DisabledAlpha = 1;  // disabled items have an ink of their own
  dark ? ImGui::StyleColorsDark(&style) : ImGui::StyleColorsLight(&style);
  const std::pair<ImGuiCol, ImU32> colours[] = {{ImGuiCol_Text, t.text},
                                                {ImGuiCol_TextDisabled, t.text2},
                                                {ImGuiCol_WindowBg, t.panel},
                                                {ImGuiCol_PopupBg, t.raised},
                                                {ImGuiCol_Border, t.edge},
                                                {ImGuiCol_FrameBg, t.raised},
                                                {ImGuiCol_FrameBgHovered, t.selected},
                                                {ImGuiCol_FrameBgActive, t.line},
                                                {ImGuiCol_TitleBg, t.panel},
                                                {ImGuiCol_TitleBgActive, t.raised},
                                                {ImGuiCol_ScrollbarBg, t.panel},
                                                {ImGuiCol_ScrollbarGrab, t.edge},
                                                {ImGuiCol_ScrollbarGrabHovered, t.idle},
                                                {ImGuiCol_ScrollbarGrabActive, t.idle},
                                                {ImGuiCol_CheckMark, t.text},
                                                {ImGuiCol_SliderGrab, t.text2},
                                                {ImGuiCol_SliderGrabActive, t.text},
                                                {ImGuiCol_Button, t.raised},
                                                {ImGuiCol_ButtonHovered, t.selected},
                                                {ImGuiCol_ButtonActive, t.edge},
                                                {ImGuiCol_Header, t.selected},
                                                {ImGuiCol_HeaderHovered, t.selected},
                                                {ImGuiCol_HeaderActive, t.edge},
                                                {ImGuiCol_Separator, t.line},
                                                {ImGuiCol_TableHeaderBg, t.panel},
                                                {ImGuiCol_TableBorderLight, t.line},
                                                {ImGuiCol_TableBorderStrong, t.edge},
                                                {ImGuiCol_NavHighlight, 0}};
  for (const auto& [index, colour] : colours) style.Colors[index] = ink(colour);
  style.ScaleAllSizes(scale_);
  ImGui::GetStyle() = style;
}

}  // namespace tri::app::gui
