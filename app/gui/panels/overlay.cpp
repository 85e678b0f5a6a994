// What is drawn over the scene: names of bodies, the map shown, the scale bar, drafts and measures.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>
#include <glm/vec4.hpp>

#include "app/gui/base/look.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/session/session.hpp"
#include "app/support/measurement.hpp"
#include "render/view.hpp"

namespace tri::app::gui {

bool needs_new_fonts(const SessionModel& model, const GuiState& state) {
  bool found = want_glyphs(model.scene.title);
  if (state.panels.open == "Settings") found = want_glyphs(name_in_itself(Language::chinese)) || found;
  const auto look = [&](const std::string& text) { found = want_glyphs(text) || found; };
  look(model.spec);
  if (!model.notices.empty()) look(model.notices.back().text);
  for (const NamedBody& body : state.view.labels) look(body.name);
  for (const std::string& path : state.files.recent.paths()) look(path);
  if (!state.files.browser.shown()) return found;
  look(state.files.browser.folder());
  for (const FileRow& row : state.files.browser.rows()) look(row.name);
  return found;
}

namespace {

bool is_within(const Rect& a, const Rect& b) {
  return a.x >= b.x && a.y >= b.y && a.x + a.w <= b.x + b.w && a.y + a.h <= b.y + b.h;
}
bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

}  // namespace

std::vector<std::optional<Rect>> place_labels(std::span<const LabelSpot> spots, const Rect& scene, float gap) {
  std::vector<std::optional<Rect>> places;
  for (const LabelSpot& s : spots) {
    const float w = s.width, h = s.height;
    const Rect sides[] = {{s.x + gap, s.y - h / 2, w, h},
                          {s.x - gap - w, s.y - h / 2, w, h},
                          {s.x - w / 2, s.y - gap - h, w, h},
                          {s.x - w / 2, s.y + gap, w, h}};
    places.emplace_back();
    for (const Rect& side : sides) {
      const bool free =
          std::none_of(places.begin(), places.end(), [&](const auto& p) { return p && overlap(*p, side); });
      if (!s.there || !free || !is_within(side, scene)) continue;
      places.back() = side;
      break;
    }
  }
  return places;
}

void body_labels(ImDrawList& draw, const std::vector<NamedBody>& bodies, const render::Camera& camera, float scale,
                 const Rect& scene, const Rect& free) {
  if (bodies.empty() || scene.w < 1 || scene.h < 1) return;
  const glm::mat4 m = camera.projection(scene.w / scene.h) * camera.view();
  const float height = height_of(face(Face::caption)), gap = 8 * scale;
  std::vector<LabelSpot> spots;
  for (const NamedBody& body : bodies) {
    const glm::vec4 p = m * glm::vec4(body.place[0], body.place[1], body.place[2], 1);
    const bool there = p.w > 0;
    const float x = there ? p.x / p.w : 0, y = there ? p.y / p.w : 0;
    spots.push_back({scene.x + (x * 0.5f + 0.5f) * scene.w, scene.y + (0.5f - y * 0.5f) * scene.h,
                     width_in(Face::caption, body.name.c_str()), height, there});
  }
  const float left = std::max(scene.x, free.x), top = std::max(scene.y, free.y);  // a panel would cut a name
  const Rect seen{left, top, std::min(scene.x + scene.w, free.x + free.w) - left,
                  std::min(scene.y + scene.h, free.y + free.h) - top};
  const auto places = place_labels(spots, seen, gap);
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (!places[k]) continue;
    const ImVec2 at{places[k]->x, places[k]->y};
    write(draw, Face::caption, {at.x + scale, at.y + scale}, IM_COL32(0, 0, 0, 160), bodies[k].name);
    write(draw, Face::caption, at, theme_of(true).text, bodies[k].name);
  }
}

NoGain no_gain(const SessionModel& model, std::size_t row, const std::vector<MapRow>& maps, const MapFigures& figures) {
  if (row == 0) return {};
  const MapRow& map = maps[row];
  const std::size_t turns = map.turns.own.values().size();
  const bool decided = figures.turns && figures.turns->improvement.decided();
  if (decided && figures.turns->improvement.differs()) return {};
  if (decided) return {"no difference", tr("The interval of the ratio holds 1.")};
  if (model.timeline.recorded) return {"not timed", tr("A recorded run is shown, and not computed.")};
  if (!maps.front().fits()) return {"not timed", tr("Maps are timed beside bb, which does not fit here.")};
  if (has_impulses(model.scene.field)) return {"not timed", tr("Under impulses no step is taken twice to time a map.")};
  if (turns > 0) {
    return {"too few turns", phrase("So far {} beside bb: too few to tell a difference.", counted(turns, "turn"))};
  }
  if (map.failed > 0) return {"not timed", tr("Its turns beside bb gave no times.")};
  return {figures.ms > 0 ? "no turn yet" : "not timed yet",
          tr("Maps are timed beside bb one by one, while the run goes on; M times all in turns.")};
}

