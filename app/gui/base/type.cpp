// Letters: fonts of the system and of the program, text that is cut to fit, formulas.

#include <dlfcn.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <imgui_internal.h>

#include "app/gui/base/look.hpp"
#include "font_code.hpp"
#include "font_formula.hpp"
#include "font_icons.hpp"
#include "font_regular.hpp"
#include "font_semibold.hpp"
#include "font_upright.hpp"

namespace tri::app::gui {
namespace {

/// The functions of libfontconfig (fontconfig.h, version 2) that are used here; patterns and sets are its own.
struct Fontconfig {
  int (*init)();
  void (*end)();
  void* (*make_set)();
  int (*add)(void* set, std::uint32_t letter);
  int (*has)(const void* set, std::uint32_t letter);
  void (*drop_set)(void* set);
  void* (*make_pattern)();
  int (*add_set)(void* pattern, const char* object, const void* set);
  int (*substitute)(void* config, void* pattern, int kind);
  void (*complete)(void* pattern);
  void* (*match)(void* config, void* pattern, int* result);
  int (*get_text)(const void* pattern, const char* object, int n, const unsigned char** text);
  int (*get_number)(const void* pattern, const char* object, int n, int* number);
  int (*get_set)(const void* pattern, const char* object, int n, void** set);
  void (*drop_pattern)(void* pattern);

