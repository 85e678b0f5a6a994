// Over the scene: the box, the body that is drawn with its arrow and path, and measures.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {
namespace {

constexpr ImU32 kInk = IM_COL32(86, 204, 255, 255), kPale = IM_COL32(86, 204, 255, 150),
                kLetters = IM_COL32(240, 242, 246, 255), kBehind = IM_COL32(8, 10, 14, 215);

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
  void label(ImVec2 p, const std::string& text) const {
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    const float pad = 4 * s;
    p.x = std::clamp(p.x, scene.x + 2 * pad, std::max(scene.x + 2 * pad, scene.x + scene.w - size.x - 2 * pad));
    p.y = std::clamp(p.y, scene.y + 2 * pad, std::max(scene.y + 2 * pad, scene.y + scene.h - size.y - 2 * pad));
    draw.AddRectFilled({p.x - pad, p.y - pad / 2}, {p.x + size.x + pad, p.y + size.y + pad / 2}, kBehind, 3 * s);
    draw.AddText(p, kLetters, text.c_str());
  }
};

void arrow(const Sheet& sheet, const Place& from, const Place& to) {
  const auto a = sheet.at(from), b = sheet.at(to);
  if (!a || !b) return;
  const float dx = b->x - a->x, dy = b->y - a->y, length = std::hypot(dx, dy), head = 9 * sheet.s;
  if (length < 1) return;
  const float ux = dx / length, uy = dy / length;
  sheet.draw.AddLine(*a, {b->x - head * ux, b->y - head * uy}, kLetters, 2 * sheet.s);
  sheet.draw.AddTriangleFilled(*b, {b->x - head * ux - head / 2 * uy, b->y - head * uy + head / 2 * ux},
                               {b->x - head * ux + head / 2 * uy, b->y - head * uy - head / 2 * ux}, kLetters);
}

void draft(const Sheet& sheet, const Draft& d, const SessionModel& model) {
  const auto& places = d.path.places;
  for (std::size_t k = 1; k < places.size(); ++k) sheet.line(places[k - 1], places[k], kPale, 1.5f);
  if (!places.empty()) {
    if (const auto end = sheet.at(places.back())) sheet.draw.AddCircleFilled(*end, 3 * sheet.s, kInk);
  }
  if (const auto at = sheet.at(d.place)) sheet.draw.AddCircle(*at, 7 * sheet.s, kInk, 0, 2 * sheet.s);
  const UnitSystem* units = find_unit_system(model.scene.units);
  const double speed = std::hypot(d.velocity[0], d.velocity[1], d.velocity[2]);
  if (speed > 0) arrow(sheet, d.place, d.arrow);
  const std::string what = d.body ? fmt::format("throw body {}", *d.body) : std::string("add a body");
  const auto tip = sheet.at(d.arrow), body = sheet.at(d.place);
  if (!tip || !body) return;
  const float line = ImGui::GetTextLineHeight() + 5 * sheet.s, gap = 16 * sheet.s;
  // On the side of the body that the arrow does not point to.
  const float y = tip->y <= body->y ? body->y + gap : body->y - gap - 2 * line;
  sheet.label({body->x + gap, y}, fmt::format("{}: {:.4g}{}", what, speed, unit_behind(units, "velocity")));
  const double time = d.path.times.empty() ? 0 : d.path.times.back();
  sheet.label({body->x + gap, y + line}, fmt::format("{}, for {:.3g}{}", d.about, time, unit_behind(units, "time")));
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
              fmt::format("{:.5g}{}", m.value(), angle ? "\u00b0" : length));
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
    line = fmt::format("{} {} selected{}", grouped(count), count == 1 ? "body" : "bodies",
                       touch.selection.hidden ? ", hidden" : "");
  }
  if (!line.empty() && state.overlay.caption.empty()) {
    const float width = ImGui::CalcTextSize(line.c_str()).x;
    sheet.label({free.x + (free.w - width) / 2, scene.y + 54 * sheet.s}, line);
  }
  draw.PopClipRect();
}

}  // namespace tri::app::gui::panel
