// Drawn over the scene: colour bar, axis labels, caption and toast.

#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <cmath>
#include <glm/vec4.hpp>

#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panels.hpp"
#include "app/gui/panel/scale_bar.hpp"
#include "app/gui/start/body_labels.hpp"
#include "app/gui/start/presented_map.hpp"

namespace tri::app::gui::panel {
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

/// The most groups that are listed by name; more share a bar.
constexpr float kListedGroups = 8;

/// A dot and a name for each group, side by side; a line ends where the next name would leave the scene's left half.
void group_legend(ImDrawList& draw, const render::BodyStyle& style, const std::vector<std::string>& names,
                  const render::BodyFigures& figures, float s, const Rect& scene) {
  const float line = ImGui::GetTextLineHeight() + 4 * s, radius = 4 * s, left = scene.x + 16 * s;
  float x = left, y = scene.y + scene.h - 16 * s - line / 2;
  for (float k = figures.low; k <= figures.high; ++k) {
    const auto rgb =
        colour_at(style, figures.high > figures.low ? (k - figures.low) / (figures.high - figures.low) : 0);
    const auto group = static_cast<std::size_t>(k);
    const bool named = group < names.size() && !names[group].empty();
    const std::string name = fitting(Face::body, named ? names[group] : fmt::format("group {}", group), 160 * s);
    const float wide = 3 * radius + width_in(Face::body, name.c_str()) + 18 * s;
    if (x > left && x + wide > scene.x + scene.w / 2) x = left, y -= line;
    draw.AddCircleFilled({x + radius, y}, radius, ImGui::ColorConvertFloat4ToU32({rgb[0], rgb[1], rgb[2], 1}));
    write_middle(draw, Face::body, {x + 3 * radius, y}, theme_of(true).text, name);
    x += wide;
  }
}

void colour_bar(ImDrawList& draw, const render::BodyStyle& style, const UnitSystem* units,
                const render::BodyFigures& figures, float s, const Rect& scene) {
  const float width = std::min(200 * s, scene.w * 0.5f), height = 10 * s;
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 corner{scene.x + 14 * s, scene.y + scene.h - 14 * s - line - height};
  constexpr u32 kParts = 64;
  for (u32 k = 0; k < kParts; ++k) {
    const auto rgb = colour_at(style, (static_cast<float>(k) + 0.5f) / kParts);
    const float part = width / kParts, x = corner.x + part * static_cast<float>(k);
    draw.AddRectFilled({x, corner.y}, {x + part + 0.5f, corner.y + height},
                       ImGui::ColorConvertFloat4ToU32({rgb[0], rgb[1], rgb[2], 1}));
  }
  const ImU32 ink = IM_COL32(225, 228, 235, 255);
  const std::string name = colour_bar_title(style, units);
  draw.AddText({corner.x, corner.y - line - 2 * s}, ink, name.c_str());
  const std::string low = fmt::format("{:.3g}", figures.low), high = fmt::format("{:.3g}", figures.high);
  draw.AddText({corner.x, corner.y + height + s}, ink, low.c_str());
  draw.AddText({corner.x + width - ImGui::CalcTextSize(high.c_str()).x, corner.y + height + s}, ink, high.c_str());
}

void axis_labels(ImDrawList& draw, const SceneView& view, float scale, const Rect& scene) {
  constexpr std::array kNames{"x", "y", "z"};
  const glm::mat4 m = view.camera.projection(scene.w / scene.h) * view.camera.view();
  for (int a = 0; a < 3; ++a) {
    glm::vec4 end(0, 0, 0, 1);
    end[a] = view.lengths.axis_length * 1.06f;
    const glm::vec4 p = m * end;
    if (p.w <= 0) continue;
    const ImVec2 at{scene.x + (p.x / p.w * 0.5f + 0.5f) * scene.w, scene.y + (0.5f - p.y / p.w * 0.5f) * scene.h};
    draw.AddText({at.x - 4 * scale, at.y - 8 * scale}, IM_COL32(210, 214, 222, 255),
                 kNames[static_cast<std::size_t>(a)]);
  }
}

/// Large text on a dark background at the top of the scene, no wider than it; larger in a presentation.
void caption(ImDrawList& draw, const std::string& words, bool large, float s, const Rect& scene) {
  const float pad = 10 * s, size = ImGui::GetFontSize() * (large ? 2.0f : 1.3f);
  const float width = std::min(scene.w - 4 * pad, (large ? 960 : 620) * s);
  if (width < 60 * s) return;
  const ImVec2 text = ImGui::GetFont()->CalcTextSizeA(size, 1e9f, width, words.c_str());
  const ImVec2 at{scene.x + (scene.w - text.x) / 2, scene.y + 2 * pad};
  draw.AddRectFilled({at.x - pad, at.y - pad}, {at.x + text.x + pad, at.y + text.y + pad}, IM_COL32(8, 10, 14, 190),
                     4 * s);
  draw.AddText(nullptr, size, at, IM_COL32(240, 242, 246, 255), words.c_str(), nullptr, width);
}

/// What the window shows, in three lines.
void hints(ImDrawList& draw, float s, const Rect& scene) {
  struct Line {
    const char *before, *key, *between, *last, *after;
  };
  constexpr Line kLines[] = {{"Two bodies need one look, so the pairs fill a triangle.", "", "", "", ""},
                             {"Grey blocks do nothing. A map sends none of them.", "", "", "", ""},
                             {"Press ", "1", " to ", "9", " to change the map while it runs."}};
  const float width = 546 * s, height = 128 * s, line = 26 * s;
  if (scene.w < width + 20 * s || scene.h < height + 160 * s) return;
  const ImVec2 low{std::floor(scene.x + (scene.w - width) / 2), scene.y + 58 * s}, high{low.x + width, low.y + height};
  const Theme& t = theme();
  draw.AddRectFilled(low, high, faded(t.panel, 0.96f), 8 * s);
  draw.AddRect(low, high, t.edge, 8 * s);
  float y = low.y + 30 * s;
  for (std::size_t k = 0; k < std::size(kLines); ++k, y += line) {
    write_middle(draw, Face::title, {low.x + 22 * s, y}, t.text3, std::to_string(k + 1));
    float x = low.x + 46 * s;
    const auto say = [&](const char* text) {
      write_middle(draw, Face::title, {x, y}, t.text, text);
      x += width_in(Face::title, text);
    };
    const auto cap = [&](const char* key) {
      if (*key == '\0') return;
      const float wide = width_in(Face::body, key) + 10 * s;
      draw.AddRect({x, y - 10 * s}, {x + wide, y + 10 * s}, t.edge, 3 * s);
      write_middle(draw, Face::body, {x + wide / 2, y}, t.text, key, Align::centre);
      x += wide;
    };
    say(kLines[k].before), cap(kLines[k].key), say(kLines[k].between), cap(kLines[k].last), say(kLines[k].after);
  }
  write_middle(draw, Face::caption, {low.x + 22 * s, high.y - 18 * s}, t.text2,
               "It goes at your first key or click. Ctrl+P finds everything, F1 shows the keys.");
}

/// Above the colour bar; errors have a red edge.
void show_toast(ImDrawList& draw, const Toast& toast, float s, const Rect& free) {
  const float pad = 8 * s, size = ImGui::GetFontSize();
  const float width = std::min(free.w - 6 * pad, 560 * s);
  if (width < 60 * s) return;
  const std::string& words = toast.text;
  const ImVec2 text = ImGui::GetFont()->CalcTextSizeA(size, 1e9f, width, words.c_str());
  const ImVec2 at{free.x + (free.w - text.x) / 2, free.y + free.h - 82 * s - text.y};
  const ImVec2 low{at.x - pad, at.y - pad}, high{at.x + text.x + pad, at.y + text.y + pad};
  draw.AddRectFilled(low, high, IM_COL32(8, 10, 14, 225), 4 * s);
  if (toast.error) draw.AddRectFilled(low, {low.x + 4 * s, high.y}, theme().fault, 4 * s);
  draw.AddText(nullptr, size, at, IM_COL32(240, 242, 246, 255), words.c_str(), nullptr, width);
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
  const std::string unit = unit_behind(units, dimension_of(style.quantity));
  return fmt::format("{}{}{}{}", to_string(style.quantity), unit.empty() ? "" : " in", unit,
                     style.logarithmic ? ", logarithmic" : "");
}

void overlay(const SessionModel& model, const GuiState& state, const Rect& scene, const Rect& free) {
  if (scene.w < 1 || scene.h < 1) return;
  ImDrawList& draw = *ImGui::GetBackgroundDrawList();
  draw.PushClipRect({scene.x, scene.y}, {scene.x + scene.w, scene.y + scene.h});
  const float scale = state.panels.scale;
  if (state.view.axes) axis_labels(draw, state.view, scale, scene);
  Rect above_run_bar = scene;  // where that takes the lower edge
  if (state.panels.visible() && scene.w < 1060 * scale) above_run_bar.h -= 64 * scale;
  const bool grouped = state.view.style.quantity == render::Quantity::group;
  if (state.frames.figures && grouped && state.frames.figures->high - state.frames.figures->low < kListedGroups) {
    group_legend(draw, state.view.style, model.scene.groups, *state.frames.figures, scale, above_run_bar);
  } else if (state.frames.figures && state.view.style.colours != render::ColourMap::plain) {
    colour_bar(draw, state.view.style, find_unit_system(model.scene.units), *state.frames.figures, scale,
               above_run_bar);
  }
  const UnitSystem* units = find_unit_system(model.scene.units);
  const ClockUnit unit = clock_unit(units);
  const bool clock = state.view.clock || !state.panels.visible();  // in a film it stands beside the scale bar
  scale_bar(draw, state.view.camera, state.panels.visible() ? above_run_bar : scene, unit_behind(units, "length"),
            clock ? fmt::format("t = {:.6g}{}", unit.size * model.time, unit.behind) : "", scale);
  if (state.view.names) start::body_labels(draw, state.view, scale, scene);
  if (state.panels.presents) start::presented_map(draw, model, scale, scene);
  const OverlayState& over = state.overlay;
  const std::string& words = over.waiting.empty() ? over.caption : over.waiting;
  if (over.hints && state.panels.open.empty()) hints(draw, scale, scene);
  if (!words.empty()) caption(draw, words, state.panels.presents, scale, scene);
  draw.PopClipRect();
  if (!over.toast.text.empty()) show_toast(draw, over.toast, scale, free);
}

}  // namespace tri::app::gui::panel
