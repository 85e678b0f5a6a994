#include "app/gui/views/split_view.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/gui/base/keys.hpp"
#include "app/gui/look/imgui_layer.hpp"
#include "app/session/session.hpp"
#include "app/support/sample_stats.hpp"
#include "sim/base/clock.hpp"

namespace tri::app::gui {
namespace {

constexpr double kOtherShare = 1.0 / 3;  // of the time, at most

int line_at(const SplitChoice& split, int width) {
  return std::clamp(static_cast<int>(split.line * static_cast<float>(width)), 0, width);
}

/// A name and its time on a dark background; at: the upper corner next to the line.
void label(ImDrawList& draw, ImVec2 at, bool left, const std::string& text, float scale) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const float pad = 5 * scale, x = left ? at.x - size.x - 2 * pad : at.x;
  draw.AddRectFilled({x, at.y}, {x + size.x + 2 * pad, at.y + size.y + pad}, IM_COL32(8, 10, 14, 190), 3 * scale);
  draw.AddText({x + pad, at.y + pad / 2}, IM_COL32(240, 242, 246, 255), text.c_str());
}

}  // namespace

void SplitView::work(Session& session, SplitChoice& split) {
  const SessionModel& m = session.model();
  const auto& rows = shown_maps(m);
  if (!split.map || *split.map >= rows.size()) {
    split.map.reset();
    buffer_.reset();
    return;
  }
  const Key key{session.generation(), session.backends(), m.steps, m.time, *split.map, m.scalar};
  if (key.generation != made_.generation || key.backends != made_.backends || key.map != made_.map ||
      beside_ != map_in_use(m)) {
    turns_.clear();
  }
  beside_ = map_in_use(m);
  const bool other = buffer_ == nullptr || key.generation != made_.generation || key.map != made_.map;
  if (!other && (key == made_ || clock_s() - worked_at_ < cost_ / kOtherShare)) return;
  const double begin = clock_s();
  try {
    if (buffer_ == nullptr || buffer_->size() != m.n) buffer_ = render::make_copy_buffer(m.n);
    InstanceSink sink = buffer_->sink();
    const auto [own, by_other] = session.publish_by(map_request(m, *split.map), sink);
    if (own > 0 && by_other > 0) turns_.add(own, by_other);
    buffer_->written();
  } catch (const std::exception& error) {
    session.note(error.what(), true);
    split.map.reset();
    buffer_.reset();
  }
  made_ = key;
  worked_at_ = clock_s();
  cost_ = worked_at_ - begin;
}

void SplitView::draw(render::BodyRenderer& renderer, const render::FrameView& view, const render::BodyStyle& style,
                     const SplitChoice& split, GLuint texture, int x, int y) const {
  if (buffer_ == nullptr) return;
  renderer.draw(buffer_.get(), view, style);
  renderer.show(texture, x, y, line_at(split, view.width));
}

void SplitView::overlay(const SessionModel& model, SplitChoice& split, float scale, const Rect& scene) const {
  if (buffer_ == nullptr || !split.map || scene.w < 1) return;
  const auto& rows = shown_maps(model);
  if (*split.map >= rows.size()) return;
  const float s = scale, grip = 7 * s;
  const float x = scene.x + static_cast<float>(line_at(split, static_cast<int>(scene.w)));
  ImGui::SetNextWindowPos({x - grip, scene.y});
  ImGui::SetNextWindowSize({2 * grip, scene.h});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::Begin("split", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings);
  ImGui::InvisibleButton("line", {2 * grip, scene.h});
  const bool held = ImGui::IsItemActive();
  if (held) split.line = std::clamp((ImGui::GetIO().MousePos.x - scene.x) / scene.w, 0.02f, 0.98f);
  if (held || ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImDrawList& draw = *ImGui::GetBackgroundDrawList();
  draw.PushClipRect({scene.x, scene.y}, {scene.x + scene.w, scene.y + scene.h});
  draw.AddLine({x, scene.y}, {x, scene.y + scene.h}, IM_COL32(240, 242, 246, held ? 255 : 170),
               held ? 3 * s : 1.5f * s);
  const MapRow &one = rows[map_in_use(model)], &two = rows[*split.map];
  std::string left = one.name, right = two.name;
  if (!turns_.own.empty()) {
    const PairedFigures figures = paired_figures(turns_.baseline.values(), turns_.own.values());
    const Improvement& all = figures.improvement;
    left += fmt::format("  {:.3g} ms", figures.baseline);
    right += fmt::format("  {:.3g} ms", figures.other);
    if (all.differs()) right += fmt::format("  ({:.2f} x the time of {})", 1 / figures.ratio(), one.name);
    if (all.decided() && !all.differs()) right += "  (no difference)";
  }
  const float top = scene.y + scene.h * 0.5f;
  label(draw, {x - 4 * s, top}, true, left, s);
  label(draw, {x + 4 * s, top}, false, right, s);
  draw.PopClipRect();
}

}  // namespace tri::app::gui
