#include "app/gui/start/body_labels.hpp"

#include <algorithm>
#include <glm/vec4.hpp>

#include "app/gui/look/figures.hpp"
#include "app/gui/look/imgui_versions.hpp"
#include "app/gui/look/theme.hpp"

namespace tri::app::gui::start {
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

void body_labels(ImDrawList& draw, const SceneView& view, float scale, const Rect& scene) {
  if (view.labels.empty() || scene.w < 1 || scene.h < 1) return;
  const glm::mat4 m = view.camera.projection(scene.w / scene.h) * view.camera.view();
  const float height = height_of(face(Face::caption)), gap = 8 * scale;
  std::vector<LabelSpot> spots;
  for (const NamedBody& body : view.labels) {
    const glm::vec4 p = m * glm::vec4(body.place[0], body.place[1], body.place[2], 1);
    const bool there = p.w > 0;
    const float x = there ? p.x / p.w : 0, y = there ? p.y / p.w : 0;
    spots.push_back({scene.x + (x * 0.5f + 0.5f) * scene.w, scene.y + (0.5f - y * 0.5f) * scene.h,
                     width_in(Face::caption, body.name.c_str()), height, there});
  }
  const auto places = place_labels(spots, scene, gap);
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (!places[k]) continue;
    const ImVec2 at{places[k]->x, places[k]->y};
    write(draw, Face::caption, {at.x + scale, at.y + scale}, IM_COL32(0, 0, 0, 160), view.labels[k].name);
    write(draw, Face::caption, at, theme_of(true).text, view.labels[k].name);
  }
}

}  // namespace tri::app::gui::start