  template <class Function>
  static bool load(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }
  /// False where the library or one of them is missing.
  bool load() {
    void* library = dlopen("libfontconfig.so.1", RTLD_NOW | RTLD_LOCAL);
    return library != nullptr && load(library, "FcInit", init) && load(library, "FcFini", end) &&
           load(library, "FcCharSetCreate", make_set) && load(library, "FcCharSetAddChar", add) &&
           load(library, "FcCharSetHasChar", has) && load(library, "FcCharSetDestroy", drop_set) &&
           load(library, "FcPatternCreate", make_pattern) && load(library, "FcPatternAddCharSet", add_set) &&
           load(library, "FcConfigSubstitute", substitute) && load(library, "FcDefaultSubstitute", complete) &&
           load(library, "FcFontMatch", match) && load(library, "FcPatternGetString", get_text) &&
           load(library, "FcPatternGetInteger", get_number) && load(library, "FcPatternGetCharSet", get_set) &&
           load(library, "FcPatternDestroy", drop_pattern) && init() != 0;
  }
};

/// Loaded for as long as the program runs.
struct LoadedFontconfig {
  Fontconfig functions{};
  bool there = functions.load();
  LoadedFontconfig() = default;
  LoadedFontconfig(const LoadedFontconfig&) = delete;
  LoadedFontconfig& operator=(const LoadedFontconfig&) = delete;
  ~LoadedFontconfig() {
    if (there) functions.end();
  }
};

struct FontFile {
  std::string path;
  int index = 0;
};

/// The file of the font that fontconfig finds; an empty path without one.
FontFile file_with(const Fontconfig& fc, const std::vector<std::uint16_t>& glyphs) {
  constexpr const char* kCharset = "charset";
  FontFile found;
  void* wanted = fc.make_set();
  for (const std::uint16_t letter : glyphs) fc.add(wanted, letter);
  void* pattern = fc.make_pattern();
  fc.add_set(pattern, kCharset, wanted);
  fc.substitute(nullptr, pattern, 0);
  fc.complete(pattern);
  int result = 0;
  void* font = fc.match(nullptr, pattern, &result);
  const unsigned char* path = nullptr;
  void* its_glyphs = nullptr;
  if (font != nullptr && fc.get_set(font, kCharset, 0, &its_glyphs) == 0 && fc.has(its_glyphs, glyphs.front()) != 0 &&
      fc.get_text(font, "file", 0, &path) == 0) {
    found.path = reinterpret_cast<const char*>(path);
    fc.get_number(font, "index", 0, &found.index);
  }
  if (font != nullptr) fc.drop_pattern(font);
  fc.drop_pattern(pattern);
  fc.drop_set(wanted);
  return found;
}

/// Whether the bytes begin as a font does that can be drawn: TrueType, OpenType, or a collection of them.
bool is_font(const std::string& bytes) {
  constexpr std::array<std::string_view, 4> kBegins{std::string_view("\0\1\0\0", 4), "OTTO", "true", "ttcf"};
  for (const std::string_view begin : kBegins) {
    if (bytes.starts_with(begin)) return true;
  }
  return false;
}

}  // namespace

std::optional<SystemFont> system_font_with(const std::vector<std::uint16_t>& glyphs) {
  static const LoadedFontconfig fontconfig;
  if (!fontconfig.there || glyphs.empty()) return std::nullopt;
  const FontFile file = file_with(fontconfig.functions, glyphs);
  std::error_code none;
  if (!std::filesystem::is_regular_file(file.path, none)) return std::nullopt;
  std::ifstream in(file.path, std::ios::binary);
  SystemFont font{{std::istreambuf_iterator<char>(in), {}}, file.index & 0xffff};
  if (!is_font(font.bytes)) return std::nullopt;
  return font;
}

namespace {

// Ranges of letters rise: ImGui 1.92 is told what lies between them.

/// Without the digits: Latin, Greek, Cyrillic, punctuation, superscripts, arrows, operators.
constexpr ImWchar kText[] = {0x20,   0x2f,   0x3a,   0x17f,  0x370,  0x3ff,  0x400,  0x4ff,  0x2010, 0x2027,
                             0x2030, 0x203a, 0x2070, 0x2099, 0x2190, 0x2193, 0x2212, 0x2212, 0x221a, 0x221e,
                             0x2248, 0x2248, 0x2260, 0x2265, 0x25b2, 0x25bc, 0xfffd, 0xfffd, 0};
constexpr ImWchar kDigits[] = {'0', '9', 0};
constexpr ImWchar kCode[] = {0x20, 0xff, 0x370, 0x3ff, 0x2010, 0x2027, 0x2212, 0x2212, 0xfffd, 0xfffd, 0};
constexpr ImWchar kItalic[] = {0x41, 0x5a, 0x61, 0x7a, 0x3b1, 0x3c9, 0};
constexpr ImWchar kUpright[] = {0x20,   0x40,   0x5b,   0x60,   0x7b,   0xff,   0x2032, 0x2033, 0x2070,
                                0x2089, 0x2153, 0x215e, 0x2200, 0x22ff, 0x2308, 0x230b, 0};
constexpr ImWchar kIcons[] = {0xe034, 0xe034, 0xe037, 0xe037, 0xe040, 0xe040, 0xe042, 0xe042, 0xe044, 0xe045,
                              0xe047, 0xe047, 0xe061, 0xe061, 0xe14d, 0xe14d, 0xe153, 0xe153, 0xe26b, 0xe26b,
                              0xe2c4, 0xe2c4, 0xe3b9, 0xe3b9, 0xe3c2, 0xe3c2, 0xe3c9, 0xe3c9, 0xe412, 0xe412,
                              0xe425, 0xe425, 0xe429, 0xe429, 0xe5c3, 0xe5c4, 0xe5cd, 0xe5cd, 0xe5d0, 0xe5d0,
                              0xe6e1, 0xe6e1, 0xe87b, 0xe87b, 0xe8b6, 0xe8b6, 0xe8b8, 0xe8b8, 0xe8f4, 0xe8f4,
                              0xe8fd, 0xe8fd, 0xe913, 0xe913, 0xe922, 0xe922, 0xf10d, 0xf10d, 0};

// ImGui takes the height from ascender to descender; sizes here are those of an em.
constexpr float kInterHeight = 1.210f, kItalicHeight = 1.328f, kUprightHeight = 1.509f, kCodeHeight = 1.164f;
constexpr float kDigitWidth = 0.625f;  // ems

/// Chinese, Japanese and Korean: glyphs, kana, syllables, their punctuation and wide forms.
constexpr bool is_of_system(unsigned letter) {
  return (letter >= 0x2e80 && letter <= 0x9fff) || (letter >= 0xac00 && letter <= 0xd7a3) ||
         (letter >= 0xf900 && letter <= 0xfaff) || (letter >= 0xff00 && letter <= 0xffef);
}

enum class Set : unsigned { regular, semibold, formula, icons, code };

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
                                                   {Set::icons, 24},
                                                   {Set::code, 13}}};