std::string map_in_words(const SessionModel& model) {
  const auto& maps = shown_maps(model);
  if (maps.empty()) return "";
  const std::size_t now = map_in_use(model);
  const MapRow& map = maps[now];
  if (now == 0) return phrase("{}, the baseline", map.name);
  if (map.turns.own.empty()) return map.name;
  const Improvement turns = improvement(map.turns.baseline.values(), map.turns.own.values(), compared_maps(maps));
  if (!turns.decided()) return map.name;
  if (!turns.differs()) return phrase("{}, no difference to bb", map.name);
  return phrase("{}, {} over bb", map.name, times_text(turns.ratio));
}

void presented_map(ImDrawList& draw, const SessionModel& model, float scale, const Rect& scene) {
  const std::string words = map_in_words(model);
  const ImVec2 at{scene.x + 16 * scale, scene.y + 12 * scale};
  write(draw, Face::body, {at.x + scale, at.y + scale}, IM_COL32(0, 0, 0, 160), words);
  write(draw, Face::body, at, theme_of(true).text2, words);
}

namespace {

/// Over the scene, or over a picture on white.
struct OverInk {
  ImU32 text, shadow;
};
OverInk over_ink(bool white) {
  return white ? OverInk{theme_of(false).text, 0} : OverInk{theme_of(true).text, IM_COL32(0, 0, 0, 160)};
}

void shadowed(ImDrawList& draw, ImVec2 at, const std::string& text, const OverInk& ink, float scale) {
  // On all sides: it is read on bright bodies, too.
  for (const ImVec2 side : {ImVec2{1, 1}, ImVec2{-1, -1}, ImVec2{1, -1}, ImVec2{-1, 1}}) {
    if (ink.shadow != 0) draw.AddText({at.x + side.x * scale, at.y + side.y * scale}, ink.shadow, text.c_str());
  }
  draw.AddText(at, ink.text, text.c_str());
}

/// Right-aligned text whose lower end is at `bottom`; returns its upper end.
float text_above(ImDrawList& draw, const std::string& text, float right, float bottom, const OverInk& ink,
                 float scale) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const ImVec2 at{right - size.x, bottom - size.y};
  shadowed(draw, at, text, ink, scale);
  return at.y;
}

}  // namespace

void scale_bar(ImDrawList& draw, const render::Camera& camera, const Rect& scene, const std::string& unit,
               const std::string& clock, float scale, bool white, bool with_bar) {
  constexpr float kMargin = 16, kLongest = 120, kSmallest = 200, kThick = 2, kGap = 3;
  if (scene.w < kSmallest * scale || scene.h < kSmallest * scale) return;
  const render::ScaleBar bar = render::scale_bar(camera, scene.h, std::min(kLongest * scale, scene.w / 4));
  const float right = scene.x + scene.w - kMargin * scale, low = scene.y + scene.h - kMargin * scale;
  const float line = low - kThick * scale;
  const OverInk ink = over_ink(white);
  float top = low + kGap * scale;
  if (with_bar) {
    draw.AddRectFilled({right - bar.pixels + scale, line + scale}, {right + scale, low + scale}, ink.shadow);
    draw.AddRectFilled({right - bar.pixels, line}, {right, low}, ink.text);
    const std::string length = number_text(bar.length, 4) + (unit.empty() || unit[0] == ' ' ? "" : " ") + unit;
    top = text_above(draw, length, right, line - kGap * scale, ink, scale);
  }
  if (!clock.empty()) text_above(draw, clock, right, top - kGap * scale, ink, scale);
}

// Over the scene: the box, the body that is drawn with its arrow and path, and measures.

namespace {

constexpr ImU32 kInk = IM_COL32(86, 204, 255, 255), kPale = IM_COL32(86, 204, 255, 150),
                kLabel = IM_COL32(240, 242, 246, 255), kBackdrop = IM_COL32(8, 10, 14, 215);

struct Sheet {
  ImDrawList& draw;
  const render::Camera& camera;
  const Rect& scene;
  float s;

