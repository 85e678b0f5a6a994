#include "app/gui/panel/scale_bar.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/gui/look/theme.hpp"
#include "render/scale_bar.hpp"

namespace tri::app::gui::panel {
namespace {

constexpr ImU32 kShadow = IM_COL32(0, 0, 0, 160);

/// Right-aligned text whose lower end is at `bottom`; returns its upper end.
float text_above(ImDrawList& draw, const std::string& text, float right, float bottom, float scale) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const ImVec2 at{right - size.x, bottom - size.y};
  draw.AddText({at.x + scale, at.y + scale}, kShadow, text.c_str());
  draw.AddText(at, theme_of(true).text, text.c_str());
  return at.y;
}

}  // namespace

void scale_bar(ImDrawList& draw, const render::Camera& camera, const Rect& scene, const std::string& unit,
               const std::string& clock, float scale) {
  constexpr float kMargin = 16, kLongest = 120, kSmallest = 200, kThick = 2, kGap = 3;
  if (scene.w < kSmallest * scale || scene.h < kSmallest * scale) return;
  const render::ScaleBar bar = render::scale_bar(camera, scene.h, std::min(kLongest * scale, scene.w / 4));
  const float right = scene.x + scene.w - kMargin * scale, low = scene.y + scene.h - kMargin * scale;
  const float line = low - kThick * scale;
  draw.AddRectFilled({right - bar.pixels + scale, line + scale}, {right + scale, low + scale}, kShadow);
  draw.AddRectFilled({right - bar.pixels, line}, {right, low}, theme_of(true).text);
  const std::string length = fmt::format("{:.4g}{}{}", bar.length, unit.empty() ? "" : " ", unit);
  const float top = text_above(draw, length, right, line - kGap * scale, scale);
  if (!clock.empty()) text_above(draw, clock, right, top - kGap * scale, scale);
}

}  // namespace tri::app::gui::panel