LoadedFaces loaded{};

ImFont* add(std::string_view bytes, float height, const ImWchar* ranges, ImFontConfig config) {
  config.FontDataOwnedByAtlas = false;
  config.OversampleH = 2, config.OversampleV = 1;
  set_font_ranges(config, ranges);
  // ImGui promises not to write to bytes that it does not own.
  return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<char*>(bytes.data()), static_cast<int>(bytes.size()),
                                                    height, &config);
}

/// Letters that texts asked for, and the font that has them.
struct SystemGlyphs {
  std::set<ImWchar> asked;
  std::vector<ImWchar> ranges;  ///< ImGui keeps no copy
  std::optional<SystemFont> font;
};
SystemGlyphs& system_glyphs() {
  static SystemGlyphs glyphs;
  return glyphs;
}

/// Behind the face added last.
void add_system_glyphs(float em) {
  SystemGlyphs& s = system_glyphs();
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
  if (info.set == Set::code) return add(embedded::font_code, std::round(em * kCodeHeight), kCode, plain);
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
  add_system_glyphs(em);
  return font;
}

}  // namespace

void load_faces(float scale) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  constexpr std::size_t kMany = 256;  // of the system, as a whole language has
  const bool many = has_system_glyphs() && system_glyphs().asked.size() > kMany;
  set_width(atlas, (scale > 1.5f ? 4096 : 2048) * (many ? 2 : 1));
  for (unsigned k = 0; k < kFaceCount; ++k) loaded[k] = add_face(kFaces[k], scale);
  ImGui::GetIO().FontDefault = loaded[static_cast<unsigned>(Face::body)];
}

void load_text_face(float scale) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  set_width(atlas, 4096);
  loaded.fill(add_face(kFaces[static_cast<unsigned>(Face::body)], scale));
}

LoadedFaces exchange_faces(const LoadedFaces& faces) { return std::exchange(loaded, faces); }

