#include "app/gui/look/formula.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "app/gui/look/figures.hpp"
#include "app/gui/look/imgui_versions.hpp"

namespace tri::app::gui {
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
void measure(FormulaBox& box, float scale, float share, bool large) {
  box.large = large;
  const bool smaller = box.kind == Kind::fraction || box.kind == Kind::raised || box.kind == Kind::lowered;
  for (FormulaBox& part : box.parts) measure(part, scale, smaller ? kScript / kEm : share, large);
  const float em = kEm * scale * share, gap = kFormulaGap * scale;
  box.up = 0.72f * em, box.down = 0.24f * em, box.width = 0;
  switch (box.kind) {
    case Kind::text: {
      ImFont* font = face(face_of(box));
      const float size = height_of(font) * share;
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
  pen.draw.AddText(font, height_of(font) * share, {base.x, base.y - ascent_of(font) * share}, pen.colour,
                   box.text.data(), box.text.data() + box.text.size());
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

std::vector<FormulaBox> set_formula(std::string_view text, float scale, bool large) {
  std::vector<FormulaBox> clauses = Reader(text).clauses();
  for (FormulaBox& clause : clauses) measure(clause, large ? kLarge * scale : scale, 1, large);
  return clauses;
}

void draw_formula(ImDrawList& draw, const FormulaBox& box, ImVec2 base, ImU32 colour, float scale) {
  draw_box({draw, colour, box.large ? kLarge * scale : scale}, box, base, 1);
}

}  // namespace tri::app::gui