  std::optional<ImVec2> at(const Place& place) const {
    const auto p = pixels_of(camera, scene, place);
    if (!p) return std::nullopt;
    return ImVec2{scene.x + (*p)[0], scene.y + (*p)[1]};
  }
  ImVec2 at(const Pixels& p) const { return {scene.x + p[0], scene.y + p[1]}; }
  void line(const Place& a, const Place& b, ImU32 ink, float width) const {
    const auto p = at(a), q = at(b);
    if (p && q) draw.AddLine(*p, *q, ink, width * s);
  }
  /// On a dark ground, inside the scene.
  void label(ImVec2 p, const std::string& english) const {
    const std::string text = tr(english);
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    const float pad = 4 * s;
    p.x = std::clamp(p.x, scene.x + 2 * pad, std::max(scene.x + 2 * pad, scene.x + scene.w - size.x - 2 * pad));
    p.y = std::clamp(p.y, scene.y + 2 * pad, std::max(scene.y + 2 * pad, scene.y + scene.h - size.y - 2 * pad));
    draw.AddRectFilled({p.x - pad, p.y - pad / 2}, {p.x + size.x + pad, p.y + size.y + pad / 2}, kBackdrop, 3 * s);
    draw.AddText(p, kLabel, text.c_str());
  }
};

void arrow(const Sheet& sheet, const Place& from, const Place& to) {
  const auto a = sheet.at(from), b = sheet.at(to);
  if (!a || !b) return;
  const float dx = b->x - a->x, dy = b->y - a->y, length = std::hypot(dx, dy), head = 9 * sheet.s;
  if (length < 1) return;
  const float ux = dx / length, uy = dy / length;
  sheet.draw.AddLine(*a, {b->x - head * ux, b->y - head * uy}, kLabel, 2 * sheet.s);
  sheet.draw.AddTriangleFilled(*b, {b->x - head * ux - head / 2 * uy, b->y - head * uy + head / 2 * ux},
                               {b->x - head * ux + head / 2 * uy, b->y - head * uy - head / 2 * ux}, kLabel);
}

/// The way ahead, to a dot; dashed: without the throw.
void future(const Sheet& sheet, const std::vector<Place>& places, bool dashed) {
  constexpr std::size_t kDash = 6;  // lines
  for (std::size_t k = 1; k < places.size(); ++k) {
    if (!dashed || k / kDash % 2 == 0) sheet.line(places[k - 1], places[k], kPale, dashed ? 1 : 1.5f);
  }
  if (places.empty()) return;
  if (const auto end = sheet.at(places.back())) sheet.draw.AddCircleFilled(*end, (dashed ? 2 : 3) * sheet.s, kInk);
}

void draft(const Sheet& sheet, const Draft& d, const SessionModel& model) {
  future(sheet, d.path.places, false), future(sheet, d.unthrown.places, true);
  if (const auto at = sheet.at(d.place)) sheet.draw.AddCircle(*at, 7 * sheet.s, kInk, 0, 2 * sheet.s);
  const double speed = std::hypot(d.velocity[0], d.velocity[1], d.velocity[2]);
  if (speed > 0) arrow(sheet, d.place, d.arrow);
  const std::string what = d.bodies.size() > 1 ? phrase("throw {} bodies", grouped(d.bodies.size()))
                           : d.body            ? phrase("throw body {}", *d.body)
                                               : std::string(tr("add a body"));
  const auto tip = sheet.at(d.arrow), body = sheet.at(d.place);
  if (!tip || !body) return;
  const float line = ImGui::GetTextLineHeight() + 5 * sheet.s, gap = 16 * sheet.s;
  // On the side of the body that the arrow does not point to.
  const float y = tip->y <= body->y ? body->y + gap : body->y - gap - 2 * line;
  sheet.label({body->x + gap, y}, fmt::format("{}: {}", what, speed_text(model, speed, 4)));
  const double time = d.path.times.empty() ? 0 : d.path.times.back();
  sheet.label({body->x + gap, y + line}, phrase("{}, for {}{}", d.about, clock_text(model, time),
                                                d.unthrown.places.empty() ? "" : "; dashed: without the throw"));
}

void measure(const Sheet& sheet, const Measure& m, const std::string& length) {
  if (m.places.empty()) return;
  for (std::size_t k = 1; k < m.places.size(); ++k) sheet.line(m.places[k - 1], m.places[k], kInk, 1.5f);
  for (const Place& place : m.places) {
    if (const auto p = sheet.at(place)) sheet.draw.AddCircle(*p, 5 * sheet.s, kInk, 0, 1.5f * sheet.s);
  }
  const bool angle = m.places.size() == 3;
  const auto a = sheet.at(m.places[angle ? 1 : 0]), b = sheet.at(m.places[1]);
  if (!a || !b) return;
  sheet.label({(a->x + b->x) / 2 + 8 * sheet.s, (a->y + b->y) / 2 + 4 * sheet.s},
              number_text(m.value(), 5) + (angle ? "\u00b0" : length));
}

/// What the tool waits for, in one line at the top.
std::string hint(const TouchState& touch) {
  if (touch.tool == Tool::add && !touch.stroke)
    return "Press where the body is to be, drag for its velocity. Esc ends.";
  if (touch.tool != Tool::measure) return {};
  return touch.picked.empty()       ? "Click on a first body. Esc ends."
         : touch.picked.size() == 1 ? "Click on a second body: their distance."
                                    : "A third body makes it an angle. Esc keeps the distance.";
}

}  // namespace