bool want_glyphs(std::string_view text) {
  SystemGlyphs& s = system_glyphs();
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

bool has_system_glyphs() { return system_glyphs().font.has_value(); }

void forget_system_glyphs() { system_glyphs() = {}; }

ImFont* face(Face which) { return loaded[static_cast<unsigned>(which)]; }

float width_in(Face which, const char* begin, const char* end) {
  ImFont* font = face(which);
  return font->CalcTextSizeA(height_of(font), 1e9f, 0, end == nullptr ? tr(begin) : begin, end).x;
}

float wrapped_height(Face which, const std::string& english, float width) {
  if (english.empty()) return 0;
  const InFace in(which);
  return ImGui::CalcTextSize(english.c_str(), nullptr, false, width).y;
}

namespace {

using Kind = FormulaBox::Kind;

constexpr float kEm = 18, kFormulaGap = 2.5f, kBar = 1.3f;  // pixels at scale 1
constexpr float kScript = 12;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

FormulaBox text_box(std::string text, bool italic = false, bool words = false) {
  FormulaBox box;
  box.kind = Kind::text, box.text = std::move(text), box.italic = italic, box.words = words;
  return box;
}

FormulaBox with_parts(Kind kind, std::vector<FormulaBox> parts, std::string text = "") {
  FormulaBox box;
  box.kind = kind, box.parts = std::move(parts), box.text = std::move(text);
  return box;
}

/// Reads a formula from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<FormulaBox> clauses() {
    std::vector<FormulaBox> all;
    while (at_ < text_.size()) {
      FormulaBox clause = row(",;");
      if (!clause.parts.empty()) all.push_back(std::move(clause));
      ++at_;
    }
    return all;
  }

 private:
  /// Up to one of these signs outside brackets, or the end.
  FormulaBox row(std::string_view ends) {
    FormulaBox box;
    while (at_ < text_.size() && ends.find(text_[at_]) == std::string_view::npos) {
      const std::size_t before = at_;
      add(box.parts);
      if (at_ == before) ++at_;  // a sign without a meaning here
    }
    return box;
  }

  void add(std::vector<FormulaBox>& parts) {
    const char c = text_[at_];
    if (c == ' ') {
      ++at_;
    } else if (is_letter(c)) {
      name(parts);
    } else if (is_digit(c)) {
      number(parts);
    } else if (c == '(' || c == '[') {
      bracket(parts);
    } else if (c == '^') {
      ++at_;
      const bool grouped = at_ < text_.size() && text_[at_] == '(';
      std::vector<FormulaBox> above;
      if (grouped) {
        above.push_back(argument());
      } else if (at_ < text_.size()) {
        add(above);
      }
      if (above.empty()) return;
      parts.push_back(with_parts(Kind::raised, {above.front()}));
      parts.insert(parts.end(), above.begin() + 1, above.end());
    } else {
      sign(parts);
    }
  }

  void number(std::vector<FormulaBox>& parts) {
    const auto digits = [&] {
      const std::size_t from = at_;
      while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
      if (at_ + 2 < text_.size() && text_[at_] == 'e' && (text_[at_ + 1] == '-' || is_digit(text_[at_ + 1]))) {
        at_ += 2;
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
      }
      return std::string(text_.substr(from, at_ - from));
    };
    const std::string above = digits();
    if (at_ + 1 < text_.size() && text_[at_] == '/' && is_digit(text_[at_ + 1])) {
      ++at_;
      parts.push_back(with_parts(Kind::fraction, {text_box(above), text_box(digits())}));
    } else {
      parts.push_back(text_box(above));
    }
  }

  void name(std::vector<FormulaBox>& parts) {
    const std::size_t from = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    const std::string_view word = text_.substr(from, at_ - from);
    const bool called = at_ < text_.size() && text_[at_] == '(';
    if (called && word == "floor") return parts.push_back(with_parts(Kind::floor, {argument()}));
    if (called && (word == "sqrt" || word == "sqrtf")) return parts.push_back(with_parts(Kind::root, {argument()}));
    if (called && word == "cbrt") return parts.push_back(with_parts(Kind::root, {argument()}, "3"));
    if (called && word == "rsqrtf") {
      return parts.push_back(with_parts(Kind::fraction, {text_box("1"), with_parts(Kind::root, {argument()})}));
    }
    if (word == "floor" || word == "log") return function(word, parts);
    if (word.size() == 1) return symbol(word, parts);
    std::string words(word);
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '-')) {
      words += text_[at_++];
    }
    parts.push_back(text_box(" " + words + " ", false, true));
  }

  /// log2 y, floor log2 y: without brackets.
  void function(std::string_view word, std::vector<FormulaBox>& parts) {
    parts.push_back(text_box(std::string(word)));
    if (at_ < text_.size() && is_digit(text_[at_])) {
      parts.push_back(with_parts(Kind::lowered, {text_box(std::string(1, text_[at_++]))}));
    }
  }

  /// A letter, with the digits after it as an index.
  void symbol(std::string_view letter, std::vector<FormulaBox>& parts) {
    parts.push_back(text_box(letter == "w" ? "\u03c9" : std::string(letter), true));
    const std::size_t from = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (at_ > from) {
      parts.push_back(with_parts(Kind::lowered, {text_box(std::string(text_.substr(from, at_ - from)))}));
    }
  }

  FormulaBox argument() {
    ++at_;
    FormulaBox inside = row(")");
    ++at_;
    return inside;
  }

  void bracket(std::vector<FormulaBox>& parts) {
    const char open = text_[at_], close = open == '(' ? ')' : ']';
    parts.push_back(text_box(std::string(1, open)));
    ++at_;
    for (FormulaBox& part : row(std::string_view(&close, 1)).parts) parts.push_back(std::move(part));
    if (at_ < text_.size()) ++at_;
    parts.push_back(text_box(std::string(1, close)));
  }

  void sign(std::vector<FormulaBox>& parts) {
    static constexpr std::array<std::pair<std::string_view, const char*>, 8> kSigns{{{">>", " \u226b "},
                                                                                     {"<<", " \u226a "},
                                                                                     {"<=", " \u2264 "},
                                                                                     {">=", " \u2265 "},
                                                                                     {"..", " \u2026 "},
                                                                                     {"-", " \u2212 "},
                                                                                     {"*", " \u00b7 "},
                                                                                     {",", ", "}}};
    const std::string_view rest = text_.substr(at_);
    for (const auto& [plain, set] : kSigns) {
      if (!rest.starts_with(plain)) continue;
      at_ += plain.size();
      return parts.push_back(text_box(set));
    }
    ++at_;
    const std::string_view spaced = "+=<>?:&|";
    const std::string one(rest.substr(0, 1));
    parts.push_back(text_box(spaced.find(rest[0]) != std::string_view::npos ? " " + one + " " : one));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

constexpr float kLarge = 1.5f;  // Face::display over Face::formula

Face face_of(const FormulaBox& box) {
  return box.words ? (box.large ? Face::title : Face::body) : box.large ? Face::display : Face::formula;
}

/// Sizes from the inside outwards; share: 1, and less for what is raised, lowered or in a fraction.
void measure(FormulaBox& box, float scale, float share, bool large, float shrink) {
  box.large = large, box.shrink = shrink;
  const bool smaller = box.kind == Kind::fraction || box.kind == Kind::raised || box.kind == Kind::lowered;
  for (FormulaBox& part : box.parts) measure(part, scale, smaller ? kScript / kEm : share, large, shrink);
  const float em = kEm * scale * share, gap = kFormulaGap * scale;
  box.up = 0.72f * em, box.down = 0.24f * em, box.width = 0;
  switch (box.kind) {
    case Kind::text: {
      ImFont* font = face(face_of(box));
      const float size = height_of(font) * share * shrink;
      box.width = font->CalcTextSizeA(size, 1e9f, 0, box.text.data(), box.text.data() + box.text.size()).x;
      break;
    }
    case Kind::fraction:
      box.width = std::max(box.parts[0].width, box.parts[1].width) + gap;
      box.up = 0.3f * em + gap / 2 + box.parts[0].up + box.parts[0].down;
      box.down = gap / 2 - 0.3f * em + box.parts[1].up + box.parts[1].down;
      break;
    default:
      for (const FormulaBox& part : box.parts) {
        box.width += part.width;
        box.up = std::max(box.up, part.up), box.down = std::max(box.down, part.down);
      }
      if (box.kind == Kind::root) box.width += 0.62f * em, box.up += 2 * gap;
      if (box.kind == Kind::floor) box.width += 0.8f * em, box.up += gap, box.down += gap / 2;
      if (box.kind == Kind::raised) box.up += 0.34f * kEm * scale;
      if (box.kind == Kind::lowered) box.down += 0.14f * kEm * scale;
  }
}

/// What the parts of a box are drawn with.
struct Pen {
  ImDrawList& draw;
  ImU32 colour;
  float scale;
};

void draw_box(const Pen& pen, const FormulaBox& box, ImVec2 base, float share);

/// One after the other.
void draw_parts(const Pen& pen, const FormulaBox& box, ImVec2 base, float share) {
  for (const FormulaBox& part : box.parts) {
    draw_box(pen, part, base, share);
    base.x += part.width;
  }
}

void draw_fraction(const Pen& pen, const FormulaBox& box, ImVec2 base, float em) {
  const float gap = kFormulaGap * pen.scale, line = base.y - 0.3f * em, small = kScript / kEm;
  const FormulaBox &above = box.parts[0], &below = box.parts[1];
  pen.draw.AddLine({base.x, line}, {base.x + box.width - gap / 2, line}, pen.colour, kBar * pen.scale);
  const auto left_of = [&](const FormulaBox& part) { return base.x + (box.width - part.width) / 2 - gap / 4; };
  draw_box(pen, above, {left_of(above), line - gap / 2 - above.down}, small);
  draw_box(pen, below, {left_of(below), line + gap / 2 + below.up}, small);
}

void draw_root(const Pen& pen, const FormulaBox& box, ImVec2 base, float em, float share) {
  const float gap = kFormulaGap * pen.scale, x = base.x, top = base.y - box.up + gap / 2,
              foot = base.y + box.down - gap / 2;
  const ImVec2 sign[] = {{x, base.y - 0.22f * em},
                         {x + 0.14f * em, base.y - 0.3f * em},
                         {x + 0.3f * em, foot},
                         {x + 0.5f * em, top},
                         {x + box.width, top}};
  pen.draw.AddPolyline(sign, 5, pen.colour, 0, kBar * pen.scale);
  if (!box.text.empty()) write(pen.draw, Face::rail, {x, top - gap}, pen.colour, box.text);
  draw_parts(pen, box, {x + 0.6f * em, base.y}, share);
}

void draw_floor(const Pen& pen, const FormulaBox& box, ImVec2 base, float em, float share) {
  const float top = base.y - box.up + kFormulaGap * pen.scale / 2, foot = base.y + box.down, wide = 0.2f * em;
  const float left = base.x + 0.12f * em, right = base.x + box.width - 0.12f * em;
  const ImVec2 open[] = {{left, top}, {left, foot}, {left + wide, foot}};
  const ImVec2 close[] = {{right, top}, {right, foot}, {right - wide, foot}};
  pen.draw.AddPolyline(open, 3, pen.colour, 0, kBar * pen.scale);
  pen.draw.AddPolyline(close, 3, pen.colour, 0, kBar * pen.scale);
  draw_parts(pen, box, {base.x + 0.4f * em, base.y}, share);
}

void draw_text(const Pen& pen, const FormulaBox& box, ImVec2 base, float share) {
  ImFont* font = face(face_of(box));
  const float size = share * box.shrink;
  pen.draw.AddText(font, height_of(font) * size, {base.x, base.y - ascent_of(font) * size}, pen.colour, box.text.data(),
                   box.text.data() + box.text.size());
}

void draw_box(const Pen& pen, const FormulaBox& box, ImVec2 base, float share) {
  const float em = kEm * pen.scale * share, small = kScript / kEm, whole = kEm * pen.scale;
  switch (box.kind) {
    case Kind::text:
      return draw_text(pen, box, base, share);
    case Kind::fraction:
      return draw_fraction(pen, box, base, em);
    case Kind::root:
      return draw_root(pen, box, base, em, share);
    case Kind::floor:
      return draw_floor(pen, box, base, em, share);
    case Kind::raised:
      return draw_parts(pen, box, {base.x, base.y - 0.34f * whole}, small);
    case Kind::lowered:
      return draw_parts(pen, box, {base.x, base.y + 0.14f * whole}, small);
    case Kind::row:
      return draw_parts(pen, box, base, share);
  }
}

}  // namespace

std::vector<FormulaBox> set_formula(std::string_view text, float scale, bool large, float shrink) {
  std::vector<FormulaBox> clauses = Reader(text).clauses();
  for (FormulaBox& clause : clauses) measure(clause, (large ? kLarge * scale : scale) * shrink, 1, large, shrink);
  return clauses;
}

void draw_formula(ImDrawList& draw, const FormulaBox& box, ImVec2 base, ImU32 colour, float scale) {
  draw_box({draw, colour, (box.large ? kLarge * scale : scale) * box.shrink}, box, base, 1);
}

}  // namespace tri::app::gui
