#include "app/gui/look/type.hpp"

#include <imgui_internal.h>

#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "app/gui/look/imgui_versions.hpp"
#include "app/gui/look/system_font.hpp"

#include "font_formula.hpp"
#include "font_icons.hpp"
#include "font_regular.hpp"
#include "font_semibold.hpp"
#include "font_upright.hpp"

namespace tri::app::gui {
namespace {

/// Without the digits: Latin, Greek, Cyrillic, punctuation, superscripts, arrows, operators.
constexpr ImWchar kText[] = {0x20,   0x2f,   0x3a,   0x17f,  0x370,  0x3ff,  0x400,  0x4ff,  0x2010, 0x2027,
                             0x2030, 0x203a, 0x2070, 0x2099, 0x2190, 0x2193, 0x2212, 0x2212, 0x221a, 0x221e,
                             0x2248, 0x2248, 0x2260, 0x2265, 0x25b2, 0x25bc, 0xfffd, 0xfffd, 0};
constexpr ImWchar kDigits[] = {'0', '9', 0};
constexpr ImWchar kItalic[] = {0x41, 0x5a, 0x61, 0x7a, 0x3b1, 0x3c9, 0};
constexpr ImWchar kUpright[] = {0x20,   0x40,   0x5b,   0x60,   0x7b,   0xff,   0x2070, 0x2089, 0x2200,
                                0x22ff, 0x2308, 0x230b, 0x2032, 0x2033, 0x2153, 0x215e, 0};
constexpr ImWchar kIcons[] = {0xe034, 0xe034, 0xe037, 0xe037, 0xe040, 0xe040, 0xe042, 0xe042, 0xe044, 0xe045,
                              0xe047, 0xe047, 0xe061, 0xe061, 0xe14d, 0xe14d, 0xe153, 0xe153, 0xe26b, 0xe26b,
                              0xe2c4, 0xe2c4, 0xe3b9, 0xe3b9, 0xe3c2, 0xe3c2, 0xe3c9, 0xe3c9, 0xe412, 0xe412,
                              0xe425, 0xe425, 0xe429, 0xe429, 0xe5c3, 0xe5c4, 0xe5cd, 0xe5cd, 0xe5d0, 0xe5d0,
                              0xe6e1, 0xe6e1, 0xe8b6, 0xe8b6, 0xe8b8, 0xe8b8, 0xe8f4, 0xe8f4, 0xe8fd, 0xe8fd,
                              0xe913, 0xe913, 0xe922, 0xe922, 0xf10d, 0xf10d, 0};

// ImGui takes the height from ascender to descender; sizes here are those of an em.
constexpr float kInterHeight = 1.210f, kItalicHeight = 1.328f, kUprightHeight = 1.509f;
constexpr float kDigitWidth = 0.625f;  // ems

/// Chinese, Japanese and Korean: letters, kana, syllables, their punctuation and wide forms.
constexpr bool is_of_system(unsigned letter) {
  return (letter >= 0x2e80 && letter <= 0x9fff) || (letter >= 0xac00 && letter <= 0xd7a3) ||
         (letter >= 0xf900 && letter <= 0xfaff) || (letter >= 0xff00 && letter <= 0xffef);
}

enum class Set : unsigned { regular, semibold, formula, icons };

struct FaceInfo {
  Set set;
  float size;
};
constexpr std::array<FaceInfo, kFaceCount> kFaces{{{Set::regular, 14},
                                                   {Set::semibold, 14},
                                                   {Set::regular, 12},
                                                   {Set::regular, 11},
                                                   {Set::semibold, 18},
                                                   {Set::semibold, 28},
                                                   {Set::formula, 18},
                                                   {Set::formula, 27},
                                                   {Set::icons, 20},
                                                   {Set::icons, 24}}};

std::array<ImFont*, kFaceCount> loaded{};

ImFont* add(std::string_view bytes, float height, const ImWchar* ranges, ImFontConfig config) {
  config.FontDataOwnedByAtlas = false;
  config.OversampleH = 2, config.OversampleV = 1;
  take_letters(config, ranges);
  // ImGui promises not to write to bytes that it does not own.
  return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<char*>(bytes.data()), static_cast<int>(bytes.size()),
                                                    height, &config);
}

/// Letters that texts asked for, and the font that has them.
struct SystemLetters {
  std::set<ImWchar> asked;
  std::vector<ImWchar> ranges;  ///< ImGui keeps no copy
  std::optional<SystemFont> font;
};
SystemLetters& system_letters() {
  static SystemLetters letters;
  return letters;
}

/// Behind the face added last.
void add_system_letters(float em) {
  SystemLetters& s = system_letters();
  if (!s.font) return;
  constexpr float kHeight = 1.3f;  // of a usual font with these letters
  ImFontConfig config;
  config.MergeMode = config.PixelSnapH = true;
  config.FontNo = s.font->index;
  config.OversampleH = 1;
  add(s.font->bytes, std::round(em * kHeight), s.ranges.data(), config);
}

ImFont* add_face(const FaceInfo& info, float scale) {
  const float em = info.size * scale;
  ImFontConfig plain;
  plain.PixelSnapH = true;
  ImFontConfig merged = plain;
  merged.MergeMode = true;
  if (info.set == Set::icons) return add(embedded::font_icons, std::round(em), kIcons, plain);
  if (info.set == Set::formula) {
    ImFont* font = add(embedded::font_formula, em * kItalicHeight, kItalic, ImFontConfig());
    ImFontConfig upright;
    upright.MergeMode = true;
    add(embedded::font_upright, em * kUprightHeight, kUpright, upright);
    return font;
  }
  const std::string_view bytes = info.set == Set::regular ? embedded::font_regular : embedded::font_semibold;
  const float height = std::round(em * kInterHeight);
  ImFont* font = add(bytes, height, kText, plain);
  merged.GlyphMinAdvanceX = merged.GlyphMaxAdvanceX = std::round(em * kDigitWidth);
  add(bytes, height, kDigits, merged);
  add_system_letters(em);
  return font;
}

}  // namespace

void load_faces(float scale) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  set_width(atlas, scale > 1.5f ? 4096 : 2048);
  for (unsigned k = 0; k < kFaceCount; ++k) loaded[k] = add_face(kFaces[k], scale);
  ImGui::GetIO().FontDefault = loaded[static_cast<unsigned>(Face::body)];
}

bool want_letters(std::string_view text) {
  SystemLetters& s = system_letters();
  const std::size_t before = s.asked.size();
  const char *at = text.data(), *end = at + text.size();
  while (at < end) {
    unsigned letter = static_cast<unsigned char>(*at);
    if (letter < 0xe2) {  // below U+2000: Latin, Greek, Cyrillic
      ++at;
      continue;
    }
    const int bytes = ImTextCharFromUtf8(&letter, at, end);
    if (bytes <= 0) break;
    at += bytes;
    if (is_of_system(letter)) s.asked.insert(static_cast<ImWchar>(letter));
  }
  if (s.asked.size() == before) return false;
  s.font = system_font_with({s.asked.begin(), s.asked.end()});
  s.ranges.clear();
  for (const ImWchar letter : s.asked) s.ranges.insert(s.ranges.end(), {letter, letter});
  s.ranges.push_back(0);
  return s.font.has_value();
}

ImFont* face(Face which) { return loaded[static_cast<unsigned>(which)]; }

float width_in(Face which, const char* begin, const char* end) {
  ImFont* font = face(which);
  return font->CalcTextSizeA(height_of(font), 1e9f, 0, begin, end).x;
}

}  // namespace tri::app::gui