void touch_overlay(const SessionModel& model, const GuiState& state, const Rect& scene, const Rect& free) {
  if (scene.w < 1 || scene.h < 1) return;
  const TouchState& touch = state.touch;
  ImDrawList& draw = *ImGui::GetBackgroundDrawList();
  const Sheet sheet{draw, state.view.camera, scene, state.panels.scale};
  draw.PushClipRect({scene.x, scene.y}, {scene.x + scene.w, scene.y + scene.h});
  const std::string length = unit_behind(find_unit_system(model.scene.units), "length");
  for (const Measure& m : touch.measures) measure(sheet, m, length);
  if (touch.box) {
    const ImVec2 a = sheet.at(touch.box->from), b = sheet.at(touch.box->to);
    const ImVec2 low{std::min(a.x, b.x), std::min(a.y, b.y)}, high{std::max(a.x, b.x), std::max(a.y, b.y)};
    draw.AddRectFilled(low, high, IM_COL32(86, 204, 255, 30));
    draw.AddRect(low, high, kInk, 0, 0, 1.5f * sheet.s);
  }
  if (touch.draft) draft(sheet, *touch.draft, model);
  const std::size_t count = touch.selection.bodies.size();
  std::string line = hint(touch);
  if (line.empty() && count > 0) {
    line = phrase("{} selected{}", counted(count, "body", "bodies"), touch.selection.hidden ? ", hidden" : "");
  }
  if (!line.empty() && state.overlay.caption.empty() && state.overlay.waiting.empty()) {
    const float width = ImGui::CalcTextSize(line.c_str()).x;
    const float below = state.second.shown ? 112 : 54;     // of what stands above each of two runs
    const Rect& over = state.second.shown ? scene : free;  // the half of the run that is chosen
    sheet.label({over.x + (over.w - width) / 2, scene.y + below * sheet.s}, line);
  }
  draw.PopClipRect();
}

// Drawn over the scene: colour bar, axis labels, caption and toast.

