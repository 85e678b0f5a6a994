#pragma once
/// How the window looks: themes, fonts, figures, formulas, colours of maps and ranks; the versions of ImGui.
///
/// What is not the same in the versions of Dear ImGui that systems have: 1.86 (Debian 12), 1.90 (Debian 13, Ubuntu
/// 24.04), 1.92. No other file depends on the version.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/support/language.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/platform.hpp"

namespace tri::app::gui {

// The functions of ImGui that draw a text, with the text in the language in use. Within tri::app::gui the name ImGui
// means the namespace below: what is not here is ImGui's own. Items have the ids of their English labels in every
// language, "Kopieren###Copy".

/// A label in the language in use: what is before "##" is its text, and its id that of the English one. It lives as
/// long as the program.
const char* label_text(const char* english);

/// The text with an end of line wherever it is to be broken to be no wider than `width`, in the present font: between
/// words, but not within a number such as "2 \u00d7 10\u207b\u00b9\u00b3" or "1,378". A word that is wider is cut.
std::string in_lines(std::string_view text, float width);
/// Likewise of a command: before options, and of what is too wide then at spaces and behind commas.
std::string command_in_lines(std::string_view command, float width);

/// After the language was chosen, once a frame: the texts in use are its texts. Where it needs letters that no font of
/// the system has, it becomes English, with a sentence that says so.
struct LanguageChange {
  bool new_glyphs = false;  ///< the faces are to be loaded again
  std::string refusal;
};
LanguageChange follow_language(Language& chosen);

// NOLINTBEGIN(readability-identifier-naming): these are ImGui's names.
namespace ImGui {

using namespace ::ImGui;

bool Begin(const char* name, bool* open = nullptr, ImGuiWindowFlags flags = 0);
bool Button(const char* label, const ImVec2& size = {});
bool SmallButton(const char* label);
bool RadioButton(const char* label, bool active);
bool Checkbox(const char* label, bool* on);
bool Selectable(const char* label, bool selected = false, ImGuiSelectableFlags flags = 0);
bool MenuItem(const char* label, const char* shortcut = nullptr, bool selected = false, bool enabled = true);
bool CollapsingHeader(const char* label, ImGuiTreeNodeFlags flags = 0);
bool BeginCombo(const char* label, const char* preview, ImGuiComboFlags flags = 0);
bool InputDouble(const char* label, double* value, double step, double fast, const char* format);
bool InputScalar(const char* label, ImGuiDataType type, void* value, const void* step = nullptr,
                 const void* fast = nullptr, const char* format = nullptr, ImGuiInputTextFlags flags = 0);
bool DragScalar(const char* label, ImGuiDataType type, void* value, float speed, const void* low, const void* high,
                const char* format);
bool SliderInt(const char* label, int* value, int low, int high);
bool SliderFloat(const char* label, float* value, float low, float high, const char* format,
                 ImGuiSliderFlags flags = 0);
bool SliderScalar(const char* label, ImGuiDataType type, void* value, const void* low, const void* high,
                  const char* format, ImGuiSliderFlags flags = 0);
/// As of imgui_stdlib.h.
bool InputText(const char* label, std::string* text, ImGuiInputTextFlags flags = 0);
bool InputTextWithHint(const char* label, const char* hint, std::string* text, ImGuiInputTextFlags flags = 0);

ImVec2 CalcTextSize(const char* text, const char* end = nullptr, bool hides_id = false, float wrap = -1);
void TextUnformatted(const char* text);
/// What follows the pattern is ImGui's business; a text that is the whole line is in the language in use, too.
void Text(const char* pattern, ...) IM_FMTARGS(1);
void TextDisabled(const char* pattern, ...) IM_FMTARGS(1);
/// As wide as the room that is left, in lines of in_lines().
void TextWrapped(const char* pattern, ...) IM_FMTARGS(1);
/// A text that was broken into lines.
void TextInLines(const std::string& text, const std::string& lines);
void TextColored(const ImVec4& colour, const char* pattern, ...) IM_FMTARGS(2);
void SetTooltip(const char* pattern, ...) IM_FMTARGS(1);
void TableSetupColumn(const char* label);

}  // namespace ImGui
// NOLINTEND(readability-identifier-naming)

/// From ascender to descender, and the ascender alone, in pixels of the size that a face was loaded with.
float height_of(ImFont* font);
float ascent_of(ImFont* font);
/// The letter of a face, or none. Its box is in pixels.
const ImFontGlyph* letter_of(ImFont* font, ImWchar letter);

/// The ranges are those that a face takes from this font, also where ImGui loads letters as they are drawn.
void set_font_ranges(ImFontConfig& config, const ImWchar* ranges);
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
void set_control(bool down);  ///< Ctrl
/// ImGui::InvisibleButton() that the keyboard reaches in every version of ImGui. Of a size in pixels, above 0.
bool invisible_button(const char* id, const ImVec2& size, ImGuiButtonFlags flags = 0);
/// As if the item was pressed.
void activate(ImGuiID item);
/// Whether a menu or the list of a combo box is open, which Esc closes.
bool has_popup();

/// Items are activated by Enter and not by Space, which is a key of the app.
void activate_by_enter();
bool shows_focus();
void show_focus();

/// Whether a text field has the keyboard.
bool has_field();
/// Whether one has it that takes this key, of GLFW's numbers: all but F1 to F25, and Ctrl with a letter that edits
/// nothing.
bool field_takes(int key, bool ctrl);

/// A key that went down, by GLFW's numbers: at which place of a US keyboard, with which letter of the layout in use,
/// and with which modifiers.
struct KeyDown {
  int place = 0, meaning = 0, mods = 0;
  std::size_t typed = 0;  ///< letters before it, since the last frame
};

/// Letters that were typed since the last frame, where ImGui does not keep their order among the keys.
std::size_t typed_so_far();

/// A field is on its way to the keyboard: for so many frames letters and keys wait for it, where ImGui would drop them.
void expect_field(int frames);
/// Whether some wait for a later frame.
bool keys_wait();

/// Keys and pointer as ImGui is to see them in a frame.
class ImguiInput {
 public:
  struct Pointer {
    std::function<ImVec2(ImVec2)> in_picture;  ///< of a place in the window; empty where they are the same
    bool pointed = false;                      ///< false: it rested where the window appeared, and is nobody's
    ImVec2 at;                                 ///< in the picture
    std::optional<ImVec2> click;               ///< where a button went down or up,
    int button = 0;                            ///< which one,
    bool down = false;                         ///< and which way
  };
  /// After the back end's NewFrame(): ImGui's. pressed: keys that went down since the last frame; each is seen, if need
  /// be in a later frame. is_down: of a place.
  void new_frame(const Pointer& pointer, const std::vector<KeyDown>& pressed, const std::function<bool(int)>& is_down);

