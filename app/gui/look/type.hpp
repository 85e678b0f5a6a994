#pragma once
/// The letters of the window: Inter for text, STIX for formulas, Material Icons. They are part of the program, so that
/// it looks the same everywhere. Sizes are pixels of an em at scale 1.

#include <imgui.h>

#include <string_view>

namespace tri::app::gui {

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
};
inline constexpr unsigned kFaceCount = 10;

/// Fills ImGui's atlas anew with every face at this scale (> 0). Digits of text have equal widths, so that columns of
/// numbers stand still.
void load_faces(float scale);
/// Notes the letters of a text that the faces lack, Chinese, Japanese and Korean ones: load_faces() takes them from a
/// font of the system. True where there are new ones, each once.
bool want_letters(std::string_view text);
/// After load_faces(), until the next one.
ImFont* face(Face which);

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
inline constexpr const char* kRecord = "\ue061";
inline constexpr const char* kStop = "\ue047";
inline constexpr const char* kFit = "\ue3c2";
inline constexpr const char* kStill = "\ue412";
inline constexpr const char* kFull = "\ue5d0";
inline constexpr const char* kRace = "\ue153";
inline constexpr const char* kSplit = "\ue3b9";
inline constexpr const char* kTurns = "\ue040";
inline constexpr const char* kLeave = "\ue5c4";
inline constexpr const char* kClose = "\ue5cd";
inline constexpr const char* kCopy = "\ue14d";
inline constexpr const char* kProfile = "\ue26b";
inline constexpr const char* kPin = "\uf10d";
inline constexpr const char* kDown = "\ue2c4";
}  // namespace icon

}  // namespace tri::app::gui