namespace {

/// What a quantity is called among units; empty: a number without one.
std::string_view dimension_of(render::Quantity quantity) {
  using enum render::Quantity;
  return quantity == speed          ? "velocity"
         : quantity == acceleration ? "acceleration"
         : quantity == mass         ? "mass"
         : quantity == radius       ? "length"
                                    : "";
}

/// A dot and a name for each group, side by side; a line ends where the next name would leave the scene's left half.
/// The lines are read from the top, and the last stands in the corner.
void group_legend(ImDrawList& draw, const render::BodyStyle& style, const std::vector<std::string>& names,
                  const std::array<float, 2>& range, const OverInk& ink, float s, const Rect& scene) {
  const auto [first, last] = range;
  const float line = ImGui::GetTextLineHeight() + 4 * s, radius = 4 * s, left = scene.x + 16 * s;
  struct Entry {
    float group, x;
    int line;
    std::string name;
  };
  std::vector<Entry> entries;
  float x = left;
  int lines = 0;
  for (float k = first; k <= last; ++k) {
    const auto group = static_cast<std::size_t>(k);
    const bool named = group < names.size() && !names[group].empty();
    std::string name = fitting(Face::body, named ? names[group] : phrase("group {}", group), 160 * s);
    const float wide = 3 * radius + width_in(Face::body, name.c_str()) + 18 * s;
    if (x > left && x + wide > scene.x + scene.w / 2) x = left, ++lines;
    entries.push_back({k, x, lines, std::move(name)});
    x += wide;
  }
  for (const Entry& e : entries) {
    const auto rgb = colour_at(style, last > first ? (e.group - first) / (last - first) : 0);
    const float y = scene.y + scene.h - 16 * s - line / 2 - static_cast<float>(lines - e.line) * line;
    draw.AddCircleFilled({e.x + radius, y}, radius, ImGui::ColorConvertFloat4ToU32({rgb[0], rgb[1], rgb[2], 1}));
    write_middle(draw, Face::body, {e.x + 3 * radius, y}, ink.text, e.name);
  }
}

void colour_bar(ImDrawList& draw, const render::BodyStyle& style, const UnitSystem* units,
                const std::array<float, 2>& range, const OverInk& ink, float s, const Rect& scene) {
  const float width = std::min(200 * s, scene.w * 0.5f), height = 10 * s;
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 corner{scene.x + 14 * s, scene.y + scene.h - 14 * s - line - height};
  constexpr u32 kPieces = 64;
  for (u32 k = 0; k < kPieces; ++k) {
    const auto rgb = colour_at(style, (static_cast<float>(k) + 0.5f) / kPieces);
    const float part = width / kPieces, x = corner.x + part * static_cast<float>(k);
    draw.AddRectFilled({x, corner.y}, {x + part + 0.5f, corner.y + height},
                       ImGui::ColorConvertFloat4ToU32({rgb[0], rgb[1], rgb[2], 1}));
  }
  const std::string name = colour_bar_title(style, units);
  shadowed(draw, {corner.x, corner.y - line - 2 * s}, name, ink, s);
  const double size = reading_unit(units, dimension_of(style.quantity)).size;
  const std::string low = number_text(size * static_cast<double>(range[0]), 3),
                    high = number_text(size * static_cast<double>(range[1]), 3);
  shadowed(draw, {corner.x, corner.y + height + s}, low, ink, s);
  shadowed(draw, {corner.x + width - ImGui::CalcTextSize(high.c_str()).x, corner.y + height + s}, high, ink, s);
}

/// Colours and what they stand for; nothing where all bodies have one colour.
void legend(ImDrawList& draw, const SessionModel& model, const render::BodyStyle& style,
            const std::array<float, 2>& range, const OverInk& ink, float scale, const Rect& scene) {
  if (style.quantity == render::Quantity::group && range[1] - range[0] < kListedGroups) {
    group_legend(draw, style, model.scene.groups, range, ink, scale, scene);
  } else if (style.quantity == render::Quantity::index && model.names.size() >= model.n) {
    return;  // the colours tell apart what has a name
  } else if (style.colours != render::ColourMap::plain) {
    colour_bar(draw, style, find_unit_system(model.scene.units), range, ink, scale, scene);
  }
}

std::string clock_over(const SessionModel& model) {
  const ClockUnit unit = clock_of(model);
  return "t = " + number_text(unit.size * model.time, 6) + unit.behind;
}

/// top: pixels of the scene that its name takes, in which no label stands.
void axis_labels(ImDrawList& draw, const SceneView& view, ImU32 ink, float scale, const Rect& scene, float top) {
  constexpr std::array kNames{"x", "y", "z"};
  const glm::mat4 m = view.camera.projection(scene.w / scene.h) * view.camera.view();
  for (int a = 0; a < 3; ++a) {
    glm::vec4 end(0, 0, 0, 1);
    end[a] = view.lengths.axis_length * 1.06f;
    const glm::vec4 p = m * end;
    if (p.w <= 0) continue;
    const ImVec2 at{scene.x + (p.x / p.w * 0.5f + 0.5f) * scene.w, scene.y + (0.5f - p.y / p.w * 0.5f) * scene.h};
    if (at.y - 8 * scale < scene.y + top) continue;
    if (at.x - 4 * scale < scene.x || at.x + 6 * scale > scene.x + scene.w) continue;  // an edge would cut it
    draw.AddText({at.x - 4 * scale, at.y - 8 * scale}, ink, kNames[static_cast<std::size_t>(a)]);
  }
}

/// Large text on a dark background at the top of the scene, no wider than it; larger in a presentation. beside: what
/// the buttons at the right take, or 0. Where the text would lie under them it stands left of them, and not so large if
/// that saves lines.
void caption(ImDrawList& draw, const std::string& english, bool large, float s, const Rect& scene, float beside) {
  const float pad = 10 * s, room = scene.w - beside, width = std::min(room - 4 * pad, (large ? 960 : 620) * s);
  if (width < 60 * s) return;
  float larger = large ? 2.0f : 1.3f;
  std::string words = in_lines(tr(english), width / larger);
  if (beside > 0 && words.find('\n') != std::string::npos) larger = 1, words = in_lines(tr(english), width);
  const float size = ImGui::GetFontSize() * larger;
  const ImVec2 text = ImGui::GetFont()->CalcTextSizeA(size, 1e9f, 0, words.c_str());
  const bool clear = text.x + 2 * pad <= scene.w - 2 * beside;
  const ImVec2 at{scene.x + ((clear ? scene.w : room) - text.x) / 2, scene.y + 2 * pad};
  draw.AddRectFilled({at.x - pad, at.y - pad}, {at.x + text.x + pad, at.y + text.y + pad}, IM_COL32(8, 10, 14, 190),
                     4 * s);
  draw.AddText(nullptr, size, at, IM_COL32(240, 242, 246, 255), words.c_str());
}

/// Above the colour bar; errors have a red edge.
void show_toast(ImDrawList& draw, const Toast& toast, float s, const Rect& free) {
  const float pad = 8 * s, size = ImGui::GetFontSize();
  const float width = std::min(free.w - 6 * pad, 560 * s);
  if (width < 60 * s) return;
  const std::string words = in_lines(tr(toast.text), width);
  const ImVec2 text = ImGui::GetFont()->CalcTextSizeA(size, 1e9f, 0, words.c_str());
  const ImVec2 at{free.x + (free.w - text.x) / 2, free.y + free.h - 82 * s - text.y};
  const ImVec2 low{at.x - pad, at.y - pad}, high{at.x + text.x + pad, at.y + text.y + pad};
  draw.AddRectFilled(low, high, IM_COL32(8, 10, 14, 225), 4 * s);
  if (toast.error) draw.AddRectFilled(low, {low.x + 4 * s, high.y}, theme().fault, 4 * s);
  draw.AddText(nullptr, size, at, IM_COL32(240, 242, 246, 255), words.c_str());
}

}  // namespace