 private:
  std::vector<KeyDown> waiting_;  ///< that ImGui has not seen
  std::vector<ImWchar> letters_;  ///< those neither: they came after a key that edits, or beside Ctrl
  std::map<int, int> meanings_;   ///< of the places that were pressed
  std::map<int, bool> buttons_;   ///< of the pointer, as ImGui has seen them
  unsigned next_ = 0;             ///< the first event that is not seen yet
  bool hidden_ = false;           ///< the pointer is nobody's
};

// The colours of the window by what they are for. Text has a contrast of 4.5 : 1 or more on what it is drawn on, and
// marks of 3 : 1 (WCAG 2.1, 1.4.3 and 1.4.11), in both themes.

struct Theme {
  ImU32 page, panel, raised, selected;  ///< backgrounds: of pages, panels, hovered items, and the row in use
  ImU32 line, edge;                     ///< between parts, and around buttons
  ImU32 text, text2, text3;             ///< text3: "no difference"
  ImU32 disabled;
  ImU32 idle;     ///< blocks without work
  ImU32 focus;    ///< the ring of the keyboard, links
  ImU32 record;   ///< recording
  ImU32 fault;    ///< errors
  ImU32 running;  ///< the mark beside "running"
};

/// high: of high contrast, for eyes that need it.
const Theme& theme_of(bool dark, bool high = false);
/// The one in use; it belongs to the ImGui context.
const Theme& theme();
void use_theme(bool dark, bool high = false);

/// Contrast of two opaque colours, 1 to 21 (WCAG 2.1, relative luminance).
double contrast(ImU32 a, ImU32 b);
/// The same colour with this opacity, 0 to 1.
ImU32 faded(ImU32 colour, float opacity);

/// Of the k-th line or part of a plot, in the theme in use; eight colours that are read on a panel as letters, too, and
/// that colour-blind readers can tell apart (near those of Okabe and Ito 2008).
ImU32 series_colour(unsigned k);

// The letters of the window: Inter for text, STIX for formulas, DejaVu Sans Mono for code, Material Icons. They are
// part of the program, so that it looks the same everywhere. Sizes are pixels of an em at scale 1.

enum class Face : unsigned {
  body,      ///< 14, the default of ImGui
  strong,    ///< 14, semi-bold
  caption,   ///< 12
  rail,      ///< 11
  title,     ///< 18, semi-bold
  figure,    ///< 28, semi-bold
  formula,   ///< 18, italic; digits and operators upright
  display,   ///< 27, as formula
  icon,      ///< 20
  icon_big,  ///< 24
  code,      ///< 13, every letter as wide as the others
};
inline constexpr unsigned kFaceCount = 11;

/// Fills ImGui's atlas anew with every face at this scale (> 0). Digits of text have equal widths, so that columns of
/// numbers stand still.
void load_faces(float scale);
/// In the context of ImGui in use, one face for all uses, that of text: for letters over a picture.
void load_text_face(float scale);
/// What face() gives from now on, where another context has faces of its own; returns what it gave.
using LoadedFaces = std::array<ImFont*, kFaceCount>;
LoadedFaces exchange_faces(const LoadedFaces& faces);
/// Notes the letters of a text that the faces lack, Chinese, Japanese and Korean ones: load_faces() takes them from a
/// font of the system. True where there are new ones, each once.
bool want_glyphs(std::string_view text);
/// After load_faces(), until the next one.
ImFont* face(Face which);
/// Whether a font of the system has those that were wanted.
bool has_system_glyphs();
/// Before load_faces(), which then takes none but those that are wanted again.
void forget_system_glyphs();

/// Text in a face, while it lives.
class InFace {
 public:
  explicit InFace(Face which) { ImGui::PushFont(face(which)); }
  ~InFace() { ImGui::PopFont(); }
  InFace(const InFace&) = delete;
  InFace& operator=(const InFace&) = delete;
};

/// Width of a text in a face, in pixels.
float width_in(Face which, const char* begin, const char* end = nullptr);
/// Height of a text in lines of in_lines(); 0 of none.
float wrapped_height(Face which, const std::string& english, float width);

/// Icons, as UTF-8 for Face::icon.
namespace icon {
inline constexpr const char* kScene = "\ue5c3";
inline constexpr const char* kPhysics = "\ue429";
inline constexpr const char* kEdit = "\ue3c9";
inline constexpr const char* kView = "\ue8f4";
inline constexpr const char* kBodies = "\ue913";
inline constexpr const char* kCharts = "\ue6e1";
inline constexpr const char* kTime = "\ue922";
inline constexpr const char* kBench = "\ue425";
inline constexpr const char* kFind = "\ue8b6";
inline constexpr const char* kHelp = "\ue8fd";
inline constexpr const char* kSettings = "\ue8b8";
inline constexpr const char* kReset = "\ue042";
inline constexpr const char* kBack = "\ue045";
inline constexpr const char* kPlay = "\ue037";
inline constexpr const char* kPause = "\ue034";
inline constexpr const char* kStep = "\ue044";
inline constexpr const char* kStop = "\ue047";
inline constexpr const char* kFit = "\ue3c2";
inline constexpr const char* kStill = "\ue412";
inline constexpr const char* kFull = "\ue5d0";
inline constexpr const char* kRace = "\ue153";
inline constexpr const char* kSplit = "\ue3b9";
inline constexpr const char* kTurns = "\ue040";
inline constexpr const char* kClose = "\ue5cd";
inline constexpr const char* kPuzzle = "\ue87b";
inline constexpr const char* kProfile = "\ue26b";
inline constexpr const char* kPin = "\uf10d";
inline constexpr const char* kDown = "\ue2c4";
}  // namespace icon

// Numbers as the window writes them, and where they are written.

/// Three digits, without an exponent from 0.001 to 99,999: "12.3", "0.0123", "1,230".
std::string three_digits(double value);
/// A time with its unit: "16.2 \u00b5s", "1.42 ms", "3.1 s". ms >= 0.
std::string time_text(double ms);
/// "1.48 \u00d7"; below 0.1 with two digits.
std::string times_text(double ratio);
/// "3.1 \u00d7 10\u207b\u2077"; from 0.001 to 99,999 without an exponent: "0.27", "1,200"; 0 is "0".
std::string power_text(double value, int digits = 2);

enum class Align { left, centre, right };
/// Writes one line; `at` is its upper left corner, its upper middle or its upper right corner.
void write(ImDrawList& draw, Face which, ImVec2 at, ImU32 colour, std::string_view text, Align align = Align::left);
/// The same with the middle of the line at this height.
void write_middle(ImDrawList& draw, Face which, ImVec2 at, ImU32 colour, std::string_view text,
                  Align align = Align::left);
/// As much of the text as fits into `room` pixels, with an ellipsis where it was cut.
std::string fitting(Face which, std::string_view text, float room);

// Formulas of maps set as in a book: italic names, fractions, roots and floors as drawn lines.
//
// The text is that of MapInfo::formula: names, numbers, operators, brackets, and the functions floor, sqrt, sqrtf,
// cbrt, rsqrtf and log2; `w` is omega. Longer words are set as words.

/// A part of a formula. Sizes are pixels; `up` and `down` are measured from the base line.
struct FormulaBox {
  enum class Kind : unsigned char { text, row, fraction, root, floor, raised, lowered };
  Kind kind = Kind::row;
  std::string text;               ///< of a text; the index of a root
  bool italic = false;            ///< of a text
  bool words = false;             ///< in the letters of the panels
  bool large = false;             ///< in Face::display
  float shrink = 1;               ///< part of its size
  std::vector<FormulaBox> parts;  ///< of a fraction: above and below
  float width = 0, up = 0, down = 0;
};

/// The clauses of a formula, which commas and semicolons outside brackets separate; each is to have a line.
/// large: in Face::display; shrink: it has this part of its size.
std::vector<FormulaBox> set_formula(std::string_view text, float scale, bool large = false, float shrink = 1);
/// Draws one, at the scale at which it was set, with the left end of its base line there.
void draw_formula(ImDrawList& draw, const FormulaBox& box, ImVec2 base, ImU32 colour, float scale);

// A font of the system, found by fontconfig, which is loaded at run time where it is installed.

struct SystemFont {
  std::string bytes;  ///< of the whole file
  int index = 0;      ///< of the font in it
};

/// The font that has most of these letters (UTF-16 without surrogates), and the first of them at least. None without
/// fontconfig, without such a font, or where its file cannot be read.
std::optional<SystemFont> system_font_with(const std::vector<std::uint16_t>& glyphs);

// How a map is shown in lists and plots: a colour for its family, a stroke for the member. It depends on the name
// alone, so that a map looks the same in every panel and every benchmark.

struct MapInk {
  ImU32 colour = 0;
  float width = 1;            ///< of its line, relative to that of others
  std::vector<float> dash{};  ///< lengths drawn and left out in turn, in widths of the line; empty = solid
  bool operator==(const MapInk&) const = default;
};

/// In the present theme. Names that are no map's (baseline kernels) get the colour of text.
MapInk map_ink(std::string_view name);

/// A polyline in that ink; width: of an ordinary line, in pixels.
void draw_inked(ImDrawList& draw, const std::vector<ImVec2>& points, const MapInk& ink, float width);

// The colours of ranks, such as the GPUs that share a run.

inline constexpr u32 kRankColours = 8;

/// In the theme in use, for areas on a panel; colour-blind readers can tell them apart too. From kRankColours on they
/// begin again, so the number of the rank always stands beside its colour.
ImU32 rank_colour(u32 rank);
/// The ink for letters on a filled area of any colour: dark or light.
ImU32 ink_on(ImU32 area);

// ImGui's context: font, colours, scale. Independent of a window, so that panels can be tested; window.hpp binds it to
// GLFW and GL.

/// Creates the context, makes it current and sets font and colours; one at a time. Reads and writes no settings file.
class ImguiContext {
 public:
  /// scale: factor on all sizes, > 0.
  explicit ImguiContext(float scale);
  ~ImguiContext();
  ImguiContext(const ImguiContext&) = delete;
  ImguiContext& operator=(const ImguiContext&) = delete;

  void set_theme(bool dark, bool high = false);
  /// Loads the letters anew and scales all sizes, between frames; the font texture must then be uploaded again.
  void set_scale(float scale);
  float scale() const noexcept { return scale_; }

 private:
  ImGuiContext* context_;
  float scale_;
  bool dark_ = true, high_ = false;
};

}  // namespace tri::app::gui