void renew_toast(const SessionModel& model, Toast& toast, double now, bool errors_only) {
  constexpr double kErrorSeconds = 10, kNoteSeconds = 5;
  if (now > toast.until) toast.text.clear();
  if (model.notices.empty()) return;
  const Notice& newest = model.notices.back();
  if (newest.text == toast.last && newest.count == toast.count) return;
  toast.last = newest.text, toast.count = newest.count;
  if (errors_only && !newest.error) return;
  toast.text = newest.text, toast.error = newest.error;
  toast.until = now + (newest.error ? kErrorSeconds : kNoteSeconds);
}

std::string colour_bar_title(const render::BodyStyle& style, const UnitSystem* units) {
  const std::string unit = with_powers(reading_unit(units, dimension_of(style.quantity)).behind);
  return phrase("{}{}{}{}", tr(to_string(style.quantity)), unit.empty() ? "" : " in", unit,
                style.logarithmic ? ", logarithmic" : "");
}

std::string no_legend(const SessionModel& model, const render::BodyStyle& style) {
  if (style.quantity == render::Quantity::index && model.names.size() >= model.n) {
    return tr("there is no legend: the colours tell apart bodies that have names");
  }
  const bool plain = style.colours == render::ColourMap::plain && style.quantity != render::Quantity::group;
  return plain ? tr("there is no legend: all bodies have one colour under plain") : "";
}

void picture_marks(ImDrawList& draw, const SessionModel& model, const SceneView& view,
                   const std::array<float, 2>& range, const PictureForm& form, float scale, u32 second) {
  const PictureMarks& marks = form.marks;
  const bool white = form.ground == Ground::white;
  const OverInk ink = over_ink(white);
  const Rect whole{0, 0, static_cast<float>(form.width), static_cast<float>(form.height)};
  const float first = second > 0 ? static_cast<float>(second) : whole.w;
  if (marks.axes) axis_labels(draw, view, ink.text, scale, {0, 0, first, whole.h}, 0);
  if (marks.axes && second > 0) axis_labels(draw, view, ink.text, scale, {first, 0, whole.w - first, whole.h}, 0);
  if (marks.legend) legend(draw, model, view.style, range, ink, scale, whole);
  scale_bar(draw, view.camera, whole, unit_behind(find_unit_system(model.scene.units), "length"),
            marks.clock ? clock_over(model) : "", scale, white, marks.scale_bar);
}

namespace {

/// Where the legend and the scale bar stand: in the corners of the scene that no panel covers, above the run bar where
/// that leaves no room beside it. As high as the scene, whose pixels the scale bar counts.
struct Corners {
  Rect left, right;
};
Corners corners_of(const GuiState& state, const Rect& scene, const Rect& free) {
  const float s = state.panels.scale, right = std::min(scene.x + scene.w, free.x + free.w);
  Rect all = scene;
  all.x = std::max(scene.x, free.x), all.w = std::max(0.0f, right - all.x);
  Corners corners{all, all};
  const bool paged = state.page.shown || state.race.shown;
  const Rect bar = state.panels.visible() && !paged ? run_bar_place(free, s) : Rect{};
  if (bar.w <= 0 || bar.x >= right) return corners;
  constexpr float kLegend = 236, kScaleBar = 176;
  const float lift = scene.y + scene.h - bar.y - 6 * s;
  if (bar.x - all.x < kLegend * s) {
    corners.left.y -= lift;
  } else {
    corners.left.w = std::min(all.w, 2 * (bar.x - all.x - 16 * s));  // a legend takes half of it
  }
  if (right - bar.x - bar.w < kScaleBar * s) corners.right.y -= lift;
  return corners;
}

}  // namespace

void overlay(const SessionModel& model, const GuiState& state, const Rect& scene, const Rect& free) {
  if (scene.w < 1 || scene.h < 1) return;
  ImDrawList& draw = *ImGui::GetBackgroundDrawList();
  draw.PushClipRect({scene.x, scene.y}, {scene.x + scene.w, scene.y + scene.h});
  const float scale = state.panels.scale;
  const OverInk ink = over_ink(false);
  const bool alone = state.first.alone();
  const float names = state.panels.visible() ? (state.second.shown ? 100 : 44) * scale : 0;  // of one run and of two
  const bool axes = state.view.axes && !state.first.plain();
  if (axes) axis_labels(draw, state.view, ink.text, scale, scene, names);
  if (state.view.names) body_labels(draw, state.view.labels, state.view.camera, scale, scene, free);
  if (state.second.shown) {
    const Rect second{scene.x + scene.w, scene.y, scene.w, scene.h};
    draw.PushClipRect({second.x, second.y}, {second.x + second.w, second.y + second.h});
    if (axes) axis_labels(draw, state.view, ink.text, scale, second, names);
    if (state.view.names) body_labels(draw, state.second.labels, state.view.camera, scale, second, free);
    draw.PopClipRect();
  }
  const Corners corners = corners_of(state, scene, free);
  const auto& figures = state.frames.figures;
  if (figures && !alone) {
    legend(draw, model, state.view.style, {figures->low, figures->high}, ink, scale, corners.left);
  }
  const UnitSystem* units = find_unit_system(model.scene.units);
  const bool clock = state.view.clock || !state.panels.visible();  // in a film it stands beside the scale bar
  if (!alone) {
    scale_bar(draw, state.view.camera, corners.right, unit_behind(units, "length"), clock ? clock_over(model) : "",
              scale);
  }
  if (state.panels.presents) presented_map(draw, model, scale, scene);
  const OverlayState& over = state.overlay;
  const bool says = state.first.part == FirstMinute::Part::line && state.panels.visible();
  const std::string words = !over.waiting.empty() ? over.waiting : says ? first_line(model) : over.caption;
  ImDrawList& front = state.paged() ? *ImGui::GetForegroundDrawList() : draw;  // a page lies over the other
  const float buttons = state.panels.visible() && !state.paged() ? kHeadButtons * scale : 0;
  if (!words.empty()) caption(over.waiting.empty() ? draw : front, words, state.panels.presents, scale, free, buttons);
  draw.PopClipRect();
  Rect above = free;
  if (corners.left.y < scene.y) above.h -= 52 * scale;  // of the legend, which stands above the run bar
  if (!over.toast.text.empty()) show_toast(front, over.toast, scale, above);
}

}  // namespace tri::app::gui
